/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_ORDER_H
#define ZED_READER_PERF_ORDER_H

#include "reader/perf/attrs/attrs.h"
#include "reader/perf/record.h"

/*
 * Records that were read and wait for their time, in the blocks that they were read into: they are
 * not copied.  A file consists of sorted runs, one for each buffer that perf emptied, and a heap
 * has the first record of each.  In a run, a record is found after the one before it, so waiting
 * takes no memory but the record's own, and its cost depends on the number of runs.
 *
 * While a record waits, the upper half of its type is the number of its event, and the whole is in
 * our byte order (types and events have 16 bits): so its time is found again.
 */

/* Records that follow each other in a block. */
struct order_stretch {
	struct order_stretch *next; /* in its run */
	struct intake_block *block;
	uint8_t *at, *end; /* the next record; after the last */
	uint64_t off;	   /* of the next one, as in struct record */
	uint64_t seq;	   /* its number in order of reading, which breaks ties */
	uint64_t largest;  /* time before it: that of a sample without one */
	bool unpacked;	   /* all have the same offset */
};

struct order_run {
	struct order_run *next; /* spare */
	struct order_stretch *first, *last;
	uint64_t ts, seq; /* of its first record */
	uint64_t last_ts;
};

struct order {
	const struct perf_attrs *attrs; /* borrowed */
	struct intake_blocks *blocks;	/* borrowed: those that records are in */
	bool swap;			/* the file's byte order is not ours */
	struct order_run **heap;	/* the run with the earliest record on top */
	size_t cap;
	unsigned n;
	struct order_run *last; /* the run last added to */
	struct order_run *spare_runs;
	struct order_stretch *spare_stretches;
	struct intake_block *taken; /* a stretch less: of the record last taken */
	uint64_t largest;	    /* time of all records so far, ns; 0: none */
	uint64_t seq;
	uint64_t bytes; /* of runs and stretches in use */
};

/* A record whose time has come.  Times in ns. */
struct due {
	struct record r;
	const struct perf_attr *attr; /* its event */
	uint64_t ts;
};

/*
 * R waits for TS, which is in it: in a FORK or EXIT at FORK_TIME, else where A, which is in
 * o->attrs, says.  Only a FORK or EXIT may be without an A, and only a sample without a time; then
 * TS is o->largest.
 */
void order_add(struct order *o, const struct record *r, const struct perf_attr *a, uint64_t ts);

/* Does one wait? */
static inline bool order_any(const struct order *o)
{
	return o->n;
}

/* The time of the earliest, if one waits. */
static inline uint64_t order_first_ts(const struct order *o)
{
	return o->heap[0]->ts;
}

/* Remove the earliest, as it was read: it is borrowed until the next call. */
void order_take(struct order *o, struct due *d);

/* How much memory waits, bytes. */
static inline uint64_t order_bytes(const struct order *o)
{
	return o->bytes + o->blocks->waiting;
}

void order_fini(struct order *o);

#endif
