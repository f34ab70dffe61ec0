// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_ends: the times of the first and the last event of each CPU, from the first and the last
 * packets of its files, and when the last events of all begin.  Which packet is the last one with
 * events is known from the index, or from the heads of all packets; where these do not follow each
 * other in time, all events are read.
 */
#include "base/mem.h"
#include "reader/ctf/packet_head.h"

#include <stdlib.h>
#include <string.h>

/*
 * What is read beside the run: whatever reading counts, or would report, is not the run's.  A
 * window without limits has no more read of a file than is needed.
 */
struct beside {
	struct ctf t;
	struct ctf_trace trace;
	struct ctf_cpu cpu, *cpus[1];
};

/* Of one file. */
struct file_ends {
	struct period period;
	uint64_t first, last; /* numbers of packets */
	bool numbered;
	bool loses; /* events, between its first and its last one */
};

static void begin_beside(struct beside *b, const struct ctf *t)
{
	b->t = *t;
	b->t.notes = NULL;
	b->t.cpus = b->cpus;
	b->t.ncpus = 1;
	b->t.nopen = 0;
	b->cpu = (struct ctf_cpu){ .of = &b->t, .cpu = -1 };
	b->cpu.counts = &b->cpu.base;
	b->cpu.base.may_skip = true;
	b->cpu.base.end = UINT64_MAX;
	b->cpus[0] = &b->cpu;
}

/* The file of F, from its begin. */
static struct ctf_packets *reopen(struct beside *b, const struct ctf_packets *f)
{
	struct input in = f->in;
	struct ctf_packets *twin;

	b->trace = *f->trace;
	b->trace.overlapping = 0;
	in.path = mem_strdup(f->in.path);
	in.fd = -1;
	in.failed = NULL;
	twin = ctf_packets_new(&b->t, &b->trace, &in, f->cpu);
	twin->to = &b->cpu;
	twin->all = true;
	return twin;
}

static bool has_events(const struct ctf_packets *f)
{
	return f->bits.pos < f->bits.end;
}

static void note_number(struct file_ends *x, const struct ctf_packets *f)
{
	if (!ctf_has(f, ROLE_PACKET_NUMBER))
		return;
	if (!x->numbered)
		x->first = f->number;
	x->last = f->number;
	x->numbered = true;
}

/* ---- the last packet with events ---- */

/* Do the packets follow each other in time, and do they fill the file? */
static bool is_in_order(const struct ctf_index *x, uint64_t size)
{
	const struct ctf_index_entry *last = x->n ? &x->v[x->n - 1] : NULL;

	for (unsigned i = 1; i < x->n; i++)
		if (x->v[i].begin < x->v[i - 1].end)
			return false;
	return last && last->offset + last->size == size;
}

static struct ctf_mark mark_of(const struct ctf_index *x, unsigned i)
{
	struct ctf_mark m = { .packet = x->v[i].offset };

	if (!i)
		return m;
	m.discarded = x->v[i - 1].discarded;
	m.number = x->v[i - 1].number;
	m.numbered = x->numbered;
	m.finish = m.clock = x->v[i - 1].end;
	return m;
}

/* By the index X, as far as the heads agree with it.  False: they do not, or it has none. */
static bool last_by_index(struct ctf_packets *f, const struct ctf_index *x, struct file_ends *out,
			  struct ctf_mark *last)
{
	struct err e;

	if (!x || !is_in_order(x, f->in.size))
		return false;
	for (unsigned i = x->n; i-- > 0;) {
		struct ctf_mark m = mark_of(x, i);

		ctf_packets_go(f, &m);
		if (ctf_packets_head(f, &e) != PULL_OK || !ctf_window_agrees(f, &x->v[i]) ||
		    ctf_has(f, ROLE_PACKET_NUMBER) != x->numbered)
			return false;
		if (i == x->n - 1) {
			note_number(out, f);
			out->first = x->v[0].number;
			out->loses = x->v[i].discarded ||
				     (x->numbered && out->last - out->first != i);
		}
		if (has_events(f)) {
			*last = m;
			return true;
		}
	}
	return false;
}

