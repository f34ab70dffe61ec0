// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dat: a trace.dat as a source.  Reads the first bytes of the file, lets the reader of its version
 * find the rest, and makes a stream for each CPU of each buffer.
 */
#include "reader/dat/dat.h"

#include "base/mem.h"
#include "reader/dat/buffers.h"
#include "reader/dat/proc_maps.h"
#include "trace/maps/map_table.h"
#include "trace/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- streams ---- */

static struct feed *cpu_feed(struct dat *d, struct feed_pool *p, const struct buffer *b,
			     const struct buffer_cpu *c)
{
	const struct input *in = &d->base.in;

	switch (c->how) {
	case DAT_CHUNKS:
		return feed_chunks(p, in, c->off, c->size, b->page_size, d->head.big_endian);
	case DAT_PAGED:
		return feed_paged(p, in, c->off, c->size, b->page_size, d->head.big_endian);
	case DAT_INFLATE:
		return feed_inflate(p, in, c->off, c->size, c->usize, b->page_size);
	default:
		return feed_extent(p, in, c->off, c->size, b->page_size);
	}
}

struct feed *dat_feed(struct dat *d, struct feed_pool *pool, unsigned i)
{
	const struct buffer *b = &d->base.buffers[d->places[i].buffer];

	return cpu_feed(d, pool, b, &b->cpus[d->places[i].cpu]);
}

struct ring_opts dat_ring(struct dat *d, unsigned i)
{
	const struct buffer *b = &d->base.buffers[d->places[i].buffer];
	struct ring_opts r = {
		.layout = d->layout,
		.clock = *b->name ? &d->plain : &d->clock,
		.ids = &d->ids,
		.from = &d->origins[i],
		.seq = i,
	};

	r.layout.page_size = b->page_size;
	return r;
}

static void make_stream(struct dat *d, unsigned buffer, unsigned cpu)
{
	struct source *s = &d->base;
	const struct buffer *b = &s->buffers[buffer];
	unsigned i = s->nstreams;
	struct ring_opts r;

	d->places[i] = (struct dat_place){ buffer, cpu };
	d->origins[i] = (struct origin){ .path = s->in.path,
					 .instance = b->name,
					 .cpu = b->cpus[cpu].cpu,
					 .ticks = !d->clock.mult && !clock_in_seconds(b->clock),
					 .source = s->num,
					 .buffer = buffer };
	r = dat_ring(d, i);
	r.feed = dat_feed(d, &d->pool, i);
	s->streams[s->nstreams++] = ring_stream(&r);
}

/* Make a stream for each CPU of each buffer, in order. */
static void make_streams(struct dat *d)
{
	struct source *s = &d->base;
	unsigned n = 0;

	for (unsigned i = 0; i < s->nbuffers; i++)
		if (!s->buffers[i].text)
			n += s->buffers[i].ncpus;
	d->origins = mem_zalloc((n + 1) * sizeof(*d->origins));
	d->places = mem_zalloc((n + 1) * sizeof(*d->places));
	s->streams = mem_zalloc((n + 1) * sizeof(*s->streams));
	feed_pool_init(&d->pool, d->codec, s->in.size, n);
	/* An instance's handle copies the top's clock but not its time shift. */
	d->plain = d->clock;
	d->plain.cpus = NULL;
	d->plain.ncpus = 0;
	for (unsigned i = 0; i < s->nbuffers; i++) {
		const struct buffer *b = &s->buffers[i];

		/*
		 * The reader of the version has checked it, but a division must not depend on that.
		 */
		if (!dat_page_size_ok(b->page_size))
			continue;
		for (unsigned k = 0; !b->text && k < b->ncpus; k++)
			make_stream(d, i, k);
	}
	s->clock_is_ns = d->clock.mult || clock_in_seconds(source_clock(s));
}

