/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_SAMPLE_NUMBERS_H
#define ZED_INTERP_PYTHON_PERF_SAMPLE_NUMBERS_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>

struct event;

/* The dict `sample` of EV's perf_sample_dict: new reference; NULL: an exception is set. */
PyObject *sample_numbers_dict(const struct event *ev);

/* Was the CPU in the kernel? */
bool sample_in_kernel(const struct event *ev);

#endif
