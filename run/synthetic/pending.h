/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_SYNTHETIC_PENDING_H
#define ZED_RUN_SYNTHETIC_PENDING_H

#include "base/chars16.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A table of starts that wait for their ends, by a key of some numbers.  Several may have the same
 * key: the last one is found first.  Each is in a lane; all starts of a lane are dropped in one
 * step, however many there are.  An operation takes constant time on average: the hash has a random
 * seed, so that no trace can be made to collide, and dropped starts are removed once there are
 * enough of them.
 *
 * A short start is in one cache line; an index of hashes leads to it, so with a million starts an
 * end misses the cache once, and a start not at all: it takes the place that the last end has
 * freed.  The index is not a base/hash_index: it is in large pages, mostly empty as long as it is
 * in the cache, and a start with the same key changes the slot that was found.
 */
struct pending_start {
	uint32_t next;	/* number of the one before it with the same key, from 1; 0: none */
	uint32_t epoch; /* of its lane; 0: free */
	uint32_t lane;
	int32_t cpu, pid;
	uint64_t ts;	 /* ns */
	uint64_t keys[]; /* nkeys of them, then the captured bytes */
};

struct pending_lane {
	uint32_t epoch, live;
};

#define PENDING_BYTES (256u << 20) /* of all starts, at most: PENDING_SAID */
#define PENDING_SAID "256 MiB"
struct pending {
	uint8_t *starts;      /* of number 1 and following */
	size_t stride;	      /* bytes of a start */
	uint32_t cap;	      /* starts that memory is allocated for */
	uint32_t n, max;      /* numbers given so far; the most that may wait */
	uint32_t free;	      /* first of the list of free ones, from 1 */
	uint32_t live, stale; /* starts that wait; starts dropped by their lane, not yet free */
	unsigned nkeys;
	uint64_t *slots;      /* hash in the high bits, number of the last start in the low ones */
	uint32_t nslots;      /* a power of two */
	uint32_t taken, full; /* number of those not 0; greatest number allowed */
	unsigned shift;	      /* of a hash, to the slot where its search begins */
	uint32_t found;	      /* the slot of what pending_find() returned */
	bool by_size;	      /* max is limited by PENDING_BYTES to less than was asked for */
	uint64_t seed;
	struct pending_lane *lanes;
	size_t nlanes;
	uint8_t *raw; /* to be freed: starts begin at its first cache line */
};

/* One more number B in the hash A. */
static inline uint64_t pending_mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15u;
	a ^= a >> 32;
	a *= 0xd6e8feb86659fd93u;
	return a ^ a >> 32;
}

/*
 * CAPTURED bytes are kept with each start.  At most MAX starts, and no more than fit into
 * PENDING_BYTES.
 */
void pending_init(struct pending *p, unsigned nkeys, size_t captured, uint32_t max);
void pending_fini(struct pending *p);

/* A number in place of a string in a key; two strings have the same one only by chance (2^-64). */
uint64_t pending_text(const struct pending *p, const char *s, size_t len);

/* The same of a string in an array of 16 bytes. */
static inline uint64_t pending_chars16(const struct pending *p, const struct chars16 *c)
{
	uint64_t h = p->seed ^ c->len;

	for (unsigned i = 0; i * 8 < c->len; i++)
		h = pending_mix(h, c->w[i]) + p->seed;
	return h;
}

/* The hash of KEYS, for those below. */
static inline uint64_t pending_hash(const struct pending *p, const uint64_t *keys)
{
	uint64_t h = p->seed;

	for (unsigned i = 0; i < p->nkeys; i++)
		h = pending_mix(h, keys[i]);
	return h;
}

/* The start of that NUMBER, from 1. */
static inline struct pending_start *pending_at(const struct pending *p, uint32_t number)
{
	return (struct pending_start *)(p->starts + (size_t)(number - 1) * p->stride);
}

/* Was S dropped with its lane? */
static inline bool pending_is_stale(const struct pending *p, const struct pending_start *s)
{
	return s->epoch != p->lanes[s->lane].epoch;
}

/* The slots where the search for a hash begins, and where it continues. */
static inline uint32_t pending_home(const struct pending *p, uint64_t slot)
{
	return (uint32_t)(slot >> p->shift);
}

static inline uint32_t pending_behind(const struct pending *p, uint32_t i)
{
	return (i + 1) & (p->nslots - 1);
}

