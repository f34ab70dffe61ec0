// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt: opens the directory of an LTT trace as a source: determines the generation, reads control/
 * and info/, and makes a stream for each tracefile.
 */
#include "reader/ltt/ltt.h"
#include "base/ratio.h"

#include "base/mem.h"
#include "reader/ltt/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCAN_STEP 4096	    /* LTTng's blocks were pages, */
#define SCAN_MAX (4u << 20) /* and had at most half of this */

static bool probe(const struct input *in)
{
	return in->is_dir && ltt_dir_probe(in->fd);
}

/* ---- what the files are ---- */

/* The headers of the block at OFF of F.  -1 with E. */
static int head_at(struct ltt_file *f, uint64_t off, struct err *e)
{
	uint8_t p[LTT_MAX_HEAD];
	ssize_t n = input_read_some(&f->in, p, sizeof(p), off, e);

	return n < 0 ? -1 : ltt_head_read(&f->head, p, n, e);
}

/* The first block of F is damaged: the distance to the next one gives the block size. */
static bool find_head(struct ltt_file *f)
{
	struct err e;

	for (uint64_t off = SCAN_STEP; off < f->in.size && off <= SCAN_MAX; off += SCAN_STEP)
		if (head_at(f, off, &e) == 0 && f->head.block_size == off)
			return true;
	return false;
}

static bool is_group(const struct ltt_file *f, const char *group)
{
	return !strcmp(f->group, group);
}

/* Is F a tracefile?  A file that just has such a name is not damage; one that cannot be read is. */
static bool take_file(struct ltt *t, struct ltt_file *f)
{
	bool ours = is_group(f, "cpu") || !strncmp(f->group, "control/", 8);
	struct err e;

	if (head_at(f, 0, &e) == 0 || (ours && find_head(f)))
		return true;
	err_path(&e, f->in.path);
	err_within(&e, "is left out");
	note_err(t->notes, ours || e.kind == ERR_SYS ? NOTE_DAMAGE : NOTE_WARN, &e);
	return false;
}

static bool is_same_machine(const struct ltt_machine *a, const struct ltt_machine *b)
{
	return a->swap == b->swap && a->arch_size == b->arch_size && a->align == b->align;
}

/* Give F the number of its machine.  False: there are too many. */
static bool take_machine(struct ltt *t, struct ltt_file *f)
{
	const struct ltt_head *h = &f->head;
	struct ltt_machine m = {
		.gen = ltt_version_gen(h),
		.swap = h->swap,
		.arch_size = h->arch_size,
		.int_size = 4,
		.long_size = h->arch_size,
		.pointer_size = h->arch_size,
		.size_t_size = h->arch_size,
		.align = h->align,
	};

	for (f->machine = 0; f->machine < t->nmachines; f->machine++)
		if (is_same_machine(&t->machines[f->machine], &m))
			return true;
	if (t->nmachines == LTT_MAX_MACHINES)
		return false;
	t->machines[t->nmachines++] = m;
	return true;
}

/* Keep the files for which TAKE is true. */
static void keep_files(struct ltt *t, bool (*take)(struct ltt *t, struct ltt_file *f))
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->nfiles; i++) {
		if (take(t, &t->files[i]))
			t->files[n++] = t->files[i];
		else
			ltt_file_fini(&t->files[i]);
	}
	t->nfiles = n;
}

/* Is F of the trace's version, and is its machine one of the trace's? */
static bool fits(struct ltt *t, struct ltt_file *f)
{
	if (f->head.version != t->head.version)
		note_say(t->notes, NOTE_DAMAGE,
			 "%s: is left out: it is of version %s, and the "
			 "trace of version %s",
			 f->in.path, ltt_version_name(&f->head), ltt_version_name(&t->head));
	else if (!take_machine(t, f))
		note_say(t->notes, NOTE_DAMAGE,
			 "%s: is left out: its byte order and sizes are "
			 "another than those of %u machines before",
			 f->in.path, LTT_MAX_MACHINES);
	else
		return true;
	return false;
}

/* ---- 0.4 to 0.7 ---- */

