// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pending: the table of starts.  They are in one array; a free one is reused at once, while it is
 * still in the cache.  The index uses open addressing, with linear probing, in the order of hashes.
 */
#include "run/synthetic/pending.h"

#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_STARTS 64
#define FIRST_SLOTS 256
#define CACHED_SLOTS 65536 /* a larger index is mostly not in the cache */
#define LINE 64		   /* bytes of a cache's line */
#define HUGE (2u << 20)	   /* bytes of a large page */
#define MAX_LANES 65536	   /* CPUs beyond share lanes */

uint64_t pending_text(const struct pending *p, const char *s, size_t len)
{
	uint64_t h = p->seed ^ len;

	for (size_t i = 0; i < len; i += 8) {
		uint64_t part = 0;

		memcpy(&part, s + i, len - i < 8 ? len - i : 8);
		h = pending_mix(h, le64toh(part)) + p->seed;
	}
	return h;
}

/* Random access to much memory is faster with few pages; a refusal does no harm. */
static void ask_for_large_pages(void *p, size_t size)
{
	uintptr_t from = ((uintptr_t)p + HUGE - 1) / HUGE * HUGE;

	if (size < 2 * HUGE)
		return;
	size -= from - (uintptr_t)p;
	madvise((void *)from, size / HUGE * HUGE, MADV_HUGEPAGE);
}

static void new_index(struct pending *p, uint32_t nslots)
{
	p->nslots = nslots;
	/* A small index has much room, so that most searches end where they begin. */
	p->full = nslots / (nslots > CACHED_SLOTS ? 2 : 4);
	p->shift = 64 - (unsigned)__builtin_ctz(nslots);
	p->slots = mem_zalloc(nslots * sizeof(*p->slots));
	ask_for_large_pages(p->slots, nslots * sizeof(*p->slots));
}

void pending_init(struct pending *p, unsigned nkeys, size_t captured, uint32_t max)
{
	size_t stride, most;

	stride = offsetof(struct pending_start, keys) + nkeys * sizeof(uint64_t) + captured;
	stride = (stride + LINE - 1) / LINE * LINE;
	/* A quarter of the places may be taken by dropped starts. */
	most = PENDING_BYTES / stride / 4 * 3;
	*p = (struct pending){ .nkeys = nkeys, .stride = stride, .max = max };
	if (most < max) {
		p->max = (uint32_t)most;
		p->by_size = true;
	}
	new_index(p, FIRST_SLOTS);
	p->seed = seed_new();
}

void pending_fini(struct pending *p)
{
	free(p->raw);
	free(p->slots);
	free(p->lanes);
	*p = (struct pending){ .n = 0 };
}

/* ---- starts ---- */

static inline void put_free(struct pending *p, struct pending_start *s, uint32_t number)
{
	s->epoch = 0;
	s->next = p->free;
	p->free = number;
}

/* Room for twice as many.  Large pages are requested before the memory is used. */
static void grow(struct pending *p)
{
	uint32_t cap = p->cap ? p->cap * 2 : FIRST_STARTS;
	size_t size = cap * p->stride, line = size < 2 * HUGE ? LINE : HUGE;
	uint8_t *raw = mem_alloc(size + line), *starts = raw + -(uintptr_t)raw % line;

	ask_for_large_pages(starts, size);
	if (p->n)
		memcpy(starts, p->starts, p->n * p->stride);
	free(p->raw);
	p->raw = raw;
	p->starts = starts;
	p->cap = cap;
}

/* The number of a place that was never used. */
static uint32_t new_place(struct pending *p)
{
	if (p->n == p->cap)
		grow(p);
	return ++p->n;
}

/* ---- the index ---- */

static inline void put_slot(struct pending *p, uint64_t slot)
{
	uint32_t i = pending_home(p, slot);

	while (p->slots[i])
		i = pending_behind(p, i);
	p->slots[i] = slot;
}

/* Free slot I, and move up the entries after it that belong before it. */
static inline void take_slot(struct pending *p, uint32_t i)
{
	uint32_t k = i, round = p->nslots - 1;

	p->taken--;
	while (p->slots[k = pending_behind(p, k)]) {
		uint32_t home = pending_home(p, p->slots[k]);

		/* Is its home slot not between the gap and itself, counting round the end? */
		if (((k - home) & round) >= ((k - i) & round)) {
			p->slots[i] = p->slots[k];
			i = k;
		}
	}
	p->slots[i] = 0;
}

static void resize(struct pending *p, uint32_t nslots)
{
	uint64_t *old = p->slots;
	uint32_t nold = p->nslots;

	new_index(p, nslots);
	for (uint32_t i = 0; i < nold; i++)
		if (old[i])
			put_slot(p, old[i]);
	free(old);
}

/* Remove dropped starts from the chain that begins at NUMBER; returns its new first. */
static uint32_t swept(struct pending *p, uint32_t number)
{
	uint32_t first = 0, *link = &first;

	while (number) {
		struct pending_start *s = pending_at(p, number);
		uint32_t next = s->next;

		if (pending_is_stale(p, s)) {
			put_free(p, s, number);
		} else {
			*link = number;
			link = &s->next;
		}
		number = next;
	}
	*link = 0;
	return first;
}

