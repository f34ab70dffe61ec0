/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_HASH_INDEX_H
#define ZED_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The hash table of all rooms.  It leads from the hash of a key to the numbers of entries, which
 * the caller keeps with their keys, mostly in an array: so any key will do.
 *
 *	uint32_t slot = index_home(x, hash), i;
 *
 *	while (index_next(x, hash, &slot, &i))
 *		if (v[i].key == key)
 *			return i;
 *	v[n].key = key;
 *	index_add(x, hash, n);
 *	return n++;
 *
 * A hash depends on a random number of the index, so that no file can be made whose keys collide: a
 * search takes constant time on average.  It has 32 bits, which are compared before the caller
 * compares keys.  An entry takes 10.7 to 16 bytes, in an index of fewer than 8192 twice that.  The
 * caller bounds the number of entries.
 *
 * A zeroed index is empty, and may be searched.
 */
struct hash_index {
	uint64_t *slots;	  /* in the order of hashes: hash << 32 | number + 1; 0: free */
	uint32_t nslots, n, full; /* n: number of entries; at full it grows */
	uint64_t factor;	  /* odd */
};

void index_start(struct hash_index *x);
void index_fini(struct hash_index *x); /* X is zeroed */

/* To be called before the hash of a key that may be added; does nothing the second time. */
static inline void index_begin(struct hash_index *x)
{
	if (!x->slots)
		index_start(x);
}

/* ---- hashes ---- */

/* One more WORD after those of H (0: the first one), for index_folded(). */
static inline uint64_t index_mix(const struct hash_index *x, uint64_t h, uint64_t word)
{
	return ((h ^ h >> 32) ^ word) * x->factor;
}

/* Multiplied again: for one factor in fifty, consecutive numbers would lie close together. */
static inline uint32_t index_folded(uint64_t h)
{
	return (uint32_t)((h ^ h >> 32) * 0x9e3779b97f4a7c15u >> 32);
}

/* The hash of one number, of two, and of LEN bytes. */
static inline uint32_t index_hash(const struct hash_index *x, uint64_t key)
{
	return index_folded(index_mix(x, 0, key));
}

static inline uint32_t index_hash_two(const struct hash_index *x, uint64_t a, uint64_t b)
{
	return index_folded(index_mix(x, index_mix(x, 0, a), b));
}

uint32_t index_hash_bytes(const struct hash_index *x, const void *p, size_t len);

/* ---- entries ---- */

/* The slot where the search for HASH begins. */
static inline uint32_t index_home(const struct hash_index *x, uint32_t hash)
{
	return (uint32_t)((uint64_t)hash * x->nslots >> 32);
}

/* The next entry with HASH, from *SLOT on: false, there is no more. */
static inline bool index_next(const struct hash_index *x, uint32_t hash, uint32_t *slot,
			      uint32_t *number)
{
	uint64_t s;

	while (x->slots && (s = x->slots[*slot])) {
		*slot = *slot + 1 == x->nslots ? 0 : *slot + 1;
		if (s >> 32 != hash)
			continue;
		*number = (uint32_t)s - 1;
		return true;
	}
	return false;
}

/* Add the entry NUMBER (below UINT32_MAX), whose key has HASH.  Slots move. */
void index_add(struct hash_index *x, uint32_t hash, uint32_t number);

/* Remove it; it must be there.  Slots move. */
void index_remove(struct hash_index *x, uint32_t hash, uint32_t number);

/* Each entry once, in the order of hashes: begins with *SLOT 0; false: there is no more. */
static inline bool index_each(const struct hash_index *x, uint32_t *slot, uint32_t *number)
{
	while (*slot < x->nslots) {
		uint64_t s = x->slots[(*slot)++];

		if (!s)
			continue;
		*number = (uint32_t)s - 1;
		return true;
	}
	return false;
}

/* Bytes of memory. */
static inline size_t index_bytes(const struct hash_index *x)
{
	return x->nslots * sizeof(*x->slots);
}

#endif