static void set_clock(struct ltt *t)
{
	const struct ltt_head *h = &t->head;
	struct ltt_clock *c = &t->clock;

	if (t->raw || !h->tsc)
		return;
	/* A cycle lasts 10^9 / (freq * scale) ns. */
	c->num = h->scale == 1000 ? 1000000 : 1000000000;
	if (h->scale == 1000)
		c->den = h->freq;
	else if (__builtin_mul_overflow(h->freq, h->scale, &c->den))
		c->den = 0;
	if (!c->den) {
		note_say(t->notes, NOTE_WARN,
			 "%s: the rate of its counter is unknown: "
			 "times are cycles",
			 t->base.in.path);
		t->raw = true;
		return;
	}
	c->zero = h->start_tsc;
	c->base = t->wall ? h->start_ns : ratio(h->start_tsc, c->num, c->den, false);
}

static void say_oddities(struct ltt *t)
{
	const struct ltt_head *h = &t->head;

	if (h->told_align == 1)
		note_say(t->notes, NOTE_WARN,
			 "%s: has_alignment is 1, as the document of the "
			 "format has it: taken for the size of a pointer, %u",
			 t->base.in.path, h->arch_size);
	if (h->float_order && (h->float_order == __BYTE_ORDER__) == h->swap)
		note_say(t->notes, NOTE_WARN,
			 "%s: its floats are of another byte order than its "
			 "integers: their values are wrong",
			 t->base.in.path);
}

/* The trace-wide values come from the facilities file of the lowest CPU. */
static void find_reference(struct ltt *t)
{
	unsigned i = 0;

	while (i < t->nfiles && !is_group(&t->files[i], LTT_FACILITIES))
		i++;
	t->head = t->files[i < t->nfiles ? i : 0].head;
}

static void open_new(struct ltt *t)
{
	find_reference(t);
	keep_files(t, fits);
	/* The first machine, the one of the facility core, is the trace's. */
	say_oddities(t);
	set_clock(t);
	t->base.dialect = ltt_version_name(&t->head);
	t->base.machine.big_endian = t->head.big_endian;
	t->base.machine.long_size = t->head.arch_size;
	ltt_known_core(t);
}

/* ---- generation 1 ---- */

static bool is_word(const char *value, const char *a, const char *b)
{
	return value && (!strcasecmp(value, a) || !strcasecmp(value, b));
}

static void old_machine(struct ltt *t)
{
	static const struct {
		const char *name;
		unsigned int_size, long_size, pointer_size;
	} models[] = {
		{ "ILP32", 4, 4, 4 }, { "LP32", 2, 4, 4 }, { "LP64", 4, 8, 8 }, { "ILP64", 8, 8, 8 }
	};
	const char *arch = ltt_info_get(&t->info, "arch_size");
	const char *endian = ltt_info_get(&t->info, "endian");
	bool big = is_word(endian, "big", "BIG_ENDIAN");
	struct ltt_machine *m = &t->machines[0];
	unsigned i = 0;

	while (i < 4 && !is_word(arch, models[i].name, models[i].name))
		i++;
	if (i == 4 || (!big && !is_word(endian, "little", "LITTLE_ENDIAN")))
		note_say(t->notes, NOTE_WARN,
			 "%s/info/system.xml: does not have both arch_size "
			 "(ILP32, LP32, LP64 or ILP64) and endian (little or big): %s and %s "
			 "endian are taken",
			 t->base.in.path, models[i % 4].name, big ? "big" : "little");
	i %= 4;
	*m = (struct ltt_machine){
		.gen = LTT_G1,
		.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.arch_size = models[i].pointer_size,
		.int_size = models[i].int_size,
		.long_size = models[i].long_size,
		.pointer_size = models[i].pointer_size,
		.size_t_size = models[i].pointer_size,
	};
	t->nmachines = 1;
	t->base.machine.big_endian = big;
	t->base.machine.long_size = m->long_size;
}

static int open_old(struct ltt *t, struct err *e)
{
	const char *size = ltt_info_get(&t->info, "ltt_block_size");
	unsigned long long n;
	char *end;

	if (!size)
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "has control/ and eventdefs/ of an LTT "
			       "trace, but no tracefile of version 0.4 to 0.7 (cpu_0 and others), "
			       "nor what older traces have (ltt_block_size in info/system.xml)");
	n = strtoull(size, &end, 10);
	if (*end || n < 64 || n > LTT_MAX_BLOCK)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "info/system.xml says "
			       "ltt_block_size=%.40s, and 64 to %u can be read",
			       size, LTT_MAX_BLOCK);
	t->old = true;
	t->block_size = n;
	ltt_dir_find(t, true);
	if (!t->nfiles)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "has no tracefile with anything in it "
			       "(cpu/0 and others are wanted)");
	old_machine(t);
	ltt_known_first(t);
	ltt_old_rate(t);
	t->base.dialect = "generation 1";
	return 0;
}

