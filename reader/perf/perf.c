// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf: the source of a perf.data.  One multiplexed stream reads the file, or the files of a
 * directory, and delivers the events of all CPUs in order of time; the streams of the other CPUs
 * only exist to be listed.
 */
#include "reader/perf/perf.h"

#include "base/mem.h"
#include "base/mono.h"
#include "reader/perf/trace.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STOP_NS 1000000000ull /* how long to wait for a pipe's end after a stop */

/* ---- opening ---- */

static bool probe(const struct input *in)
{
	bool big_endian;

	return in->is_dir ? perf_dir_probe(in) : perf_head_probe(in, &big_endian);
}

/* Forward up to PERF_MAX_SAID notices about the file. */
static void say_few(void *arg, enum note_level level, const char *text)
{
	struct perf *f = arg;

	if (f->reports.said++ < PERF_MAX_SAID)
		note_say(f->reports.to, level, "%s", text);
	else if (level == NOTE_DAMAGE && f->reports.to)
		f->reports.to->damage++;
	if (f->reports.said == PERF_MAX_SAID)
		note_say(f->reports.to, NOTE_WARN,
			 "%s: what else there is to say of it is left out: %u lines are enough",
			 f->base.in.path, PERF_MAX_SAID);
}

/* Records of a pipe's header, up to the first of another kind. */
static void read_pipe_head(struct perf *f)
{
	struct perf_file *t = f->in.files[0];
	struct err e;

	t->intake.wait = true;
	while (!t->over) {
		enum pull rc = intake_next(&t->intake, &f->in.held, &e);

		if (rc == PULL_EOF)
			break;
		if (rc == PULL_OK && !perf_is_head(&f->in.held)) {
			f->in.has_held = true;
			break;
		}
		if (rc == PULL_OK)
			rc = perf_record(f, t, &f->in.held, &e);
		if (rc == PULL_ERR) {
			err_path(&e, t->intake.in->path);
			note_err(f->notes, NOTE_DAMAGE, &e);
		}
	}
	t->intake.wait = false;
	f->in.done = t->intake.off;
}

static void add_file(struct perf *f)
{
	struct perf_file *t = mem_zalloc(sizeof(*t));

	f->in.files = mem_zalloc((f->form.is_dir ? PERF_MAX_FILES + 1 : 1) * sizeof(*f->in.files));
	f->in.files[f->in.nfiles++] = t;
	intake_init(&t->intake, &f->base.in, &f->due.blocks, f->form.big_endian, f->in.data_off,
		    f->in.data_end);
	f->in.done = f->in.data_off;
	if (!f->base.in.piped)
		f->in.total = f->base.in.size;
	t->sorted = f->form.is_dir;
	if (f->form.is_dir)
		perf_dir_files(f);
}

/* Types without a format exist from the start; tracking events have no samples. */
static void add_types(struct perf *f)
{
	char buf[64];

	for (unsigned i = 0; i < f->attrs.n; i++) {
		struct perf_attr *a = f->attrs.v[i];

		if (a->type != PERF_TRACEPOINT &&
		    strcmp(perf_count_name(a, buf, sizeof(buf)), "dummy") != 0)
			perf_type_of(f, a);
	}
	perf_group_types(f);
}

/* An event that only reports losses needs a type too: that of some event of the recording. */
static void find_any(struct perf *f)
{
	for (unsigned i = 0; i < f->attrs.n && !f->losses.type; i++) {
		const struct perf_attr *a = f->attrs.v[i];

		if (a->etype || (a->type == PERF_TRACEPOINT && a->config < 65536 &&
				 idmap_knows(&f->ids, a->config)))
			f->losses.type = perf_type_of(f, f->attrs.v[i]);
	}
	if (!f->losses.type)
		f->losses.type = catalog_add_unknown(f->catalog, &f->base.machine, 0);
	f->losses.blank = mem_zalloc((size_t)f->losses.type->fixed + 1);
}

static void make_streams(struct perf *f)
{
	unsigned n = f->about.cpus;

	/* Fallback: perf opens each event once on every CPU. */
	if (!n)
		n = f->attrs.most_ids < PERF_MAX_CPUS ? f->attrs.most_ids : PERF_MAX_CPUS;
	if (!n)
		n = 1;
	f->ncpus = n;
	f->cpus = mem_zalloc(n * sizeof(*f->cpus));
	f->buffer.name = mem_strdup("");
	f->buffer.clock = perf_clock(f);
	f->buffer.cpus = mem_zalloc(n * sizeof(*f->buffer.cpus));
	f->buffer.ncpus = n;
	f->base.buffers = &f->buffer;
	f->base.nbuffers = 1;
	f->base.streams = mem_zalloc(n * sizeof(struct stream *));
	for (unsigned i = 0; i < n; i++) {
		struct perf_cpu *c = &f->cpus[i];

		c->f = f;
		c->last = TS_UNKNOWN;
		c->from = (struct origin){ .path = f->base.in.path,
					   .instance = f->buffer.name,
					   .cpu = i };
		c->base.ops = &perf_stream_ops;
		c->base.from = &c->from;
		f->buffer.cpus[i].cpu = i;
		f->base.streams[f->base.nstreams++] = &c->base;
	}
	f->cpus[0].base.multiplexed = true;
	f->cpus[0].base.bytes_total = f->in.total;
	find_any(f);
}

