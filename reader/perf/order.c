// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order: merges sorted runs of records by time.  A run is a list of stretches, each in one block: a
 * stretch ends where its block does, and at a record that does not wait.
 */
#include "reader/perf/order.h"

#include "base/mem.h"
#include "trace/field.h"

#include <stdlib.h>

/* ---- a waiting record ---- */

#define TYPE_BITS 16

/* R's bytes, which its block owns. */
static uint8_t *bytes_of(const struct record *r)
{
	return r->block->bytes + (r->p - r->block->bytes);
}

static void mark(const struct record *r, const struct perf_attr *a)
{
	field_store(bytes_of(r), 4, false, (a ? a->number : 0) << TYPE_BITS | r->type);
}

static uint32_t marked_type(const uint8_t *p)
{
	return field_load(p, 4, false) & ((1u << TYPE_BITS) - 1);
}

static const struct perf_attr *marked_attr(const struct order *o, const uint8_t *p)
{
	return o->attrs->v[field_load(p, 4, false) >> TYPE_BITS];
}

static uint16_t size_of(const struct order *o, const uint8_t *p)
{
	return field_load(p + 6, 2, o->swap);
}

/* The time of the record at P; BEFORE: the largest before it. */
static uint64_t time_of(const struct order *o, const uint8_t *p, uint64_t before)
{
	unsigned at;

	switch (marked_type(p)) {
	case RECORD_SAMPLE:
		at = marked_attr(o, p)->at.time;
		if (at == NOWHERE)
			return before;
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		at = FORK_TIME;
		break;
	default:
		at = size_of(o, p) - marked_attr(o, p)->end_time;
		break;
	}
	return field_load(p + at, 8, o->swap);
}

/* ---- runs ---- */

static struct order_stretch *new_stretch(struct order *o, const struct record *r)
{
	struct order_stretch *s = o->spare_stretches;

	if (s)
		o->spare_stretches = s->next;
	else
		s = mem_alloc(sizeof(*s));
	*s = (struct order_stretch){
		.block = r->block,
		.at = bytes_of(r),
		.end = bytes_of(r) + r->size,
		.off = r->off,
		.seq = o->seq,
		.largest = o->largest,
		.unpacked = r->unpacked,
	};
	r->block->users++;
	o->bytes += sizeof(*s);
	return s;
}

static void free_stretch(struct order *o, struct order_stretch *s)
{
	s->next = o->spare_stretches;
	o->spare_stretches = s;
	o->bytes -= sizeof(*s);
}

static struct order_run *new_run(struct order *o)
{
	struct order_run *r = o->spare_runs;

	if (r)
		o->spare_runs = r->next;
	else
		r = mem_alloc(sizeof(*r));
	o->bytes += sizeof(*r);
	return r;
}

static void free_run(struct order *o, struct order_run *r)
{
	if (o->last == r)
		o->last = NULL;
	r->next = o->spare_runs;
	o->spare_runs = r;
	o->bytes -= sizeof(*r);
}

/* R's first stretch, or the record it begins with, has changed. */
static void find_first(const struct order *o, struct order_run *r)
{
	struct order_stretch *s = r->first;

	r->seq = s->seq;
	r->ts = time_of(o, s->at, s->largest);
	if (r->ts > s->largest)
		s->largest = r->ts;
}

/* Does R follow the last record of S directly? */
static bool continues(const struct order_stretch *s, const struct record *r)
{
	return s->block == r->block && s->end == r->p && s->unpacked == r->unpacked &&
	       (!r->unpacked || s->off == r->off);
}

static void append(struct order *o, struct order_run *run, const struct record *r)
{
	if (continues(run->last, r)) {
		run->last->end += r->size;
		return;
	}
	run->last->next = new_stretch(o, r);
	run->last = run->last->next;
}

/* ---- the heap ---- */

static bool before(const struct order_run *a, const struct order_run *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

static void add_run(struct order *o, struct order_run *r)
{
	unsigned i;

	o->heap = mem_grow(o->heap, &o->cap, o->n + 1, sizeof(struct order_run *));
	for (i = o->n++; i && before(r, o->heap[(i - 1) / 2]); i = (i - 1) / 2)
		o->heap[i] = o->heap[(i - 1) / 2];
	o->heap[i] = r;
}

/* The first record of the run at the top has changed. */
static void sift_down(struct order *o)
{
	struct order_run *top = o->heap[0];
	unsigned i = 0;

	for (;;) {
		unsigned k = 2 * i + 1;

		if (k >= o->n)
			break;
		if (k + 1 < o->n && before(o->heap[k + 1], o->heap[k]))
			k++;
		if (!before(o->heap[k], top))
			break;
		o->heap[i] = o->heap[k];
		i = k;
	}
	o->heap[i] = top;
}

/* ---- in and out ---- */

void order_add(struct order *o, const struct record *r, const struct perf_attr *a, uint64_t ts)
{
	struct order_run *run = o->last;

	mark(r, a);
	if (run && run->last_ts <= ts) {
		append(o, run, r);
	} else {
		run = new_run(o);
		run->first = run->last = new_stretch(o, r);
		find_first(o, run);
		add_run(o, run);
		o->last = run;
	}
	run->last_ts = ts;
	o->seq++;
	if (ts > o->largest)
		o->largest = ts;
}

/* The record that S begins with, its type as it was read. */
static void unmark(const struct order *o, const struct order_stretch *s, struct due *d)
{
	d->attr = o->attrs->n ? marked_attr(o, s->at) : NULL;
	d->r = (struct record){
		.type = marked_type(s->at),
		.misc = field_load(s->at + 4, 2, o->swap),
		.size = size_of(o, s->at),
		.off = s->off,
		.p = s->at,
		.block = s->block,
		.unpacked = s->unpacked,
	};
	field_store(s->at, 4, o->swap, d->r.type);
}

static void drop_taken(struct order *o)
{
	if (o->taken)
		blocks_drop(o->blocks, o->taken);
	o->taken = NULL;
}

void order_take(struct order *o, struct due *d)
{
	struct order_run *run = o->heap[0];
	struct order_stretch *s = run->first;

	drop_taken(o);
	unmark(o, s, d);
	d->ts = run->ts;
	s->at += d->r.size;
	s->off += s->unpacked ? 0 : d->r.size;
	s->seq++;
	if (s->at == s->end) {
		o->taken = s->block;
		run->first = s->next;
		free_stretch(o, s);
	}
	if (run->first) {
		find_first(o, run);
	} else {
		o->heap[0] = o->heap[--o->n];
		free_run(o, run);
	}
	if (o->n > 1)
		sift_down(o);
}

static void free_stretches(struct order_stretch *s)
{
	while (s) {
		struct order_stretch *next = s->next;

		free(s);
		s = next;
	}
}

void order_fini(struct order *o)
{
	drop_taken(o);
	for (unsigned i = 0; i < o->n; i++) {
		for (const struct order_stretch *s = o->heap[i]->first; s; s = s->next)
			blocks_drop(o->blocks, s->block);
		free_stretches(o->heap[i]->first);
		free(o->heap[i]);
	}
	while (o->spare_runs) {
		struct order_run *next = o->spare_runs->next;

		free(o->spare_runs);
		o->spare_runs = next;
	}
	free_stretches(o->spare_stretches);
	free(o->heap);
}