static ssize_t latency_text(struct source *s, const struct buffer *b, uint64_t *pos, char *buf,
			    size_t size, struct err *e)
{
	struct dat *d = (struct dat *)s;
	struct page pg;

	if (!b->text || !b->ncpus)
		return 0;
	if (!*pos) {
		if (d->text)
			d->text->ops->close(d->text);
		d->text = cpu_feed(d, &d->pool, b, &b->cpus[0]);
		*pos = 1;
	}
	if (!d->text)
		return 0;
	switch (feed_page(d->text, &pg, e)) {
	case PULL_OK:
		/* Pages of text buffers are as small as a caller's smallest buffer. */
		if (pg.len > size)
			pg.len = size;
		memcpy(buf, pg.p, pg.len);
		return pg.len;
	case PULL_EOF:
		d->text->ops->close(d->text);
		d->text = NULL;
		return 0;
	default:
		return err_path(e, s->in.path);
	}
}

/* ---- opening ---- */

static bool probe(const struct input *in)
{
	uint8_t head[DAT_MAGIC_LEN];
	struct err e;

	return input_read(in, head, sizeof(head), 0, &e) == 0 &&
	       !memcmp(head, DAT_MAGIC, DAT_MAGIC_LEN);
}

int dat_head_cut(uint64_t off, uint64_t size, struct err *e)
{
	return err_set(e, ERR_FORMAT, off,
		       "the file is cut off: it ends within its header, after %" PRIu64
		       " byte%s, and no event can be read: copy it again, or record again",
		       size, plural(size));
}

static int take_common(struct cursor *c, const char **version, uint8_t *order, uint8_t *longs,
		       struct err *e)
{
	TRY(cursor_str(c, version, 16, e));
	TRY(cursor_u8(c, order, e));
	return cursor_u8(c, longs, e);
}

/* The header's common part: version, byte order, long size. */
static int read_head(struct dat *d, unsigned *version, struct err *e)
{
	uint8_t head[64] = { 0 }, order, longs;
	const char *text;
	struct cursor c;
	ssize_t n = input_read_some(&d->base.in, head, sizeof(head), 0, e);

	if (n < 0)
		return -1;
	cursor_init(&c, head, n, 0, false);
	c.pos = DAT_MAGIC_LEN;
	if (take_common(&c, &text, &order, &longs, e) < 0)
		return (size_t)n < sizeof(head) ? dat_head_cut(c.pos, n, e) : -1;
	if (strcmp(text, "6") && strcmp(text, "7"))
		return err_set(
			e, ERR_UNKNOWN, DAT_MAGIC_LEN,
			"trace.dat version \"%.16s\": only 6 and "
			"7 are known (a newer recorder? try trace-cmd convert --file-version 7)",
			text);
	*version = text[0] - '0';
	if (order > 1 || (longs != 4 && longs != 8))
		return err_set(e, ERR_FORMAT, c.pos - 2,
			       "byte order %u and a long of %u byte%s: not a "
			       "trace.dat, or a damaged one",
			       order, longs, plural(longs));
	d->head.big_endian = order;
	d->head.long_size = longs;
	d->head.len = c.pos;
	d->base.machine.big_endian = order;
	d->base.machine.swap = order != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	d->layout.big_endian = order;
	d->layout.long_size = longs;
	d->layout.data_off = 8 + longs;
	return 0;
}

/* Forward up to DAT_MAX_SAID notices about the file. */
static void say_few(void *arg, enum note_level level, const char *text)
{
	struct dat *d = arg;

	if (level == NOTE_INFO) {
		if (d->reports.informed++ < DAT_MAX_SAID)
			note_say(d->reports.to, level, "%s", text);
		return;
	}
	if (d->reports.said < DAT_MAX_SAID) {
		note_say(d->reports.to, level, "%s", text);
	} else {
		if (level == NOTE_DAMAGE && d->reports.to)
			d->reports.to->damage++;
		if (d->reports.said == DAT_MAX_SAID)
			note_say(d->reports.to, NOTE_WARN,
				 "%s: what else there is to say of it is left "
				 "out: %u lines are enough",
				 d->base.in.path, DAT_MAX_SAID);
	}
	d->reports.said++;
}

