/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_EVENT_TALLY_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_EVENT_TALLY_H

#include "index/index.h"
#include "programs/options.h"
#include "trace/loss.h"

/* How many events each stream and each type has: all, or those read within a time. */
struct stream_tally {
	const struct origin *from;
	struct period ends; /* of its records */
	uint64_t n;
};

struct event_tally {
	struct stream_tally *streams, *last; /* sorted by address of `from` */
	size_t nstreams;
	uint64_t *types; /* by etype.idx */
	size_t ntypes;
	uint64_t n;
	bool stack;	    /* an event has a stack */
	bool is_partly;	    /* not all was read */
	struct losses lost; /* as far as was read */
	uint64_t until;	    /* of mono_ns(): when the reading ends */
	volatile int stop;
};

/* Read C's open trace, for at most NS.  -1 with E: it cannot be read. */
int event_tally_read(struct event_tally *t, struct cli *c, uint64_t ns, struct err *e);

/* After that, if not all was read: take the numbers of X, the trace's index. */
void event_tally_index(struct event_tally *t, const struct cli *c, const struct trace_index *x);
void event_tally_fini(struct event_tally *t);

#endif
