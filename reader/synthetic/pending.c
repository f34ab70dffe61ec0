// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pending: the table of starts.  They lie in one array, linked in buckets; a free one is used again
 * at once, while the processor still has it at hand.
 */
#include "reader/synthetic/pending.h"

#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64
#define MAX_LANES 65536 /* CPUs beyond share lanes */

static struct pending_start *at(const struct pending *p, uint32_t number)
{
	return (struct pending_start *)(p->starts + (size_t)(number - 1) * p->stride);
}

uint64_t pending_text(const struct pending *p, const char *s, size_t len)
{
	uint64_t h = p->seed ^ len;

	for (size_t i = 0; i < len; i += 8) {
		uint64_t part = 0;

		memcpy(&part, s + i, len - i < 8 ? len - i : 8);
		h = pending_mix(h, part) + p->seed;
	}
	return h;
}

static uint32_t *bucket_of(const struct pending *p, uint64_t hash)
{
	return &p->buckets[hash & (p->nbuckets - 1)];
}

void pending_init(struct pending *p, unsigned nkeys, size_t captured, uint32_t max)
{
	*p = (struct pending){ .nkeys = nkeys, .max = max };
	p->stride = offsetof(struct pending_start, keys) + nkeys * sizeof(uint64_t) + captured;
	p->stride = (p->stride + 7) & ~(size_t)7;
	p->nbuckets = FIRST_BUCKETS;
	p->buckets = mem_zalloc(p->nbuckets * sizeof(*p->buckets));
	p->seed = seed_new();
}

void pending_fini(struct pending *p)
{
	free(p->starts);
	free(p->buckets);
	free(p->lanes);
	*p = (struct pending){ .n = 0 };
}

static void put_free(struct pending *p, struct pending_start *s)
{
	uint32_t number = (uint32_t)(((uint8_t *)s - p->starts) / p->stride) + 1;

	s->epoch = 0;
	s->next = p->free;
	p->free = number;
}

static bool is_stale(const struct pending *p, const struct pending_start *s)
{
	return s->epoch != p->lanes[s->lane].epoch;
}

/* Link all starts anew, in NBUCKETS; those that were dropped become free. */
static void relink(struct pending *p, uint32_t nbuckets)
{
	uint32_t *old = p->buckets, nold = p->nbuckets;

	p->buckets = mem_zalloc(nbuckets * sizeof(*p->buckets));
	p->nbuckets = nbuckets;
	for (uint32_t b = 0; b < nold; b++) {
		uint32_t turned = 0, number, next;

		/* Twice round, so that the later of two stays before the earlier. */
		for (number = old[b]; number; number = next) {
			next = at(p, number)->next;
			at(p, number)->next = turned;
			turned = number;
		}
		for (number = turned; number; number = next) {
			struct pending_start *s = at(p, number);
			uint32_t *to = bucket_of(p, pending_hash(p, s->keys));

			next = s->next;
			if (is_stale(p, s)) {
				put_free(p, s);
				continue;
			}
			s->next = *to;
			*to = number;
		}
	}
	free(old);
	p->stale = 0;
}

static bool has_keys(const struct pending *p, const struct pending_start *s, const uint64_t *keys)
{
	for (unsigned i = 0; i < p->nkeys; i++)
		if (s->keys[i] != keys[i])
			return false;
	return true;
}

struct pending_start *pending_find(struct pending *p, const uint64_t *keys, uint64_t hash)
{
	uint32_t *link = bucket_of(p, hash);

	while (*link) {
		struct pending_start *s = at(p, *link);

		if (is_stale(p, s)) {
			*link = s->next;
			put_free(p, s);
			p->stale--;
		} else if (has_keys(p, s, keys)) {
			p->link = link;
			return s;
		} else {
			link = &s->next;
		}
	}
	return NULL;
}

static uint32_t lane_of(struct pending *p, int lane)
{
	uint32_t l = (uint32_t)lane % MAX_LANES;

	while (l >= p->nlanes) {
		size_t was = p->nlanes;

		p->lanes = mem_grow(p->lanes, &p->nlanes, l + 1, sizeof(*p->lanes));
		for (size_t i = was; i < p->nlanes; i++)
			p->lanes[i] = (struct pending_lane){ .epoch = 1 };
	}
	return l;
}

/* The number of a free place; 0: there is none. */
static uint32_t take_free(struct pending *p)
{
	uint32_t number = p->free;

	if (!number && p->stale) {
		relink(p, p->nbuckets);
		number = p->free;
	}
	if (number) {
		p->free = at(p, number)->next;
		return number;
	}
	if (p->n == p->max)
		return 0;
	p->starts = mem_grow(p->starts, &p->cap, (p->n + 1) * p->stride, 1);
	if (p->n == p->nbuckets)
		relink(p, p->nbuckets * 2);
	return ++p->n;
}

struct pending_start *pending_add(struct pending *p, const uint64_t *keys, uint64_t hash, int lane)
{
	uint32_t l = lane_of(p, lane), number = take_free(p), *bucket;
	struct pending_start *s;

	if (!number)
		return NULL;
	s = at(p, number);
	bucket = bucket_of(p, hash);
	s->next = *bucket;
	*bucket = number;
	s->lane = l;
	s->epoch = p->lanes[l].epoch;
	s->ts = 0;
	memcpy(s->keys, keys, p->nkeys * sizeof(*keys));
	p->lanes[l].live++;
	p->live++;
	return s;
}

void pending_remove(struct pending *p, struct pending_start *s)
{
	*p->link = s->next;
	p->lanes[s->lane].live--;
	p->live--;
	put_free(p, s);
}

static uint32_t drop(struct pending *p, struct pending_lane *l)
{
	uint32_t n = l->live;

	if (!n)
		return 0;
	/* 0 is that of free ones. */
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
		const struct pending_start *s = at(p, ++*i);

		if (s->epoch && !is_stale(p, s))
			return s;
	}
	return NULL;
}