struct dat *dat_open(struct input *in, struct catalog *c, const struct source_opts *o,
		     bool with_data, struct err *e)
{
	struct dat *d = mem_zalloc(sizeof(*d));
	unsigned version;

	d->base.ops = &dat_source;
	d->base.in = *in;
	d->catalog = c;
	d->reports.to = o->notes;
	d->reports.few = (struct notes){ .say = say_few, .arg = d };
	d->notes = &d->reports.few;
	d->raw_ts = o->raw_ts;
	d->shows_wall = o->wall && !o->raw_ts;
	d->with_data = with_data;
	d->clock.raw = o->raw_ts;
	d->base.compression = "none";
	machine_init(&d->base.machine, &dat_texts, d, d->notes);
	/* Of a stream, and of raw pages, the types belong to this machine, which no run enters. */
	d->base.machine.given = o->symbols;
	d->base.machine.finder = o->finder;
	d->base.machine.path = in->path;
	idmap_init(&d->ids, c, &d->base.machine, o->notes);
	if (read_head(d, &version, e) < 0 ||
	    (version == 6 ? dat6_read(d, e) : dat7_read(d, e)) < 0) {
		err_path(e, in->path);
		dat_close(&d->base);
		return NULL;
	}
	dat_say_cut(d);
	dat_settle_clocks(d);
	dat_use_wall(d);
	if (with_data)
		make_streams(d);
	dat_settle_missing(d);
	return d;
}

static struct source *open_source(struct input *in, struct catalog *c, const struct source_opts *o,
				  struct err *e)
{
	struct dat *d = dat_open(in, c, o, true, e);
	struct stat st;

	if (!d)
		return NULL;
	if (!d->base.in.piped && fstat(d->base.in.fd, &st) == 0)
		d->written = st.st_mtime;
	return &d->base;
}

void dat_close(struct source *s)
{
	struct dat *d = (struct dat *)s;

	if (d->text)
		d->text->ops->close(d->text);
	source_fini(s);
	for (unsigned i = 0; i < s->nbuffers; i++)
		buffer_fini(&s->buffers[i]);
	for (unsigned i = 0; i < DAT_NIDS; i++)
		free(d->parts[i].data);
	feed_pool_fini(&d->pool);
	idmap_fini(&d->ids);
	clock_fini(&d->clock);
	free(s->buffers);
	free(d->origins);
	free(d->places);
	free(d->claims.v);
	free(d->texts.clock);
	free(d->texts.uname);
	free(d->texts.version);
	free(d->texts.host);
	free(d->cpustat.p);
	for (size_t i = 0; i < d->kept.n; i++)
		free(d->kept.v[i].p);
	free(d->kept.v);
	proc_maps_free(d->maps);
	map_table_free(d->looks);
	free(d);
}

/* What a server that received it found of its clock. */
static void wall_summary(const struct dat *d,
			 void (*line)(void *arg, const char *label, const char *text), void *arg)
{
	uint64_t ahead = d->wall.ahead < 0 ? -(uint64_t)d->wall.ahead : (uint64_t)d->wall.ahead;
	char text[160];

	snprintf(text, sizeof(text),
		 "%c%" PRIu64 ".%09" PRIu64
		 " s to the time of day of the machine that received it, "
		 "+-%.9f s%s",
		 d->wall.ahead < 0 ? '-' : '+', ahead / 1000000000, ahead % 1000000000,
		 (double)d->wall.wrong / 1e9, d->shows_wall ? "; shown as that" : "");
	line(arg, "times", text);
}

/* Who recorded it, and, if that was zedtrace, with which options. */
static void dat_summary(struct source *s,
			void (*line)(void *arg, const char *label, const char *text), void *arg)
{
	const struct dat *d = (const struct dat *)s;

	if (d->texts.version && *d->texts.version)
		line(arg, "recorder", d->texts.version);
	if (d->wall.known)
		wall_summary(d, line, arg);
}

const struct source_ops dat_source = {
	.name = "trace.dat",
	.probe = probe,
	.open = open_source,
	.text = latency_text,
	.summary = dat_summary,
	.metadata = dat_metadata,
	.ends = dat_ends,
	.lacks = dat_lacks,
	.close = dat_close,
};