/* ---- opening and closing ---- */

static void read_info(struct ltt *t)
{
	struct err e;
	size_t len;
	char *text = ltt_dir_read(t, "info/system.xml", LTT_MAX_INFO, &len, &e);

	if (text)
		ltt_info_system(&t->info, text, len);
	else if (e.kind != ERR_NONE)
		note_err(t->notes, NOTE_DAMAGE, &e);
	free(text);
	text = ltt_dir_read(t, "info/bookmarks.xml", LTT_MAX_INFO, &len, &e);
	if (text)
		ltt_info_bookmarks(&t->info, text, len);
	else if (e.kind != ERR_NONE)
		note_err(t->notes, NOTE_DAMAGE, &e);
	free(text);
}

static const char *clock_name(const struct ltt *t)
{
	if (t->raw)
		return "cycles";
	return t->old || t->wall || !t->head.tsc ? "wall" : "tsc";
}

static void add_stream(struct ltt *t, struct ltt_file *f, unsigned buffer)
{
	struct buffer *b = &t->base.buffers[buffer];

	f->from = (struct origin){
		.path = f->in.path, .instance = b->name, .cpu = f->cpu, .buffer = buffer
	};
	b->cpus[b->ncpus++] = (struct buffer_cpu){ .cpu = f->cpu, .size = f->in.size };
	t->base.streams[t->base.nstreams++] = t->old ? ltt_old_stream(t, f) : ltt_stream(t, f);
}

/* A buffer for each group, by which the files are sorted, and a stream for each file. */
static void make_streams(struct ltt *t)
{
	struct source *s = &t->base;
	struct buffer *b = NULL;

	s->buffers = mem_zalloc((t->nfiles + 1) * sizeof(*s->buffers));
	s->streams = mem_zalloc((t->nfiles + 1) * sizeof(*s->streams));
	for (unsigned i = 0; i < t->nfiles; i++) {
		struct ltt_file *f = &t->files[i];

		if (!i || strcmp(f->group, t->files[i - 1].group) != 0) {
			b = &s->buffers[s->nbuffers++];
			b->name = mem_strdup(is_group(f, "cpu") ? "" : f->group);
			b->clock = mem_strdup(clock_name(t));
			b->page_size = t->old ? t->block_size : f->head.block_size;
			b->cpus = mem_zalloc(t->nfiles * sizeof(*b->cpus));
		}
		add_stream(t, f, s->nbuffers - 1);
	}
}

static void count_cpus(struct ltt *t)
{
	for (unsigned i = 0; i < t->nfiles; i++)
		if ((unsigned)t->files[i].cpu >= t->base.cpu_count)
			t->base.cpu_count = t->files[i].cpu + 1;
}

static void close_ltt(struct source *s)
{
	struct ltt *t = (struct ltt *)s;

	source_fini(s);
	for (unsigned i = 0; i < s->nbuffers; i++)
		buffer_fini(&s->buffers[i]);
	for (unsigned i = 0; i < t->nfiles; i++)
		ltt_file_fini(&t->files[i]);
	ltt_known_fini(t);
	ltt_info_fini(&t->info);
	free(t->files);
	free(s->buffers);
	free(t);
}

static struct source *open_ltt(struct input *in, struct catalog *c, const struct source_opts *o,
			       struct err *e)
{
	struct ltt *t = mem_zalloc(sizeof(*t));

	t->base.ops = &ltt_source;
	t->base.in = *in;
	t->base.compression = "none";
	t->catalog = c;
	t->notes = o->notes;
	t->wall = o->wall;
	t->raw = o->raw_ts;
	machine_init(&t->base.machine, NULL, NULL, o->notes);
	read_info(t);
	ltt_dir_find(t, false);
	keep_files(t, take_file);
	/* Nothing may fail from here on: types in the catalog borrow from the source. */
	if (t->nfiles) {
		open_new(t);
	} else if (open_old(t, e) < 0) {
		err_path(e, in->path);
		close_ltt(&t->base);
		return NULL;
	}
	ltt_load(t);
	t->base.clock_is_ns = !t->raw;
	t->base.is_wall = !strcmp(clock_name(t), "wall");
	count_cpus(t);
	make_streams(t);
	return &t->base;
}

const struct source_ops ltt_source = {
	.name = "LTT",
	.probe = probe,
	.open = open_ltt,
	.summary = ltt_summary,
	.close = close_ltt,
};
