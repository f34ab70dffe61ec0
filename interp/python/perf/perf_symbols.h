/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_PERF_SYMBOLS_H
#define ZED_INTERP_PYTHON_PERF_PERF_SYMBOLS_H

#include "interp/python/base/python_inc.h"
#include "trace/event.h"

/*
 * Tell the script the names that the print format of T (resolved) has for flags and numbers: calls
 * define_flag_value, define_flag_field, define_symbolic_value and define_symbolic_field of MODULE,
 * its dict, if it has imported them (from Core).  EVENT is "sched__sched_switch".  -1: an exception
 * is set.
 */
int perf_tell_symbols(PyObject *module, const struct etype *t, PyObject *event);

#endif
