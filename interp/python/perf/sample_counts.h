/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_SAMPLE_COUNTS_H
#define ZED_INTERP_PYTHON_PERF_SAMPLE_COUNTS_H

#include "interp/python/base/python_inc.h"

struct event;

/*
 * D["values"], as perf gives it: a list of (id, count, lost) of the counters that were read with
 * the sample of EV; [(0, 0, 0)] for a sample without.  If they were recorded, also time_enabled and
 * time_running.  -1: an exception is set.
 */
int perf_put_counts(PyObject *d, const struct event *ev);

#endif
