// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hash_index: open addressing with linear probing.  As slots are in the order of hashes, the home
 * of an entry is known from its slot alone, and neither growth nor removal looks at a key.
 */
#include "base/hash_index.h"

#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64
#define SMALL 16384 /* slots of an index that is in the cache, with room: most searches are short */

static void new_slots(struct hash_index *x, uint32_t nslots)
{
	x->nslots = nslots;
	x->full = nslots < SMALL ? nslots / 2 : nslots / 4 * 3;
	x->slots = mem_zalloc(nslots * sizeof(*x->slots));
}

void index_start(struct hash_index *x)
{
	x->factor = seed_new() | 1;
	new_slots(x, FIRST_SLOTS);
}

void index_fini(struct hash_index *x)
{
	free(x->slots);
	memset(x, 0, sizeof(*x));
}

uint32_t index_hash_bytes(const struct hash_index *x, const void *p, size_t len)
{
	const uint8_t *at = p;
	uint64_t h = index_mix(x, 0, len), word;

	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		h = index_mix(x, h, word);
	}
	word = 0;
	memcpy(&word, at, len);
	return index_folded(index_mix(x, h, word));
}

static uint32_t after(const struct hash_index *x, uint32_t i)
{
	return i + 1 == x->nslots ? 0 : i + 1;
}

/* From slot I to slot K, upwards and round the end. */
static uint32_t distance(const struct hash_index *x, uint32_t i, uint32_t k)
{
	return k >= i ? k - i : k + x->nslots - i;
}

static uint32_t home_of(const struct hash_index *x, uint64_t slot)
{
	return index_home(x, (uint32_t)(slot >> 32));
}

static void put(struct hash_index *x, uint64_t slot)
{
	uint32_t i = home_of(x, slot);

	while (x->slots[i])
		i = after(x, i);
	x->slots[i] = slot;
}

static void grow(struct hash_index *x)
{
	uint64_t *old = x->slots;
	uint32_t n = x->nslots;

	new_slots(x, n < SMALL ? 2 * n : n + n / 2);
	for (uint32_t i = 0; i < n; i++)
		if (old[i])
			put(x, old[i]);
	free(old);
}

static uint64_t slot_of(uint32_t hash, uint32_t number)
{
	return (uint64_t)hash << 32 | (number + 1);
}

void index_add(struct hash_index *x, uint32_t hash, uint32_t number)
{
	if (x->n == x->full)
		grow(x);
	put(x, slot_of(hash, number));
	x->n++;
}

/* Entries after the gap move into it, unless that is before their home. */
void index_remove(struct hash_index *x, uint32_t hash, uint32_t number)
{
	uint32_t gap = index_home(x, hash);

	while (x->slots[gap] != slot_of(hash, number))
		gap = after(x, gap);
	for (uint32_t i = after(x, gap); x->slots[i]; i = after(x, i)) {
		if (distance(x, home_of(x, x->slots[i]), i) < distance(x, gap, i))
			continue;
		x->slots[gap] = x->slots[i];
		gap = i;
	}
	x->slots[gap] = 0;
	x->n--;
}
