/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_CALL_H
#define ZED_INTERP_PYTHON_PERF_CALL_H

#include "interp/python/handlers.h"

/*
 * FUNCTION as an event of T (resolved) calls it in perf's convention: KIND is PY_FUNCTION,
 * PY_UNHANDLED or PY_PROCESS.  Tells the script the names of T's flags and numbers, once for each
 * call (define_flag_field and so on, if its module has them).  NULL: an exception is set.
 */
struct py_call *perf_call_new(struct pyrun *r, const struct etype *t, PyObject *function,
			      enum py_kind kind);

#endif
