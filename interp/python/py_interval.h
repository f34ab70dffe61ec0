/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_INTERVAL_H
#define ZED_INTERP_PYTHON_PY_INTERVAL_H

#include "interp/python/base/python_inc.h"
#include "interp/common/interval_time.h"
#include "interp/python/py_answers.h"

/* --every: trace_interval() and the aggregations, again and again (interval_time.h). */

/* Before the first event. */
void py_interval_begin(struct pyrun *r);

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
