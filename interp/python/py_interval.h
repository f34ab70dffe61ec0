/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_INTERVAL_H
#define ZED_INTERP_PYTHON_PY_INTERVAL_H

#include "interp/python/base/python_inc.h"
#include "interp/python/py_answers.h"

/*
 * --every: trace_interval() and the aggregations, again and again.  An interval ends with the first
 * event at or after its end, in the trace's time; live, if no event comes, when that much time has
 * passed.  Intervals without events are joined into one.
 *
 * Times are those of the trace, ns, but for wall (CLOCK_MONOTONIC).
 */
struct py_interval {
	uint64_t every;	   /* 0: there are none */
	uint64_t from, to; /* of the current one, if known: an event has come */
	uint64_t wall;	   /* when it began */
	uint64_t last;	   /* the time of the last event */
	uint64_t told_from, told_to;
	bool known, idle;      /* there was a wait for more events */
	bool any;	       /* the current one has an event */
	struct poll_hook hook; /* ends such a wait when the interval ends */
};

/* Before the first event. */
void py_interval_begin(struct pyrun *r);

/*
 * An event of time TS comes next.  True: that ends an interval, the next one has begun, and
 * py_interval_tell() is to be called.
 */
bool py_interval_event(struct py_interval *i, uint64_t ts);

/* The same when there is nothing to read: by the wall clock. */
bool py_interval_idle(struct py_interval *i);

/* Call trace_interval, print the aggregations that no variable holds.  -1: an exception is set. */
int py_interval_tell(struct pyrun *r);

/*
 * After the last event: call trace_interval for the events since, if there are some; then true, and
 * *RC is 0, or -1: an exception is set.
 */
bool py_interval_end(struct pyrun *r, int *rc);

/* The interval that was told last, for aggregations. */
struct answers_interval py_interval_told(const struct pyrun *r);

#endif
