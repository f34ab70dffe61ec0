// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf: opens the directory of a CTF trace, or of several, as a source: reads the metadata, and
 * makes a stream for each CPU of each trace.
 */
#include "reader/ctf/ctf.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "base/ratio.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool probe(const struct input *in)
{
	return in->is_dir && ctf_folder_probe(in->fd);
}

/* ---- what the traces are ---- */

static bool is_env(const struct ctf_meta *m, const char *name, const char *value)
{
	const char *is = ctf_env(m, name);

	return is && !strcmp(is, value);
}

static const char *env_or(const struct ctf_meta *m, const char *name, const char *other,
			  const char *none)
{
	const char *value = ctf_env(m, name);

	if (!value)
		value = ctf_env(m, other);
	return value ? value : none;
}

/* "Linux HOST RELEASE VERSION MACHINE", as far as it is known. */
static void keep_uname(struct ctf *t, const struct ctf_trace *trace)
{
	const struct ctf_meta *m = trace->meta;
	char text[1024];

	if (t->uname || !ctf_env(m, "sysname"))
		return;
	snprintf(text, sizeof(text), "%s %s %s %s %s", ctf_env(m, "sysname"),
		 env_or(m, "hostname", "host", "-"), env_or(m, "kernel_release", "release", "-"),
		 env_or(m, "kernel_version", "version", "-"),
		 trace->is_kernel ? ctf_linux_machine(m) : env_or(m, "machine", "machine", ""));
	t->uname = mem_strdup(text);
}

static int machine_text(void *arg, enum machine_text which, const char **p, size_t *len,
			struct err *e)
{
	const struct ctf *t = arg;

	*p = which == TEXT_UNAME && t->uname ? t->uname : "";
	*len = strlen(*p);
	return 0;
}

/* LTTng's clock has the number of the boot as its UUID. */
static bool kernel_identity(void *arg, struct kernel_identity *out)
{
	const struct ctf *t = arg;

	for (unsigned i = 0; i < t->ntraces; i++) {
		const struct ctf_trace *trace = &t->traces[i];
		const struct ctf_meta *m = trace->meta;

		if (!m || !trace->is_kernel || trace->is_perf || !m->clocks || !*m->clocks->uuid)
			continue;
		*out = (struct kernel_identity){ .host = ctf_env(m, "hostname"),
						 .release = ctf_env(m, "kernel_release"),
						 .boot = m->clocks->uuid };
		return out->release != NULL;
	}
	return false;
}

static const struct machine_ops machine_ops = { .text = machine_text,
						.identity = kernel_identity,
						.mapped = ctf_mapped,
						.generation = ctf_generation };

static int32_t number_in(const struct ctf_meta *m, const char *name)
{
	const char *text = ctf_env(m, name);

	return text ? ascii_number(text, INT32_MAX) : 0;
}

void ctf_learn(struct ctf *t, struct ctf_trace *trace)
{
	trace->is_kernel = is_env(trace->meta, "domain", "kernel");
	trace->is_perf = is_env(trace->meta, "tracer_name", "perf");
	trace->process = number_in(trace->meta, "vpid");
	if (!t->host)
		t->host = ctf_env(trace->meta, "hostname");
	if (!t->maps && (t->live || ctf_stacks_are_in(trace->meta)))
		t->maps = ctf_maps_new();
	keep_uname(t, trace);
}

/* Read the metadata of each trace; those without are left out. */
static void read_metadata(struct ctf *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->ntraces; i++) {
		struct ctf_trace *trace = &t->traces[i];

		trace->like = n;
		if (!ctf_folder_metadata(t, trace)) {
			free(trace->name);
			continue;
		}
		ctf_learn(t, trace);
		t->traces[n++] = *trace;
	}
	t->ntraces = n;
}

/* ---- clocks ---- */

/* The time at which K was 0, ns since its origin. */
static int64_t zero_of(const struct ctf_clock *k)
{
	uint64_t size = k->offset < 0 ? -(uint64_t)k->offset : (uint64_t)k->offset;
	int64_t ns = (int64_t)ratio(size, 1000000000, k->freq, false), s;

	if (__builtin_mul_overflow(k->offset_s, (int64_t)1000000000, &s) ||
	    __builtin_add_overflow(s, k->offset < 0 ? -ns : ns, &s))
		return 0;
	return s;
}

/*
 * Times are those of the first clock.  Those of another one, of another machine, are moved to it by
 * what the two say of the time of day; LTTng says by a UUID that two are one, whose offsets were
 * taken at different times.
 */