/* Free all starts that were dropped. */
static void sweep(struct pending *p)
{
	p->taken = 0;
	for (uint32_t i = 0; i < p->nslots; i++) {
		uint32_t first = p->slots[i] ? swept(p, (uint32_t)p->slots[i]) : 0;

		p->slots[i] = first ? (p->slots[i] >> 32 << 32 | first) : 0;
		p->taken += first != 0;
	}
	p->stale = 0;
	/* Entries after a gap would not be found: insert all again. */
	resize(p, p->nslots);
}

/* ---- interface ---- */

/* Take the last start out of slot I; its place becomes free. */
static inline void take_last(struct pending *p, uint32_t i, struct pending_start *s)
{
	uint32_t number = (uint32_t)p->slots[i], next = s->next;

	put_free(p, s, number);
	if (next)
		p->slots[i] = p->slots[i] >> 32 << 32 | next;
	else
		take_slot(p, i);
}

struct pending_start *pending_clean(struct pending *p, uint32_t slot)
{
	struct pending_start *s;
	uint32_t next;

	do {
		s = pending_at(p, (uint32_t)p->slots[slot]);
		if (!pending_is_stale(p, s))
			return s;
		next = s->next;
		take_last(p, slot, s);
		p->stale--;
	} while (next);
	return NULL;
}

static inline uint32_t lane_of(struct pending *p, int lane)
{
	uint32_t l = (uint32_t)lane % MAX_LANES;

	while (__builtin_expect(l >= p->nlanes, 0)) {
		size_t was = p->nlanes;

		p->lanes = mem_grow(p->lanes, &p->nlanes, l + 1, sizeof(*p->lanes));
		for (size_t i = was; i < p->nlanes; i++)
			p->lanes[i] = (struct pending_lane){ .epoch = 1 };
	}
	return l;
}

/* A free place, and its number; NULL: none. */
static inline struct pending_start *take_place(struct pending *p, uint32_t *number)
{
	struct pending_start *s;

	if (p->live == p->max)
		return NULL;
	/* A sweep visits all starts; enough are freed to make up for it. */
	if (!p->free && p->stale > p->n / 4)
		sweep(p);
	*number = p->free;
	if (!*number) {
		*number = new_place(p);
		return pending_at(p, *number);
	}
	s = pending_at(p, *number);
	p->free = s->next;
	return s;
}

/* A start with these KEYS in a place of its own.  NULL: there is no room. */
static inline struct pending_start *new_start(struct pending *p, const uint64_t *keys, int lane,
					      uint32_t *number)
{
	uint32_t l = lane_of(p, lane);
	struct pending_start *s = take_place(p, number);

	if (s)
		pending_begin(p, s, keys, &p->lanes[l]);
	return s;
}

struct pending_start *pending_add_first(struct pending *p, const uint64_t *keys, uint64_t hash,
					int lane)
{
	uint32_t number;
	struct pending_start *s = new_start(p, keys, lane, &number);

	if (!s)
		return NULL;
	if (p->taken++ >= p->full)
		resize(p, p->nslots * 2);
	put_slot(p, hash >> 32 << 32 | number);
	return s;
}

struct pending_start *pending_add(struct pending *p, const uint64_t *keys, uint64_t hash, int lane)
{
	uint32_t number, slot;
	struct pending_start *s;

	if (!pending_slot(p, keys, hash, &slot))
		return pending_add_first(p, keys, hash, lane);
	s = new_start(p, keys, lane, &number);
	/* A sweep may have moved or removed it. */
	if (s && pending_slot(p, keys, hash, &slot)) {
		s->next = (uint32_t)p->slots[slot];
		p->slots[slot] = hash >> 32 << 32 | number;
	} else if (s) {
		p->taken++;
		put_slot(p, hash >> 32 << 32 | number);
	}
	return s;
}

void pending_remove(struct pending *p, struct pending_start *s)
{
	p->lanes[s->lane].live--;
	p->live--;
	take_last(p, p->found, s);
}

static uint32_t drop(struct pending *p, struct pending_lane *l)
{
	uint32_t n = l->live;

	if (!n)
		return 0;
	/* 0 marks free ones. */
	l->epoch = l->epoch == UINT32_MAX ? 1 : l->epoch + 1;
	l->live = 0;
	p->live -= n;
	p->stale += n;
	return n;
}

uint32_t pending_drop(struct pending *p, int lane)
{
	uint32_t number = lane_of(p, lane);

	return drop(p, &p->lanes[number]);
}

uint32_t pending_drop_all(struct pending *p)
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->nlanes; i++)
		n += drop(p, &p->lanes[i]);
	return n;
}

const struct pending_start *pending_next(const struct pending *p, uint32_t *i)
{
	while (*i < p->n) {
		const struct pending_start *s = pending_at(p, ++*i);

		if (s->epoch && !pending_is_stale(p, s))
			return s;
	}
	return NULL;
}
