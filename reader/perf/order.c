// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order: merges sorted runs of entries by time.  Entries are in blocks, which are reused once all
 * their entries have been freed.
 */
#include "reader/perf/order.h"

#include "base/mem.h"

#include <stdlib.h>

#define BLOCK (256u << 10) /* bytes; the largest entry is that of a record of 64 KiB */
#define MAX_FREE 16

struct order_block {
	struct order_block *next, *prev;
	unsigned live; /* entries */
	size_t used, size;
	uint64_t bytes[];
};

static bool before(const struct entry *a, const struct entry *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

/* ---- memory ---- */

static struct order_block *new_block(struct order *o, size_t len)
{
	struct order_block *b = o->free_blocks;
	size_t size = len > BLOCK ? len : BLOCK;

	if (b && len <= b->size) {
		o->free_blocks = b->next;
		o->nfree--;
	} else {
		b = mem_alloc(sizeof(*b) + size);
		b->size = size;
	}
	o->bytes += b->size;
	b->live = 0;
	b->used = 0;
	b->prev = NULL;
	b->next = o->blocks;
	if (b->next)
		b->next->prev = b;
	o->blocks = b;
	return b;
}

struct entry *order_new(struct order *o, size_t len)
{
	size_t need = (sizeof(struct entry) + len + 7) & ~(size_t)7;
	struct order_block *b = o->blocks;
	struct entry *x;

	if (!b || need > b->size - b->used)
		b = new_block(o, need);
	x = (struct entry *)((uint8_t *)b->bytes + b->used);
	b->used += need;
	b->live++;
	x->block = b;
	return x;
}

void order_free(struct order *o, struct entry *x)
{
	struct order_block *b = x->block;

	if (--b->live)
		return;
	if (b == o->blocks) {
		b->used = 0;
		return;
	}
	b->prev->next = b->next;
	if (b->next)
		b->next->prev = b->prev;
	o->bytes -= b->size;
	if (o->nfree == MAX_FREE) {
		free(b);
		return;
	}
	b->next = o->free_blocks;
	o->free_blocks = b;
	o->nfree++;
}

static void free_blocks(struct order_block *b)
{
	while (b) {
		struct order_block *next = b->next;

		free(b);
		b = next;
	}
}

void order_fini(struct order *o)
{
	free_blocks(o->blocks);
	free_blocks(o->free_blocks);
	for (unsigned i = 0; i < o->n; i++)
		free(o->heap[i]);
	while (o->spare) {
		struct entry_run *next = o->spare->next;

		free(o->spare);
		o->spare = next;
	}
	free(o->heap);
}

/* ---- order ---- */

void order_add(struct order *o, struct entry *x)
{
	struct entry_run *r = o->last;
	unsigned i;

	x->seq = o->seq++;
	x->next = NULL;
	if (r && r->last->ts <= x->ts) {
		r->last->next = x;
		r->last = x;
		return;
	}
	r = o->spare;
	if (r)
		o->spare = r->next;
	else
		r = mem_alloc(sizeof(*r));
	r->first = r->last = x;
	o->last = r;
	o->heap = mem_grow(o->heap, &o->cap, o->n + 1, sizeof(struct entry_run *));
	for (i = o->n++; i && before(x, o->heap[(i - 1) / 2]->first); i = (i - 1) / 2)
		o->heap[i] = o->heap[(i - 1) / 2];
	o->heap[i] = r;
}

/* The first entry of the list at the top has changed. */
static void sift_down(struct order *o)
{
	struct entry_run *top = o->heap[0];
	unsigned i = 0;

	for (;;) {
		unsigned k = 2 * i + 1;

		if (k >= o->n)
			break;
		if (k + 1 < o->n && before(o->heap[k + 1]->first, o->heap[k]->first))
			k++;
		if (!before(o->heap[k]->first, top->first))
			break;
		o->heap[i] = o->heap[k];
		i = k;
	}
	o->heap[i] = top;
}

struct entry *order_take(struct order *o)
{
	struct entry_run *r = o->heap[0];
	struct entry *x = r->first;

	r->first = x->next;
	if (!r->first) {
		if (o->last == r)
			o->last = NULL;
		r->next = o->spare;
		o->spare = r;
		o->heap[0] = o->heap[--o->n];
	}
	if (o->n)
		sift_down(o);
	return x;
}
