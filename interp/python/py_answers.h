/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_ANSWERS_H
#define ZED_INTERP_PYTHON_PY_ANSWERS_H

#include "interp/python/pyrun.h"

/*
 * The aggregations of a run: trace.count() and its kind (answers_methods, module.h).  They take
 * events without a call of Python, each before the handlers get it.  One run has them in
 * r->answers, made with the first one.
 */

/* Before the first event: what could not be checked when it was made is reported now. */
void answers_start(struct pyrun *r);

/*
 * What they need, into WANT, one byte (enum wanted) for each of the first N types of the catalog,
 * where it has less: WANT_NO becomes WANT_ORDER, or, if ALONE, WANT_EARLY where that can be.
 * ALONE: no Python runs before the end, so it cannot see that an answer is ahead of an event.
 */
void answers_want(struct pyrun *r, uint8_t *want, unsigned n, bool alone);

/*
 * Since answers_want() was called last, was an aggregation made or stopped, so that the types which
 * are needed may be others?
 */
bool answers_changed(const struct pyrun *r);

/* Is there an aggregation? */
bool answers_any(const struct pyrun *r);

/* Count EV.  Hot: no allocation, nothing of Python. */
void answers_take(struct pyrun *r, const struct event *ev);

/*
 * The same for early types, with the GIL, which is taken where it was let go: for pump_early(),
 * ARG: the struct pyrun.
 */
void answers_early(void *arg, const struct event *ev);

/* --every: the time between two, as the script sees times. */
struct answers_interval {
	uint64_t from, to; /* ns */
	bool known;	   /* FROM and TO are */
	bool total; /* of everything up to TO: the answers continue (host_opts.every_total) */
};

/*
 * Print to sys.stdout those that no variable holds, as they are in the interval I, and begin anew
 * unless it is `total`.  -1: an exception is set.
 */
int answers_print_interval(struct pyrun *r, const struct answers_interval *i);

/*
 * After trace_end: print those that no variable holds; I, if not NULL, is the interval that was not
 * full, as a heading, if trace_interval is told of it.  Then report those whose answer was never
 * used.  -1: an exception is set.
 */
int answers_print(struct pyrun *r, const struct answers_interval *i);

/* With R, or earlier: objects that Python still holds keep their answers, as they are. */
void answers_free(struct pyrun *r);

/* Prepare the types Aggregation and Synthetic, and add them to MODULE.  -1: an exception is set. */
int answers_init(PyObject *module);

#endif
