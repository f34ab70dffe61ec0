// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cut: the sink.  Each CPU of each buffer has a packer; what it makes is kept until the run has
 * ended, when the trace.dat is written from it and the source's metadata.
 */
#include "record/cut/cut.h"

#include "base/mem.h"
#include "reader/dat/dat.h"
#include "trace/ring_place.h"
#include "ring/header_page.h"
#include "record/cut/cut_stats.h"
#include "record/cut/repack.h"
#include "record/cut/store.h"
#include "record/dat_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROW_BYTES (64u << 20) /* gathered before it is written: all CPUs together ... */
#define ROW_MAX (256u << 10)  /* ... and of one */

/* One CPU of one buffer. */
struct cut_lane {
	struct cut *c;
	struct stored_row row;
	struct pack *pack; /* NULL: no record so far */
	uint32_t page_size;
	uint32_t lost; /* losses before the next record: those of records that were not chosen */
	uint64_t records;
};

struct cut {
	struct sink sink;
	struct cut_opts o;
	const struct run_info *run;
	struct source *source;
	struct store store;
	struct cut_lane **lanes; /* by buffer, then by CPU */
	int *ncpus;		 /* length of each buffer's lanes */
	unsigned nbuffers;
	size_t row_cap;
	uint64_t records;
};

struct cut *cut_new(const struct cut_opts *o, struct err *e)
{
	struct cut *c = mem_zalloc(sizeof(*c));

	c->o = *o;
	if (store_open(&c->store, o->path, e) == 0)
		return c;
	free(c);
	return NULL;
}

void cut_free(struct cut *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->nbuffers; i++) {
		for (int k = 0; k < c->ncpus[i]; k++) {
			pack_free(c->lanes[i][k].pack);
			row_fini(&c->lanes[i][k].row);
		}
		free(c->lanes[i]);
	}
	free(c->lanes);
	free(c->ncpus);
	store_close(&c->store);
	free(c);
}

uint64_t cut_records(const struct cut *c)
{
	return c->records;
}

/* ---- the run ---- */

static enum verdict begin(struct sink *s, const struct run_info *run, struct err *e)
{
	struct cut *c = (struct cut *)s;
	struct source *src = run->sources[0];

	c->run = run;
	c->source = src;
	c->nbuffers = src->nbuffers;
	c->lanes = mem_zalloc((c->nbuffers + 1) * sizeof(*c->lanes));
	c->ncpus = mem_zalloc((c->nbuffers + 1) * sizeof(*c->ncpus));
	for (unsigned i = 0; i < src->nbuffers; i++) {
		const struct buffer *b = &src->buffers[i];

		for (unsigned k = 0; k < b->ncpus; k++)
			if (b->cpus[k].cpu >= c->ncpus[i])
				c->ncpus[i] = b->cpus[k].cpu + 1;
		c->lanes[i] = mem_zalloc(((size_t)c->ncpus[i] + 1) * sizeof(*c->lanes[i]));
	}
	c->row_cap = ROW_BYTES / (src->nstreams + 1);
	if (c->row_cap > ROW_MAX)
		c->row_cap = ROW_MAX;
	return SINK_MORE;
}

static struct cut_lane *lane_of(const struct cut *c, const struct event *ev)
{
	unsigned buffer = ev->from->buffer;

	if (buffer >= c->nbuffers || ev->cpu < 0 || ev->cpu >= c->ncpus[buffer])
		return NULL;
	return &c->lanes[buffer][ev->cpu];
}

static void add_lost(struct cut_lane *l, uint32_t lost)
{
	if (lost == LOST_UNKNOWN || l->lost == LOST_UNKNOWN || lost >= LOST_UNKNOWN - 1 - l->lost)
		l->lost = lost ? LOST_UNKNOWN : l->lost;
	else
		l->lost += lost;
}

static int take_page(void *arg, const uint8_t *p, struct err *e)
{
	struct cut_lane *l = arg;

	return row_add(&l->c->store, &l->row, p, l->page_size, l->c->row_cap, e);
}

static enum verdict event(struct sink *s, const struct event *ev, struct err *e)
{
	struct cut *c = (struct cut *)s;
	struct cut_lane *l = lane_of(c, ev);
	uint32_t lost;

	if (c->o.in_time && !c->o.in_time(c->o.arg, ev->ts))
		return SINK_MORE;
	if (!l || !ev->place)
		return err_set(e, ERR_USAGE, ev->off,
			       "an event that is not a record of a ring buffer");
	if (!l->pack) {
		l->c = c;
		l->page_size = ev->place->layout->page_size;
		l->pack = pack_new(ev->place->layout, take_page, l);
	}
	if (ev->lost && l->lost)
		add_lost(l, ev->lost);
	lost = l->lost ? l->lost : ev->lost;
	l->lost = 0;
	c->records++;
	l->records++;
	return pack_record(l->pack, ev, lost, e) < 0 ? SINK_ERR : SINK_MORE;
}

static enum verdict lost(struct sink *s, const struct event *ev, struct err *e)
{
	struct cut *c = (struct cut *)s;
	struct cut_lane *l = lane_of(c, ev);

	if (l && (!c->o.in_time || c->o.in_time(c->o.arg, ev->ts)))
		add_lost(l, ev->lost);
	return SINK_MORE;
}

static const struct sink_ops OPS = {
	.begin = begin,
	.event = event,
	.lost = lost,
};