/* By the heads of all packets.  False: they are not in order, or not all of them can be read. */
static bool last_by_heads(struct ctf_packets *f, struct file_ends *out, struct ctf_mark *last)
{
	bool in_order = true, found = false;
	enum pull rc;
	struct err e;

	while ((rc = ctf_packets_head(f, &e)) != PULL_EOF) {
		in_order &= rc == PULL_OK && ctf_has(f, ROLE_PACKET_BEGIN) &&
			    ctf_has(f, ROLE_PACKET_END) && !f->trace->overlapping;
		if (rc != PULL_OK)
			continue;
		note_number(out, f);
		if (has_events(f)) {
			*last = f->mark;
			found = true;
		}
	}
	out->loses = f->lost || f->lost_some || f->later;
	return in_order && found;
}

/* ---- the events at the ends ---- */

/* Read from M on: the first event, or (ALL) each up to the end. */
static void read_from(struct ctf_packets *f, const struct ctf_mark *m, bool all,
		      struct file_ends *out)
{
	enum pull rc;
	struct err e;

	ctf_packets_go(f, m);
	while ((rc = ctf_packets_next(f, &e)) != PULL_EOF) {
		out->loses |= rc == PULL_ERR;
		if (rc != PULL_OK)
			continue;
		if (!f->known)
			break;
		if (f->ts < out->period.first)
			out->period.first = f->ts;
		if (f->ts > out->period.last)
			out->period.last = f->ts;
		if (!all)
			break;
	}
}

static struct file_ends ends_of(struct beside *b, const struct ctf_packets *of)
{
	static const struct ctf_mark begin;
	struct file_ends x = { .period = PERIOD_NONE };
	struct ctf_packets *f = reopen(b, of);
	struct ctf_mark last;
	bool found;

	f->index = ctf_index_read(&b->t, &b->trace, &f->in);
	f->indexed = true;
	found = last_by_index(f, f->index, &x, &last);
	if (!found) {
		x = (struct file_ends){ .period = PERIOD_NONE };
		ctf_packets_go(f, &begin);
		f->lost = f->later = 0;
		f->lost_some = false;
		b->trace.overlapping = 0;
		found = last_by_heads(f, &x, &last);
	}
	read_from(f, &begin, !found, &x);
	if (found)
		read_from(f, &last, true, &x);
	ctf_packets_free(f);
	return x;
}

/* ---- all files ---- */

static struct period *place_of(const struct ctf *t, const struct ctf_packets *f, struct period *v)
{
	for (unsigned i = 0; i < t->ncpus; i++)
		if (t->cpus[i] == f->to)
			return &v[i];
	return NULL;
}

static void widen(struct period *p, const struct period *by)
{
	if (by->first < p->first)
		p->first = by->first;
	if (by->last > p->last)
		p->last = by->last;
}

/* Packets are missing between the file of F and the one that it continues. */
static bool has_gap(const struct ctf_packets *f, const struct file_ends *ends)
{
	const struct file_ends *x = &ends[f->num], *before = f->after ? &ends[f->after->num] : x;

	return f->after && x->numbered && before->numbered && x->first > before->last + 1;
}

void ctf_ends(struct source *s, struct period *v)
{
	struct ctf *t = (struct ctf *)s;
	struct file_ends *ends = mem_alloc((t->nfiles + 1) * sizeof(*ends));
	struct beside b;

	s->lossless = true;
	begin_beside(&b, t);
	for (unsigned i = 0; i < t->nfiles; i++) {
		struct period *to = place_of(t, t->files[i], v);

		ends[i] = ends_of(&b, t->files[i]);
		if (to)
			widen(to, &ends[i].period);
		s->lossless &= !ends[i].loses;
	}
	for (unsigned i = 0; i < t->nfiles; i++)
		s->lossless &= !has_gap(t->files[i], ends);
	free(ends);
}

