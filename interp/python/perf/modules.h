/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_MODULES_H
#define ZED_INTERP_PYTHON_PERF_MODULES_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>

struct pyrun;

/*
 * The modules that scripts for perf import: perf_trace_context is built in; Core, Util, EventClass
 * and SchedGui are those of perf where PERF_EXEC_PATH leads to them, else our own (perf/).
 */

/* Before Python starts: perf_trace_context becomes a builtin module. */
void perf_modules_init(void);

/*
 * Before the script runs; TEXT is its source.  If that names PERF_EXEC_PATH and the environment
 * does not have it, os.environ gets it, but not the environment of processes that the script
 * starts.  -1: an exception is set.
 */
int perf_modules_start(const char *text);

/* Has the script loaded one of these modules? */
bool perf_modules_loaded(void);

/*
 * Run the embedded file NAME ("perf/finder.py") in a namespace of its own, in which `texts` is
 * TEXTS, unless that is NULL: new reference to it, a dict; NULL: an exception is set.
 */
PyObject *perf_run_text(const char *name, PyObject *texts);

/*
 * The context that handlers of R (NULL: none) get, for the functions of perf_trace_context: new
 * reference, or NULL with an exception.  R is borrowed until perf_context_end(); a script that
 * still has it gets what these functions return outside of events.
 */
PyObject *perf_context_new(struct pyrun *r);
void perf_context_end(PyObject *context); /* NULL is fine */

#endif
