// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw_pages: bare sub-buffers as a source: the OUTPUT.cpuN files of a recorder that was killed,
 * with the formats of another file (--meta).
 */
#include "base/ascii.h"
#include "base/mem.h"

#include "reader/dat/buffers.h"

#include <stdlib.h>
#include <string.h>

struct raw {
	struct source base; /* must be first */
	struct dat *meta;
	struct origin origin;
	struct buffer buffer;
	struct stream *stream;
	struct feed_pool pool;
};

/* The N of "NAME.cpuN"; -1: PATH does not match. */
static int cpu_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strncmp(dot, ".cpu", 4) ? ascii_number(dot + 4, DAT_MAX_CPU - 1) : -1;
}

static bool probe(const struct input *in)
{
	return cpu_of(in->path) >= 0;
}

/* "trace.dat.foo.cpu1" beside "trace.dat": instance foo. */
static char *instance_of(const char *path, const char *meta)
{
	const char *base = strrchr(path, '/'), *mbase = strrchr(meta, '/'), *dot;
	size_t n;

	base = base ? base + 1 : path;
	mbase = mbase ? mbase + 1 : meta;
	n = strlen(mbase);
	dot = strrchr(base, '.');
	if (!strncmp(base, mbase, n) && base[n] == '.' && base + n < dot)
		return mem_strndup(base + n + 1, dot - base - n - 1);
	return mem_strdup("");
}

static void close_raw(struct source *s)
{
	struct raw *r = (struct raw *)s;

	if (r->stream)
		r->stream->ops->close(r->stream);
	feed_pool_fini(&r->pool);
	machine_fini(&s->machine);
	if (r->meta)
		dat_close(&r->meta->base);
	buffer_fini(&r->buffer);
	input_close(&s->in);
	free(r);
}

static struct source *open_raw(struct input *in, struct catalog *c, const struct source_opts *o,
			       struct err *e)
{
	struct raw *r = mem_zalloc(sizeof(*r));
	uint64_t damage = o->notes ? o->notes->damage : 0;
	struct ring_opts ring;
	struct input meta;

	r->base.ops = &raw_source;
	r->base.in = *in;
	if (!o->meta) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"bare pages of one CPU: --meta FILE.dat has to name a "
			"trace.dat of the same boot for their formats");
		goto fail;
	}
	if (input_open(&meta, o->meta, e) < 0)
		goto fail;
	if (!dat_source.probe(&meta)) {
		err_set(e, ERR_UNKNOWN, 0, "--meta needs a trace.dat; this is not one");
		err_path(e, o->meta);
		input_close(&meta);
		goto fail;
	}
	if (input_spool(&meta, e) < 0) {
		input_close(&meta);
		goto fail;
	}
	r->meta = dat_open(&meta, c, o, false, e);
	if (!r->meta)
		goto fail;
	input_say_failed(&r->meta->base.in, o->notes, damage);
	if (!dat_page_size_ok(r->meta->layout.page_size)) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF,
			"sub-buffers of %u byte%s: is the header "
			"information of the file of --meta damaged?",
			r->meta->layout.page_size, plural(r->meta->layout.page_size));
		err_path(e, r->meta->base.in.path);
		goto fail;
	}
	/* Symbols and names come from the other file: its types point to its machine. */
	r->base.machine.swap = r->meta->base.machine.swap;
	r->base.machine.big_endian = r->meta->base.machine.big_endian;
	r->base.machine.long_size = r->meta->base.machine.long_size;
	machine_share_tasks(&r->base.machine, &r->meta->base.machine);
	r->base.dialect = "raw pages";
	r->base.compression = "none";
	r->base.cpu_count = r->meta->base.cpu_count;
	r->buffer.name = instance_of(in->path, r->meta->base.in.path);
	r->buffer.clock = mem_strdup(source_clock(&r->meta->base));
	r->buffer.page_size = r->meta->layout.page_size;
	r->buffer.cpus = mem_zalloc(sizeof(*r->buffer.cpus));
	r->buffer.cpus[0] = (struct buffer_cpu){ .cpu = cpu_of(in->path), .size = in->size };
	r->buffer.ncpus = 1;
	r->base.buffers = &r->buffer;
	r->base.nbuffers = 1;
	r->base.is_wall = r->meta->base.is_wall;
	r->base.clock_is_ns = r->meta->clock.mult || clock_in_seconds(r->buffer.clock);
	r->origin = (struct origin){ .path = r->base.in.path,
				     .instance = r->buffer.name,
				     .cpu = r->buffer.cpus[0].cpu };
	feed_pool_init(&r->pool, CODEC_NONE, in->size, 1);
	ring = (struct ring_opts){
		.feed = feed_extent(&r->pool, &r->base.in, 0, in->size, r->buffer.page_size),
		.layout = r->meta->layout,
		.clock = &r->meta->clock,
		.ids = &r->meta->ids,
		.from = &r->origin,
	};
	r->stream = ring_stream(&ring);
	r->base.streams = &r->stream;
	r->base.nstreams = 1;
	return &r->base;
fail:
	err_path(e, in->path);
	close_raw(&r->base);
	return NULL;
}

static int raw_metadata(struct source *s, const struct metadata_taker *to, struct err *e)
{
	return dat_metadata(&((struct raw *)s)->meta->base, to, e);
}

const struct source_ops raw_source = {
	.name = "raw pages",
	.probe = probe,
	.open = open_raw,
	.metadata = raw_metadata,
	.close = close_raw,
};
