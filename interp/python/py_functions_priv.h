/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_FUNCTIONS_PRIV_H
#define ZED_INTERP_PYTHON_PY_FUNCTIONS_PRIV_H

#include "interp/python/py_functions.h"
#include "interp/common/number_tables.h"
#include "interp/common/table_names.h"
#include "text/engine.h"

#include <limits.h>

/* Shared by py_functions.c and py_names.c. */

/* What they keep of a run. */
struct py_functions {
	struct engine *text;
	struct outbuf buf; /* its last message */
	struct table_names names;
	struct number_tables *numbers;
};

struct py_functions *functions_of(struct pyrun *r);

/* R's current event as the function sees it.  NULL: zed.Error is set, "FN: no current event". */
const struct event *function_event(struct pyrun *r, const char *fn);

/* The record that EV is made of, if it is the current one: a stable event has no print format. */
const struct event *function_record(const struct pyrun *r, const struct event *ev);

/*
 * Arguments may run Python (__index__), which may close the trace: a function converts all of them,
 * and then asks trace_run_of().
 */
#define SOURCE_CURRENT LONG_MIN

/* The number of an input, or None: SOURCE_CURRENT.  -1: an exception is set. */
int function_source_number(PyObject *o, long *number);

/*
 * The input NUMBER; SOURCE_CURRENT: that of the current event, else the first.  NULL: there is no
 * such input.
 */
struct source *function_source(const struct pyrun *r, long number);

/*
 * The arguments named WORDS (up to three, ends with NULL), as PyArg_ParseTupleAndKeywords() takes
 * them.  -1: an exception is set.
 */
int function_words(PyObject *args, PyObject *kwargs, const char *format, const char *const *words,
		   PyObject **a, PyObject **b, PyObject **c);

/* S as a str, NULL as None: a new reference. */
PyObject *function_str(const char *s);

/* py_asked.c: asked(), METH_NOARGS. */
PyObject *function_asked(PyObject *trace, PyObject *ignored);

/* py_names.c: methods; METH_O, or METH_VARARGS | METH_KEYWORDS. */
PyObject *function_symbol(PyObject *trace, PyObject *address);
PyObject *function_symbol_at(PyObject *trace, PyObject *address);
PyObject *function_comm(PyObject *trace, PyObject *args, PyObject *kwargs);
PyObject *function_cgroup(PyObject *trace, PyObject *args, PyObject *kwargs);
PyObject *function_errno(PyObject *trace, PyObject *args, PyObject *kwargs);
PyObject *function_syscall(PyObject *trace, PyObject *args, PyObject *kwargs);
PyObject *function_dev(PyObject *ignored, PyObject *number);
PyObject *function_duration(PyObject *trace, PyObject *ns);
PyObject *function_plain(PyObject *ignored, PyObject *o);
PyObject *function_flag_str(PyObject *trace, PyObject *args, PyObject *kwargs);
PyObject *function_symbol_str(PyObject *trace, PyObject *args, PyObject *kwargs);

#endif
