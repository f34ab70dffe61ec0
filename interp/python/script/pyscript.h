/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_SCRIPT_PYSCRIPT_H
#define ZED_INTERP_PYTHON_SCRIPT_PYSCRIPT_H

#include "interp/common/host.h"

/*
 * The run of a Python script in this process, once: Python starts, runs the script's main program,
 * then trace.run() unless the script has read the trace itself, and ends.  This header needs no
 * Python.h, so that the program can include it.
 */

struct py_convention; /* py_convention.h */

/* The command line of the script.  Texts are borrowed, in the locale's encoding. */
struct py_line {
	const char *path; /* the script; NULL: */
	const char *code; /* the lines of -e, joined by line feeds */
	char **argv;	  /* the words after the script: sys.argv[1:] */
	int argc;
	char **folders; /* -I: before all others in sys.path */
	unsigned nfolders;
	const struct py_convention *convention; /* perf's, or NULL: none but zed's */
};

/*
 * O is borrowed as for perlsink_run().  All that the script prints has been written when this
 * returns, and Python has ended.
 *
 * 0: the run (trace_begin ... trace_end) was tried; R says how it ended.  R->status is -1, or the
 * script's own: that of sys.exit(), 255 for an exception that nothing caught (its traceback was
 * printed), 1 if its output could not be written, which was reported.  R->signal: SIGPIPE if the
 * reader of its output has exited; SIGINT if KeyboardInterrupt ended the run.
 * -1: the script did not get there: it does not compile, or its main program raised or exited;
 * R->status is the exit status.
 * R->forked, with either: this is a child that the script made; it ends with R->status.
 */
int pyscript_run(const struct host_opts *o, const struct py_line *line, struct script_result *r);

/* KeyboardInterrupt at the next step of the script.  Async-signal-safe. */
void pyscript_interrupt(void);

/* Once Python runs: has the script a handler of its own for SIG? */
bool pyscript_handles(int sig);

/* "python 3.11.2" into BUF; returns BUF. */
const char *pyscript_version(char *buf, unsigned size);

#endif
