/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_GROUPS_H
#define ZED_READER_PERF_GROUPS_H

#include "trace/event_sample.h"
#include "reader/perf/sample.h"

/*
 * Counters that were read with a sample (perf record -e '{a,b}:S'): the kernel writes one sample,
 * of the leader, with the value of each counter of the group.  As in perf, the period of the sample
 * is the count of its own counter since its previous reading, and each other counter that advanced
 * becomes an event at the same place (format.md 12.10).
 */

#define PERF_MAX_GROUP 256	/* counters of one sample; processors have about ten */
#define PERF_MAX_COUNTS 1048576 /* counts kept, one for each counter (and task) */

struct perf;

/* The value of a counter when it was read. */
struct perf_reading {
	uint64_t id, value;
	uint32_t tid; /* for counters of each task; else 0 */
};

struct perf_readings {
	struct hash_index index; /* of V, by id and tid */
	struct perf_reading *v;
	size_t cap;
};

/* The sample whose counters are processed. */
struct perf_group {
	struct perf_readings readings;
	const struct perf_attr *leader;
	struct sample s;	    /* its parts */
	const struct perf_given *x; /* NULL: none */
	uint32_t own, next;	    /* values: the own one (UINT32_MAX: none), the next */
	uint64_t turn;		    /* number of the sample */
	struct event_count count;   /* of the current event */
	struct event_sample sample; /* of a member's */
	const struct etype *etype;
	uint8_t *record; /* of a member */
	size_t cap;
	uint32_t size;
	bool full_said, large_said, id_said, twice_said;
};

/*
 * Make X, the next sample in order, the current one, and set its period to its counter's count.
 * Does nothing unless counters were read with it.
 */
void perf_group_begin(struct perf *f, struct perf_given *x);

/* Its next member with a non-zero count: g->etype, record, size and sample.  False: none. */
bool perf_group_next(struct perf *f);

/* The type of the events made from A's counts in samples of LEADER. */
const struct etype *perf_group_type(struct perf *f, struct perf_attr *a, struct perf_attr *leader);

/* Parse the payload C of the feature GROUP_DESC: the members of each group. */
int perf_group_desc(struct perf *f, struct cursor *c, struct err *e);

/* Make types for the members of these groups. */
void perf_group_types(struct perf *f);

void perf_group_fini(struct perf_group *g);

#endif
