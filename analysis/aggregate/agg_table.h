/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_AGG_TABLE_H
#define ZED_ANALYSIS_AGGREGATE_AGG_TABLE_H

#include "base/hash_index.h"

#include <string.h>

/*
 * A hash table that only grows: keys of whole 64-bit words, each with a value; all values have the
 * same size.  Values stay where they are until the table is freed; a new one is zero.  An entry
 * takes its value, its key, and its part of the index.
 */
struct agg_table {
	struct hash_index index; /* numbers: the places of entries */
	uint64_t **chunks;
	size_t nchunks, cap_chunks;
	uint32_t used;	/* words of the last chunk */
	uint32_t value; /* words of a value */
};

#define TABLE_CHUNK 13			    /* a chunk has 2^13 words: 64 KiB */
#define TABLE_KEY (1u << (TABLE_CHUNK - 1)) /* words of a key, at most */
#define TABLE_MOST (1u << 27)		    /* entries of a table, at most */

/* SIZE: bytes of a value. */
void table_init(struct agg_table *t, size_t size);
void table_fini(struct agg_table *t);

/* Add a key that is not there yet.  NULL: the table has no room for it. */
void *table_add(struct agg_table *t, const uint64_t *key, unsigned words, uint32_t hash);

static inline uint32_t table_hash(const struct agg_table *t, const uint64_t *key, unsigned words)
{
	uint64_t h = 0;
	unsigned i;

	for (i = 0; i < words; i++)
		h = index_mix(&t->index, h, key[i]);
	return index_folded(h);
}

static inline uint64_t *table_entry(const struct agg_table *t, uint32_t ref)
{
	return t->chunks[ref >> TABLE_CHUNK] + (ref & ((1u << TABLE_CHUNK) - 1));
}

/*
 * The value of that key, or NULL.  No key is the beginning of another (key.h), so as many words are
 * compared as the wanted key has, if these are still in the chunk.
 */
static inline void *table_find(const struct agg_table *t, const uint64_t *key, unsigned words,
			       uint32_t hash)
{
	uint32_t slot = index_home(&t->index, hash), ref;
	uint64_t *at;
	unsigned k;

	while (index_next(&t->index, hash, &slot, &ref)) {
		if ((ref & ((1u << TABLE_CHUNK) - 1)) + t->value + words > 1u << TABLE_CHUNK)
			continue;
		at = table_entry(t, ref);
		for (k = 0; k < words && at[t->value + k] == key[k];)
			k++;
		if (k == words)
			return at;
	}
	return NULL;
}

/* The key of the entry with the value VALUE. */
static inline const uint64_t *table_key(const struct agg_table *t, const void *value)
{
	return (const uint64_t *)value + t->value;
}

/*
 * Each value once, in the order of their hashes: begins with *SLOT 0; NULL: no more.  No key may be
 * added meanwhile.
 */
static inline void *table_next(const struct agg_table *t, uint32_t *slot)
{
	uint32_t ref;

	return index_each(&t->index, slot, &ref) ? table_entry(t, ref) : NULL;
}

/* Bytes used by the table. */
size_t table_bytes(const struct agg_table *t);

#endif
