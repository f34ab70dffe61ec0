/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_INTERVAL_TIME_H
#define ZED_INTERP_COMMON_INTERVAL_TIME_H

#include "run/pump.h"

/*
 * --every: when an interval ends.  That is with the first event at or after its end, in the trace's
 * time; live, if no event comes, when that much time has passed.  Intervals without events are
 * joined into one.
 *
 * Times are those of the trace, ns, but for wall (CLOCK_MONOTONIC).
 */
struct interval {
	uint64_t every;	   /* 0: there are none */
	uint64_t from, to; /* of the current one, if known: an event has come */
	uint64_t wall;	   /* when it began */
	uint64_t last;	   /* the time of the last event */
	uint64_t told_from, told_to;
	bool known, idle;      /* there was a wait for more events */
	bool any;	       /* the current one has an event */
	struct poll_hook hook; /* ends such a wait when the interval ends */
};

/* Before the first event of RUN, which borrows I until it is over. */
void interval_begin(struct interval *i, struct pump *run, uint64_t every);

/*
 * An event of time TS comes next.  True: that ends an interval, which is from told_from to told_to,
 * and the next one has begun.
 */
bool interval_event(struct interval *i, uint64_t ts);

/* The same when there is nothing to read: by the wall clock. */
bool interval_idle(struct interval *i);

/* The same after the last event, for the events since; false: there are none. */
bool interval_rest(struct interval *i);

#endif
