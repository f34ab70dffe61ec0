/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_READS_H
#define ZED_INTERP_PYTHON_PERF_READS_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>

/* Before the first event: what looks at functions is loaded.  -1: an exception is set. */
int perf_reads_init(void);

/*
 * Which of its first N parameters FUNCTION may read, into READ (reads.py); all, if it is not a
 * plain function or its code does not show it.  -1: an exception is set.
 */
int perf_reads(PyObject *function, unsigned n, bool *read);

#endif
