/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_TRACE_OBJECT_H
#define ZED_INTERP_PYTHON_TRACE_OBJECT_H

#include "interp/python/pyrun.h"

/*
 * zed.Trace: a run over opened inputs.  Its methods are those of this file and of other parts of
 * the module (module.h).  In the program, those of its own Trace are the module's functions too.
 */
extern PyTypeObject trace_object_type;

/*
 * The program's Trace, over inputs that it has opened; O is borrowed until the Trace is gone.  The
 * module zed must be imported: gets it as zed.trace, and its methods as functions.  New reference;
 * NULL: an exception is set.
 */
PyObject *trace_object_new(const struct host_opts *o);

/* zed.open(), as its documentation says. */
PyObject *trace_object_open(PyObject *module, PyObject *args, PyObject *kwargs);

/*
 * The run of TRACE, borrowed.  NULL: it is not a Trace, it is closed, or another thread waits for
 * its events; an exception is set.  trace_run_now(): also then, for what only sets a flag.
 */
struct pyrun *trace_run_of(PyObject *trace);
struct pyrun *trace_run_now(PyObject *trace);

/*
 * The same for what begins to read events, or will: it must not be read by trace.run() now; and if
 * it was read to its end, it is opened again.  NULL also: that cannot be (a pipe, the program's).
 */
struct pyrun *trace_run_to_read(PyObject *trace);

/*
 * Has the script begun to read TRACE itself, by iteration, batches or run()?  Then the program does
 * not.  trace_read(): it begins now; -1: it was read to its end, or is being read by run();
 * exception.
 */
bool trace_was_read(PyObject *trace);
int trace_read(PyObject *trace);

struct open_words;

/* What zed.open() was given for TRACE, a Trace; borrowed.  NULL: it is the program's. */
const struct open_words *trace_words_of(PyObject *trace);

/* Prepare the type, and add to MODULE what it has of traces.  -1: an exception is set. */
int trace_object_init(PyObject *module);

#endif
