/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agg_table: open addressing over an index of hashes and places, with linear probing; values and
 * keys are one after the other in chunks that never move.  The index grows by half.
 */
#include "analysis/aggregate/agg_table.h"

#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>

#define FIRST_SLOTS 16

static void index_new(struct agg_table *t, uint32_t nslots)
{
	t->nslots = nslots;
	t->full = nslots / 4 * 3;
	t->slots = mem_zalloc(nslots * sizeof(*t->slots));
}

void table_init(struct agg_table *t, size_t size)
{
	memset(t, 0, sizeof(*t));
	t->value = (uint32_t)((size + 7) / 8);
	t->factor = seed_new() | 1;
	index_new(t, FIRST_SLOTS);
}

void table_fini(struct agg_table *t)
{
	size_t i;

	for (i = 0; i < t->nchunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

static void put(struct agg_table *t, uint64_t slot)
{
	uint32_t i = table_slot(t, (uint32_t)(slot >> 32));

	while (t->slots[i])
		i = i + 1 == t->nslots ? 0 : i + 1;
	t->slots[i] = slot;
}

static void grow(struct agg_table *t)
{
	uint64_t *old = t->slots;
	uint32_t n = t->nslots, i;

	index_new(t, n + n / 2);
	for (i = 0; i < n; i++)
		if (old[i])
			put(t, old[i]);
	free(old);
}

/* Room for WORDS in one chunk; returns where they are. */
static uint32_t take_words(struct agg_table *t, uint32_t words)
{
	if (!t->nchunks || t->used + words > 1u << TABLE_CHUNK) {
		t->chunks = mem_grow(t->chunks, &t->cap_chunks, t->nchunks + 1, sizeof(*t->chunks));
		t->chunks[t->nchunks++] = mem_alloc(sizeof(uint64_t) << TABLE_CHUNK);
		t->used = 0;
	}
	t->used += words;
	return (uint32_t)((t->nchunks - 1) << TABLE_CHUNK) + t->used - words;
}

void *table_add(struct agg_table *t, const uint64_t *key, unsigned words, uint32_t hash)
{
	uint64_t *at;
	uint32_t ref;

	/* A reference has 32 bits; one value means "free". */
	if (t->n >= TABLE_MOST || words > TABLE_KEY || t->nchunks >= UINT32_MAX >> TABLE_CHUNK)
		return NULL;
	if (t->n >= t->full)
		grow(t);
	ref = take_words(t, t->value + words);
	at = table_entry(t, ref);
	memset(at, 0, t->value * sizeof(*at));
	if (words)
		memcpy(at + t->value, key, words * sizeof(*at));
	put(t, (uint64_t)hash << 32 | (ref + 1));
	t->n++;
	return at;
}

size_t table_bytes(const struct agg_table *t)
{
	return t->nslots * sizeof(*t->slots) + (t->nchunks * sizeof(uint64_t) << TABLE_CHUNK) +
	       t->cap_chunks * sizeof(*t->chunks);
}