/* ---- the last events of all files ---- */

#define MOST_LAST 16384	 /* events */
#define MOST_PACKETS 256 /* of one file, in which they are looked for */

/* Times, of which the N latest count. */
struct latest {
	uint64_t *v;
	size_t n, cap, want;
};

static int later_first(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? 1 : *a > *b ? -1 : 0;
}

/* The time of the Nth latest; 0: there are fewer. */
static uint64_t nth_latest(struct latest *l)
{
	if (l->n < l->want)
		return 0;
	qsort(l->v, l->n, sizeof(*l->v), later_first);
	l->n = l->want;
	return l->v[l->n - 1];
}

static void add_time(struct latest *l, uint64_t ts)
{
	if (l->n >= 2 * l->want)
		nth_latest(l);
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = ts;
}

/*
 * The last packets of F with events, at most MOST_PACKETS, into MARKS, used as a ring: the latest
 * one is at *N - 1.  False: they do not follow each other in time.
 */
static bool last_packets(struct ctf_packets *f, struct ctf_mark *marks, uint64_t *n)
{
	const struct ctf_index *x = f->index;
	enum pull rc;
	struct err e;

	*n = 0;
	if (x && is_in_order(x, f->in.size)) {
		unsigned from = x->n > MOST_PACKETS ? x->n - MOST_PACKETS : 0;
		struct ctf_mark m = mark_of(x, from);

		ctf_packets_go(f, &m);
	}
	while ((rc = ctf_packets_head(f, &e)) != PULL_EOF) {
		if (rc != PULL_OK || !ctf_has(f, ROLE_PACKET_BEGIN) ||
		    !ctf_has(f, ROLE_PACKET_END) || f->trace->overlapping)
			return false;
		if (has_events(f))
			marks[(*n)++ % MOST_PACKETS] = f->mark;
	}
	return true;
}

/* The times of the events in the packet at M.  False: it is before all that count. */
static bool take_packet(struct ctf_packets *f, const struct ctf_mark *m, struct latest *l)
{
	uint64_t least = nth_latest(l);
	struct err e;

	ctf_packets_go(f, m);
	if (ctf_packets_head(f, &e) != PULL_OK || ctf_time(f->t, f->types, f->finish) < least)
		return false;
	while (ctf_packets_next(f, &e) == PULL_OK && f->known && f->packet == m->packet)
		add_time(l, f->ts);
	return true;
}

/* False: where the last events of F are is not known. */
static bool take_last(struct beside *b, const struct ctf_packets *of, struct latest *l)
{
	struct ctf_mark *marks = mem_alloc(MOST_PACKETS * sizeof(*marks));
	struct ctf_packets *f = reopen(b, of);
	uint64_t n;
	bool known;

	f->index = ctf_index_read(&b->t, &b->trace, &f->in);
	f->indexed = true;
	known = last_packets(f, marks, &n);
	for (uint64_t k = 0; known && k < n && k < MOST_PACKETS; k++)
		if (!take_packet(f, &marks[(n - 1 - k) % MOST_PACKETS], l))
			break;
	ctf_packets_free(f);
	free(marks);
	return known;
}

/* Is there a file of which less would be read? */
static bool may_skip_any(const struct ctf *t)
{
	for (unsigned i = 0; i < t->nfiles; i++)
		if (ctf_window_may_skip_head(t->files[i]))
			return true;
	return false;
}

uint64_t ctf_last(struct source *s, uint64_t n)
{
	struct ctf *t = (struct ctf *)s;
	struct latest l = { .want = n };
	bool known = n && n <= MOST_LAST && may_skip_any(t);
	struct beside b;
	uint64_t from;

	begin_beside(&b, t);
	/* The latest chunks come last. */
	for (unsigned i = t->nfiles; known && i-- > 0;)
		known = take_last(&b, t->files[i], &l);
	from = known ? nth_latest(&l) : 0;
	free(l.v);
	return from;
}