struct sink *cut_sink(struct cut *c)
{
	c->sink.ops = &OPS;
	return &c->sink;
}

/* ---- the file ---- */

/* Where the source's metadata are written. */
struct writing {
	struct cut *c;
	struct dat7_writer *w;
	struct cut_stats stats;
	int fd;
};

static int take_head(void *arg, bool big_endian, unsigned long_size, uint32_t page_size,
		     struct err *e)
{
	struct writing *g = arg;
	int codec = codec_find(g->c->source->compression);
	struct dat7_head h = { .big_endian = big_endian,
			       .long_size = long_size,
			       .page_size = page_size,
			       .codec = codec < 0 ? CODEC_NONE : (enum codec)codec };

	g->w = dat7_writer_new(g->fd, &h, e);
	return g->w ? 0 : -1;
}

static int take_section(void *arg, unsigned id, const void *p, size_t len, struct err *e)
{
	static const char *const names[] = { "headers",	 "ftrace events", "events format",
					     "kallsyms", "printk",	  "command lines" };

	return dat7_section(((struct writing *)arg)->w, id, names[id - DAT_HEADER_INFO], p, len, e);
}

static uint64_t records_of(void *arg, int cpu)
{
	const struct cut *c = arg;

	return c->nbuffers && cpu < c->ncpus[0] ? c->lanes[0][cpu].records : 0;
}

static int take_option(void *arg, unsigned id, const void *p, size_t len, struct err *e)
{
	struct writing *g = arg;
	char *text;

	/* The statistics of several buffers do not say which one's CPUs they are of. */
	if (id != DAT_CPUSTAT || g->c->nbuffers > 1) {
		dat7_option(g->w, id, p, len);
		return 0;
	}
	text = cutstats_text(&g->stats, p, len, records_of, g->c, &len);
	dat7_option(g->w, id, text, len);
	free(text);
	return 0;
}

/* The CPUs of one buffer that have records. */
struct cut_reading {
	struct cut *c;
	struct cut_lane **lanes;
	int *cpus;
	unsigned n;
};

static ssize_t read_lane(void *arg, unsigned i, void *buf, size_t len, uint64_t at, struct err *e)
{
	struct cut_reading *r = arg;

	return row_read(&r->c->store, &r->lanes[i]->row, buf, len, at, e);
}

static int write_buffer(struct cut *c, struct dat7_writer *w, unsigned buffer, struct err *e)
{
	const struct buffer *b = &c->source->buffers[buffer];
	size_t room = (size_t)c->ncpus[buffer] + 1;
	uint32_t page_size = b->page_size;
	struct cut_reading r = { .c = c,
				 .lanes = mem_alloc(room * sizeof(struct cut_lane *)),
				 .cpus = mem_alloc(room * sizeof(int)) };
	int rc = 0;

	for (int i = 0; rc == 0 && i < c->ncpus[buffer]; i++) {
		struct cut_lane *l = &c->lanes[buffer][i];

		if (!l->pack)
			continue;
		page_size = l->page_size;
		r.lanes[r.n] = l;
		r.cpus[r.n++] = i;
		rc = pack_end(l->pack, e);
		if (rc == 0)
			rc = row_flush(&c->store, &l->row, e);
	}
	if (rc == 0)
		rc = dat7_buffer(w, b->name, b->declared_clock ? b->declared_clock : b->clock,
				 page_size, r.cpus, r.n, read_lane, &r, e);
	free(r.lanes);
	free(r.cpus);
	return rc;
}

/* Losses with no record after them have no place in a trace.dat: they are reported. */
static void say_trailing(const struct cut *c)
{
	uint64_t n = 0;
	bool some = false;

	for (unsigned i = 0; i < c->nbuffers; i++)
		for (int k = 0; k < c->ncpus[i]; k++) {
			uint32_t l = c->lanes[i][k].lost;

			some |= l == LOST_UNKNOWN;
			n += l == LOST_UNKNOWN ? 0 : l;
		}
	if (n || some)
		note_say(c->o.notes, NOTE_WARN,
			 "%s: %" PRIu64 " lost event%s%s after the last chosen record of their "
			 "CPU: not recorded in the cut",
			 c->o.path, n, plural(n), some ? ", and an unknown number," : "");
}

static int write_all(struct cut *c, struct writing *g, struct err *e)
{
	const struct metadata_taker to = { take_head, take_section, take_option, g };
	uint8_t cpus[4];

	TRY(c->source->ops->metadata(c->source, &to, e));
	bytes_put(cpus, c->source->cpu_count, sizeof(cpus), c->source->machine.big_endian);
	if (c->source->cpu_count)
		dat7_option(g->w, DAT_CPUCOUNT, cpus, sizeof(cpus));
	for (unsigned i = 0; i < c->nbuffers; i++)
		if (!c->source->buffers[i].text)
			TRY(write_buffer(c, g->w, i, e));
	TRY(dat7_options(g->w, e));
	return dat7_finish(g->w, e);
}

int cut_write(struct cut *c, int fd, struct err *e)
{
	struct writing g = { .c = c, .fd = fd };
	int rc;

	cutstats_init(&g.stats, c->source);
	rc = write_all(c, &g, e);
	cutstats_fini(&g.stats);
	dat7_writer_free(g.w);
	if (rc == 0)
		say_trailing(c);
	return rc;
}
