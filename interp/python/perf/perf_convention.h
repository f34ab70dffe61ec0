/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_PERF_CONVENTION_H
#define ZED_INTERP_PYTHON_PERF_PERF_CONVENTION_H

/*
 * The convention of scripts that were written for perf script (observed with perf 6.1):
 *
 *	SYSTEM__EVENT(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
 *		      common_comm, common_callchain, FIELDS... [, perf_sample_dict])
 *	trace_unhandled(event_name, context, event_fields_dict [, perf_sample_dict])
 *	process_event(param_dict)
 *
 * The last argument in brackets is passed to a function that has one parameter more than the others
 * need.  common_callchain, perf_sample_dict and param_dict are a list and dicts that are filled
 * when the script looks into them (lazy.h).  A function whose parameters show by their names that
 * it was written for the fields of another kernel gets these by name (interp/perf_names.h).
 *
 * It is chosen by --perf; else if the script has loaded perf_trace_context or one of perf's other
 * modules, or has process_event(param_dict), or a function of an event whose second parameter is
 * the context.
 *
 * This header needs no Python.h, so that the program can include it.
 */
struct py_convention; /* interp/python/py_convention.h */

extern const struct py_convention PERF_CONVENTION;

#endif
