/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_AGG_TABLE_H
#define ZED_ANALYSIS_AGGREGATE_AGG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A hash table that only grows: keys of whole 64-bit words, each with a value; all values have the
 * same size.  Values stay where they are until the table is freed; a new one is zero.  An entry
 * takes its value, its key, and 10.7 to 16 bytes of the index (8 bytes a slot, of which half to
 * three quarters are taken).  Keys are multiplied by a random number of the table, so that no trace
 * can be made whose keys collide.
 */
struct agg_table {
	uint64_t *slots; /* high bits: the hash; low bits: 1 + place of the entry; 0: free */
	uint64_t **chunks;
	size_t nchunks, cap_chunks;
	uint32_t nslots, n, full; /* n: number of entries; at full the index grows */
	uint32_t used;		  /* words of the last chunk */
	uint32_t value;		  /* words of a value */
	uint64_t factor;	  /* odd */
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
		h = ((h ^ h >> 32) ^ key[i]) * t->factor;
	return (uint32_t)(h >> 32);
}

/* The slot where the search for a hash begins: slots are in the order of hashes. */
static inline uint32_t table_slot(const struct agg_table *t, uint32_t hash)
{
	return (uint32_t)((uint64_t)hash * t->nslots >> 32);
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
	uint32_t i = table_slot(t, hash), ref;
	uint64_t slot, *at;
	unsigned k;

	for (; (slot = t->slots[i]); i = i + 1 == t->nslots ? 0 : i + 1) {
		if (slot >> 32 != hash)
			continue;
		ref = (uint32_t)slot - 1;
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
	while (*slot < t->nslots) {
		uint64_t s = t->slots[(*slot)++];

		if (s)
			return table_entry(t, (uint32_t)s - 1);
	}
	return NULL;
}

/* Bytes used by the table. */
size_t table_bytes(const struct agg_table *t);

#endif