static void settle_clocks(struct ctf *t)
{
	const struct ctf_clock *first = t->traces[0].meta->clocks;

	for (unsigned i = 0; i < t->ntraces && first && !t->wall; i++)
		for (struct ctf_clock *k = t->traces[i].meta->clocks; k; k = k->next)
			if ((!*k->uuid || strcmp(k->uuid, first->uuid) != 0) &&
			    __builtin_sub_overflow(zero_of(k), zero_of(first), &k->shift))
				k->shift = 0;
}

/* ---- streams ---- */

static struct buffer *buffer_of(struct ctf *t, const struct ctf_trace *trace)
{
	return &t->base.buffers[trace->buffer];
}

struct ctf_cpu *ctf_cpu(struct ctf *t, struct ctf_trace *trace, int cpu)
{
	struct buffer *b = buffer_of(t, trace);
	struct ctf_cpu *c;

	for (unsigned i = 0; i < t->ncpus; i++)
		if (t->cpus[i]->trace->buffer == trace->buffer && t->cpus[i]->cpu == cpu)
			return t->cpus[i];
	c = mem_zalloc(sizeof(*c));
	c->of = t;
	c->trace = trace;
	c->cpu = cpu;
	c->last = TS_UNKNOWN;
	c->from = (struct origin){
		.path = t->base.in.path, .instance = b->name, .cpu = cpu, .buffer = trace->buffer
	};
	c->base.ops = &ctf_stream_ops;
	c->base.from = &c->from;
	t->cpus[t->ncpus++] = c;
	c->counts = t->live ? &t->cpus[0]->base : &c->base;
	b->cpus[b->ncpus++] = (struct buffer_cpu){ .cpu = cpu };
	if ((unsigned)cpu >= t->base.cpu_count)
		t->base.cpu_count = (unsigned)cpu + 1;
	return c;
}

static const char *clock_name(const struct ctf *t, const struct ctf_trace *trace)
{
	if (t->raw)
		return "cycles";
	if (t->wall)
		return "wall";
	/* LTTng's monotonic clock is CLOCK_MONOTONIC, as ftrace's clock mono is. */
	if (!trace->meta ||
	    (trace->meta->clocks && !strcmp(trace->meta->clocks->name, "monotonic")))
		return "mono";
	return trace->meta->clocks ? trace->meta->clocks->name : "";
}

void ctf_make_buffers(struct ctf *t, unsigned n)
{
	t->base.buffers = mem_zalloc(n * sizeof(*t->base.buffers));
	t->base.nbuffers = n;
	/* Live, traces become known later, and have one buffer. */
	for (unsigned i = 0; i < (t->live ? 1 : t->ntraces); i++) {
		struct buffer *b = buffer_of(t, &t->traces[i]);

		if (b->name)
			continue;
		b->name = mem_strdup(n > 1 ? t->traces[i].whole : "");
		b->clock = mem_strdup(clock_name(t, &t->traces[i]));
		b->cpus =
			mem_zalloc(((t->live ? CTF_MAX_FILES : t->nfiles) + 1) * sizeof(*b->cpus));
	}
}

/* The bytes of F are those of its CPU. */
static void add_bytes(struct ctf *t, const struct ctf_packets *f)
{
	struct buffer *b = buffer_of(t, f->trace);

	for (unsigned i = 0; i < b->ncpus; i++)
		if (b->cpus[i].cpu == f->to->cpu)
			b->cpus[i].size += f->in.size;
}

/* Read the first packet of each file, which says of which CPU it is. */
static void begin_files(struct ctf *t)
{
	unsigned n = 0;

	t->cpus = mem_zalloc((t->nfiles + 1) * sizeof(struct ctf_cpu *));
	for (unsigned i = 0; i < t->nfiles; i++) {
		t->total += t->files[i]->in.size;
		if (ctf_packets_begin(t->files[i])) {
			add_bytes(t, t->files[i]);
			ctf_packets_rest(t->files[i]);
			t->files[i]->num = n;
			t->files[n++] = t->files[i];
		} else {
			ctf_packets_free(t->files[i]);
		}
	}
	t->nfiles = n;
	t->heap = mem_zalloc((n + 1) * sizeof(struct ctf_packets *));
	ctf_chunks_files(t);
}

