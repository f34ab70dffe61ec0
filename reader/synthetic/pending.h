/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_SYNTHETIC_PENDING_H
#define ZED_READER_SYNTHETIC_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A table of starts that wait for their ends, by a key of some numbers.  Several may have the same
 * key: the last one is found first.  Each is in a lane; what a lane has is dropped in one step,
 * whatever it is.  An operation is of constant time on average: the hash has a random seed, so that
 * no trace can be made to collide.
 */
struct pending_start {
	uint32_t next;	/* number of the next one in its bucket, from 1; 0: none */
	uint32_t epoch; /* of its lane; 0: free */
	uint32_t lane;
	int32_t cpu, pid;
	uint64_t ts;	 /* ns */
	uint64_t keys[]; /* nkeys of them, then the captured bytes */
};

struct pending_lane {
	uint32_t epoch, live;
};

struct pending {
	uint8_t *starts;
	size_t cap;	      /* bytes of starts */
	size_t stride;	      /* of one */
	uint32_t n, max;      /* numbers given so far; the most there may be */
	uint32_t free;	      /* first of the list of free ones, from 1 */
	uint32_t live, stale; /* starts that wait; dropped by their lane, not yet free */
	unsigned nkeys;
	uint32_t *buckets, nbuckets; /* a power of two */
	uint32_t *link;		     /* to the one that pending_find() returned */
	uint64_t seed;
	struct pending_lane *lanes;
	size_t nlanes;
};

/* One more number B in the hash A. */
static inline uint64_t pending_mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15u;
	a ^= a >> 32;
	a *= 0xd6e8feb86659fd93u;
	return a ^ a >> 32;
}

/* CAPTURED bytes are kept with each start, of at most MAX. */
void pending_init(struct pending *p, unsigned nkeys, size_t captured, uint32_t max);
void pending_fini(struct pending *p);

/* A number in place of a string of a key; two strings share one by no more than chance (2^-64). */
uint64_t pending_text(const struct pending *p, const char *s, size_t len);

/* The hash of KEYS, for those below. */
static inline uint64_t pending_hash(const struct pending *p, const uint64_t *keys)
{
	uint64_t h = p->seed;

	for (unsigned i = 0; i < p->nkeys; i++)
		h = pending_mix(h, keys[i]);
	return h;
}

/* The last start with these KEYS, of HASH, or NULL; borrowed until the next call. */
struct pending_start *pending_find(struct pending *p, const uint64_t *keys, uint64_t hash);

/* Add one, of time 0; NULL: the table is full.  Borrowed as above. */
struct pending_start *pending_add(struct pending *p, const uint64_t *keys, uint64_t hash, int lane);

/* Remove S, which pending_find() returned with the last call. */
void pending_remove(struct pending *p, struct pending_start *s);

/* Drop all starts of LANE, or of all lanes; returns how many. */
uint32_t pending_drop(struct pending *p, int lane);
uint32_t pending_drop_all(struct pending *p);

/* The next one from number *I on, in no order, which moves behind it; NULL: no more. */
const struct pending_start *pending_next(const struct pending *p, uint32_t *i);

/* Where the captured bytes of S are. */
static inline uint8_t *pending_captured(const struct pending *p, const struct pending_start *s)
{
	return (uint8_t *)s + offsetof(struct pending_start, keys) + p->nkeys * sizeof(uint64_t);
}

#endif