static inline bool pending_has(const struct pending *p, const struct pending_start *s,
			       const uint64_t *keys)
{
	for (unsigned i = p->nkeys; i--;)
		if (s->keys[i] != keys[i])
			return false;
	return true;
}

/* The slot of KEYS, *OUT; false: none. */
static inline bool pending_slot(const struct pending *p, const uint64_t *keys, uint64_t hash,
				uint32_t *out)
{
	uint32_t i = pending_home(p, hash);
	uint64_t slot;

	for (; (slot = p->slots[i]); i = pending_behind(p, i)) {
		if (slot >> 32 != hash >> 32 ||
		    !pending_has(p, pending_at(p, (uint32_t)slot), keys))
			continue;
		*out = i;
		return true;
	}
	return false;
}

/* Remove dropped starts from slot SLOT; returns the start that is left there, or NULL. */
struct pending_start *pending_clean(struct pending *p, uint32_t slot);

/* The last start with these KEYS, of HASH, or NULL; borrowed until the next call. */
static inline struct pending_start *pending_find(struct pending *p, const uint64_t *keys,
						 uint64_t hash)
{
	struct pending_start *s;

	if (!pending_slot(p, keys, hash, &p->found))
		return NULL;
	s = pending_at(p, (uint32_t)p->slots[p->found]);
	return __builtin_expect(pending_is_stale(p, s), 0) ? pending_clean(p, p->found) : s;
}

/* Add one, of time 0; NULL: the table is full.  Borrowed as above. */
struct pending_start *pending_add(struct pending *p, const uint64_t *keys, uint64_t hash, int lane);

/* Only for the functions below: S becomes a waiting start of KEYS; it has no slot yet. */
static inline void pending_begin(struct pending *p, struct pending_start *s, const uint64_t *keys,
				 struct pending_lane *lane)
{
	s->next = 0;
	s->lane = (uint32_t)(lane - p->lanes);
	s->epoch = lane->epoch;
	s->ts = 0;
	for (unsigned i = p->nkeys; i--;)
		s->keys[i] = keys[i];
	lane->live++;
	p->live++;
}

/* Add one if no other has these KEYS; NULL: the table is full. */
struct pending_start *pending_add_first(struct pending *p, const uint64_t *keys, uint64_t hash,
					int lane);

/*
 * The last start with these KEYS (*HAD: true), as pending_find(), or a new one, as pending_add(),
 * in one search; NULL: none, and the table is full.
 */
static inline __attribute__((always_inline)) struct pending_start *
pending_find_or_add(struct pending *p, const uint64_t *keys, uint64_t hash, int lane, bool *had)
{
	uint32_t i = pending_home(p, hash), number = p->free;
	struct pending_start *s;
	uint64_t slot;

	*had = true;
	for (; (slot = p->slots[i]); i = pending_behind(p, i)) {
		if (slot >> 32 != hash >> 32)
			continue;
		s = pending_at(p, (uint32_t)slot);
		if (!pending_has(p, s, keys))
			continue;
		if (!pending_is_stale(p, s))
			return s;
		s = pending_clean(p, i);
		if (s)
			return s;
		break;
	}
	*had = false;
	/* The usual case: a place is free, the slot as well, and the index large enough. */
	if (slot || !number || p->live == p->max || p->taken >= p->full ||
	    (uint32_t)lane >= p->nlanes)
		return pending_add_first(p, keys, hash, lane);
	s = pending_at(p, number);
	p->free = s->next;
	pending_begin(p, s, keys, &p->lanes[lane]);
	p->taken++;
	p->slots[i] = hash >> 32 << 32 | number;
	return s;
}

/* Remove S, which pending_find() returned with the last call. */
void pending_remove(struct pending *p, struct pending_start *s);

/* Drop all starts of LANE, or of all lanes; returns how many. */
uint32_t pending_drop(struct pending *p, int lane);
uint32_t pending_drop_all(struct pending *p);

/* The next one from number *I on, unordered; *I is moved past it.  NULL: no more. */
const struct pending_start *pending_next(const struct pending *p, uint32_t *i);

/* Where the captured bytes of S are. */
static inline uint8_t *pending_captured(const struct pending *p, const struct pending_start *s)
{
	return (uint8_t *)s + offsetof(struct pending_start, keys) + p->nkeys * sizeof(uint64_t);
}

#endif