/* A CPU of which a file is gone has records all the same, if another file has some of it. */
static void settle_missing(struct ctf *t)
{
	for (unsigned i = 0; i < t->ncpus; i++)
		if ((unsigned)t->cpus[i]->cpu < t->base.missing.ncpus)
			t->base.missing.cpus[t->cpus[i]->cpu] = false;
	if (t->base.cpu_count < t->base.missing.ncpus)
		t->base.cpu_count = t->base.missing.ncpus;
}

void ctf_make_streams(struct ctf *t)
{
	settle_missing(t);
	if (!t->ncpus)
		ctf_cpu(t, &t->traces[0], 0);
	t->base.streams = mem_zalloc(t->ncpus * sizeof(struct stream *));
	/* Live, CPUs become known later. */
	for (unsigned i = 0; i < (t->live ? 1 : t->ncpus); i++)
		t->base.streams[t->base.nstreams++] = &t->cpus[i]->base;
	t->cpus[0]->base.multiplexed = true;
	t->cpus[0]->base.bytes_total = t->total;
	if (!t->any)
		t->any = catalog_add_unknown(t->catalog, &t->base.machine, 0);
	t->blank = mem_zalloc((size_t)t->any->fixed + 1);
}

/* ---- opening and closing ---- */

void ctf_close(struct source *s)
{
	struct ctf *t = (struct ctf *)s;

	ctf_live_close(t->live);
	source_fini(s);
	for (unsigned i = 0; i < t->nfiles; i++)
		ctf_packets_free(t->files[i]);
	for (unsigned i = 0; i < t->ntraces; i++) {
		if (t->live || t->traces[i].like == i) {
			ctf_types_fini(&t->traces[i]);
			ctf_metadata_free(t->traces[i].meta);
		}
		free(t->traces[i].name);
	}
	for (unsigned i = 0; i < s->nbuffers; i++)
		buffer_fini(&s->buffers[i]);
	for (unsigned i = 0; i < t->ncpus; i++)
		free(t->cpus[i]);
	free(s->buffers);
	free(t->cpus);
	free(t->files);
	free(t->heap);
	free(t->traces);
	free(t->running);
	ctf_calls_free(t);
	ctf_maps_free(t->maps);
	free(t->chain);
	free(t->uname);
	free(t->blank);
	free(t);
}

struct ctf *ctf_new(const struct source_ops *ops, const struct input *in, struct catalog *c,
		    const struct source_opts *o)
{
	struct ctf *t = mem_zalloc(sizeof(*t));

	t->base.ops = ops;
	t->base.in = *in;
	t->base.compression = "none";
	t->catalog = c;
	t->notes = o->notes;
	t->wall = o->wall;
	t->raw = o->raw_ts;
	t->left = CTF_MAX_PARTS;
	machine_init(&t->base.machine, &machine_ops, t, o->notes);
	comms_expect_no_list(t->base.machine.comms);
	t->base.dialect = "1.8";
	t->base.machine.long_size = 8;
	t->base.clock_is_ns = !t->raw;
	t->base.is_wall = t->wall && !t->raw;
	return t;
}

void ctf_describe(struct ctf *t)
{
	t->base.dialect = t->traces[0].meta->is_tsdl ? "1.8" : "2";
	t->base.machine.big_endian = t->traces[0].meta->big;
	t->base.machine.swap = t->base.machine.big_endian !=
			       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static struct source *open_ctf(struct input *in, struct catalog *c, const struct source_opts *o,
			       struct err *e)
{
	struct ctf *t = ctf_new(&ctf_source, in, c, o);

	ctf_folder_traces(t);
	read_metadata(t);
	if (!t->ntraces) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "the metadata of its CTF trace cannot be read");
		err_path(e, in->path);
		ctf_close(&t->base);
		return NULL;
	}
	ctf_describe(t);
	settle_clocks(t);
	/* Nothing may fail from here on: types in the catalog borrow from the source. */
	for (unsigned i = 0; i < t->ntraces; i++)
		ctf_types_make(t, &t->traces[i]);
	t->files = mem_zalloc(CTF_MAX_FILES * sizeof(struct ctf_packets *));
	for (unsigned i = 0; i < t->ntraces; i++)
		ctf_folder_files(t, &t->traces[i]);
	ctf_make_buffers(t, ctf_chunks_traces(t));
	begin_files(t);
	ctf_make_streams(t);
	return &t->base;
}

const struct source_ops ctf_source = {
	.name = "CTF",
	.probe = probe,
	.open = open_ctf,
	.ends = ctf_ends,
	.last = ctf_last,
	.close = ctf_close,
};
