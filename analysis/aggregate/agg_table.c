/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agg_table: values and keys, one after the other in chunks that never move, and an index of them.
 */
#include "analysis/aggregate/agg_table.h"

#include "base/mem.h"

#include <stdlib.h>

void table_init(struct agg_table *t, size_t size)
{
	memset(t, 0, sizeof(*t));
	t->value = (uint32_t)((size + 7) / 8);
	index_begin(&t->index);
}

void table_fini(struct agg_table *t)
{
	size_t i;

	for (i = 0; i < t->nchunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	index_fini(&t->index);
	memset(t, 0, sizeof(*t));
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
	if (t->index.n >= TABLE_MOST || words > TABLE_KEY ||
	    t->nchunks >= UINT32_MAX >> TABLE_CHUNK)
		return NULL;
	ref = take_words(t, t->value + words);
	at = table_entry(t, ref);
	memset(at, 0, t->value * sizeof(*at));
	if (words)
		memcpy(at + t->value, key, words * sizeof(*at));
	index_add(&t->index, hash, ref);
	return at;
}

size_t table_bytes(const struct agg_table *t)
{
	return index_bytes(&t->index) + (t->nchunks * sizeof(uint64_t) << TABLE_CHUNK) +
	       t->cap_chunks * sizeof(*t->chunks);
}
