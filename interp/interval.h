/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_INTERVAL_H
#define ZED_INTERP_INTERVAL_H

#include "interp/api/sink.h"

/*
 * --every: trace_interval() and the aggregations, again and again.  An interval ends with the first
 * event at or after its end, in the trace's time; live, if no event comes, when that much time has
 * passed.  Intervals without events are joined into one.
 */

/* Before the first event. */
void interval_begin(struct perlsink *ps);

/*
 * An event of time TS comes next.  True: that ends an interval, the next one has begun, and
 * interval_tell() is to be called.
 */
bool interval_event(struct perlsink *ps, uint64_t ts);

/* The same when there is nothing to read: by the wall clock. */
bool interval_idle(struct perlsink *ps);

/* Call trace_interval, print the aggregations that no variable holds.  May leave by a die. */
void interval_tell(pTHX_ struct perlsink *ps);

/* After the last event: call trace_interval for the events since.  May leave by a die. */
void interval_end(pTHX_ struct perlsink *ps);

#endif