/* Times of the wall clock, which CLOCK_DATA relates to the recorded one. */
static void use_wall(struct perf *f)
{
	if (!f->wall.known) {
		note_say(f->notes, NOTE_WARN,
			 "%s: has no time of day (perf record -k mono stores it): its "
			 "times stay those of its clock",
			 f->base.in.path);
		return;
	}
	f->wall.shift = f->wall.wall_ns - f->wall.clock_ns;
	f->base.is_wall = true;
}

static void close_source(struct source *s)
{
	struct perf *f = (struct perf *)s;

	source_fini(s);
	for (unsigned i = 0; i < f->in.nfiles; i++) {
		intake_fini(&f->in.files[i]->intake);
		input_close(&f->in.files[i]->in);
		free(f->in.files[i]);
	}
	free(f->in.files);
	order_fini(&f->due.order);
	blocks_fini(&f->due.blocks);
	free(f->due.given.made);
	perf_group_fini(&f->due.group);
	maps_fini(&f->tasks.maps);
	comm_table_free(f->tasks.names);
	idmap_fini(&f->ids);
	attrs_fini(&f->attrs);
	while (f->meta.texts) {
		struct perf_text *t = f->meta.texts;

		f->meta.texts = t->next;
		free(t);
	}
	free(f->about.host);
	free(f->about.release);
	free(f->about.version);
	free(f->about.arch);
	free(f->about.cmdline);
	free(f->about.uname);
	free(f->about.kernel_symbol);
	build_ids_fini(&f->about.build_ids);
	buffer_fini(&f->buffer);
	free(f->cpus);
	free(f->losses.blank);
	if (f->form.is_dir)
		input_close(&f->dir);
	free(f);
}

static int poll_fds(struct source *s, struct pollfd *fds, int max)
{
	const struct perf *f = (const struct perf *)s;

	if (f->in.files[0]->over || max < 1)
		return 0;
	fds[0] = (struct pollfd){ .fd = s->in.fd, .events = POLLIN };
	return 1;
}

static void stop_soon(struct source *s)
{
	((struct perf *)s)->deadline = mono_ns() + STOP_NS;
}

/* A recording from a pipe: it can be polled, and stopped. */
static const struct source_ops piped_source = {
	.name = "perf.data",
	.summary = perf_summary,
	.fds = poll_fds,
	.stop = stop_soon,
	.close = close_source,
};

/* When the recording was written; 0: it comes through a pipe. */
static int64_t written(const struct perf *f)
{
	struct stat st;

	return !f->base.in.piped && f->base.in.fd >= 0 && fstat(f->base.in.fd, &st) == 0 ?
		       st.st_mtime :
		       0;
}

static struct source *open_source(struct input *in, struct catalog *c, const struct source_opts *o,
				  struct err *e)
{
	struct perf *f = mem_zalloc(sizeof(*f));

	f->base.in = *in;
	f->base.compression = "none";
	f->catalog = c;
	f->reports.to = o->notes;
	f->reports.few = (struct notes){ .say = say_few, .arg = f };
	f->notes = &f->reports.few;
	machine_init(&f->base.machine, &perf_texts, f, f->notes);
	/* Records have each change of a name, by the recorder's task numbers. */
	comms_expect_all(f->base.machine.comms);
	f->tasks.names = comm_table_new();
	idmap_init(&f->ids, c, &f->base.machine, f->notes);
	f->due.order.attrs = &f->attrs;
	f->due.order.blocks = &f->due.blocks;
	if (in->is_dir && perf_dir_open(f, e) < 0)
		goto fail;
	/* A file's end is needed first: only perf's pipe format can be streamed. */
	if (in->piped && !perf_head_is_piped(in) && input_spool(&f->base.in, e) < 0)
		goto fail;
	f->base.ops = f->base.in.piped ? &piped_source : &perf_source;
	f->base.machine.path = f->base.in.path;
	perf_head_probe(&f->base.in, &f->form.big_endian);
	f->form.swap = f->form.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	f->due.order.swap = f->form.swap;
	f->base.machine.big_endian = f->form.big_endian;
	f->base.machine.swap = f->form.swap;
	if (perf_head_read(f, e) < 0)
		goto fail;
	add_file(f);
	if (f->form.records)
		read_pipe_head(f);
	f->base.dialect = f->form.is_dir ? "directory" : f->form.records ? "pipe" : "file";
	f->base.clock_is_ns = true;
	f->about.written = written(f);
	add_types(f);
	if (o->wall)
		use_wall(f);
	make_streams(f);
	return &f->base;
fail:
	err_path(e, f->base.in.path);
	close_source(&f->base);
	return NULL;
}

const struct source_ops perf_source = {
	.name = "perf.data",
	.takes_pipe = true,
	.probe = probe,
	.open = open_source,
	.summary = perf_summary,
	.close = close_source,
};
