/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_PY_TIMERS_H
#define ZED_INTERP_PYTHON_BASE_PY_TIMERS_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* trace.when(): functions to call when the trace's time has come. */
struct py_timer {
	uint64_t ts;	    /* as times are shown: ns after the base */
	uint64_t number;    /* of equal times, the one made first comes first */
	PyObject *function; /* owned */
};

struct py_timers {
	struct py_timer *heap;
	size_t n, cap;
	uint64_t due;  /* the first one's time; UINT64_MAX: none */
	uint64_t made; /* how many were */
};

void timers_init(struct py_timers *t);
void timers_fini(struct py_timers *t);
int timers_traverse(struct py_timers *t, visitproc visit, void *arg);

/* Call FUNCTION before the first event at or after TS. */
void timers_add(struct py_timers *t, uint64_t ts, PyObject *function);

/* The function of the first timer up to TS, whose reference the caller gets; NULL: none. */
PyObject *timers_take(struct py_timers *t, uint64_t ts);

#endif
