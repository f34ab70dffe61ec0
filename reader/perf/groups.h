/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_GROUPS_H
#define ZED_READER_PERF_GROUPS_H

#include "trace/event_sample.h"
#include "reader/perf/order.h"
#include "reader/perf/sample.h"

/*
 * Counters that were read with a sample (perf record -e '{a,b}:S'): the kernel writes one sample,
 * of the leader, with what each counter of the group has counted so far.  As in perf, the period of
 * the sample is what its own counter has counted since it was read before, and each other counter
 * that went on becomes an event at the same place (format.md 12.10).
 */

#define PERF_MAX_GROUP 256	/* counters of one sample; processors have some ten */
#define PERF_MAX_COUNTS 1048576 /* counts that are remembered, one for each counter (and task) */

struct perf;

/* How far a counter was when it was read. */
struct perf_reading {
	uint64_t id, value;
	uint32_t tid; /* of counters that count for each task; else 0 */
	bool used;
};

struct perf_readings {
	struct perf_reading *v;
	unsigned n, nslots;
	uint64_t seed;
};

/* The sample whose counters are gone through. */
struct perf_group {
	struct perf_readings readings;
	const struct perf_attr *leader;
	struct sample s;	    /* its parts, in X's copy of the record */
	const struct entry *x;	    /* NULL: none */
	uint32_t own, next;	    /* values: the sample's own (UINT32_MAX: not there); the next */
	uint64_t turn;		    /* number of the sample */
	struct event_count count;   /* of the event at hand */
	struct event_sample sample; /* of a member's */
	const struct etype *etype;
	uint8_t *record; /* of a member */
	size_t cap;
	uint32_t size;
	bool full_said, large_said, id_said, twice_said;
};

/*
 * X, a sample whose turn has come, is the one at hand: its period becomes what its counter counted.
 * Does nothing unless counters were read with it.
 */
void perf_group_begin(struct perf *f, struct entry *x);

/* The next member of it that counted something: g->etype, record, size and sample.  False: none. */
bool perf_group_next(struct perf *f);

/* The type of the events that A's counts become in samples of LEADER. */
const struct etype *perf_group_type(struct perf *f, struct perf_attr *a, struct perf_attr *leader);

/* Take the payload C of the feature GROUP_DESC: which events are the members of which group. */
int perf_group_desc(struct perf *f, struct cursor *c, struct err *e);

/* Types for the members that it named. */
void perf_group_types(struct perf *f);

void perf_group_fini(struct perf_group *g);

#endif
