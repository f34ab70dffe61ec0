/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_SCRIPT_MAIN_PROGRAM_H
#define ZED_INTERP_PYTHON_SCRIPT_MAIN_PROGRAM_H

#include "interp/python/base/python_inc.h"
#include "interp/python/script/pyscript.h"

/* The name of the script's code, as tracebacks have it: str, new; NULL: an exception is set. */
PyObject *main_program_name(const struct py_line *line);

/*
 * Run the script's main program in MODULE, the dict of __main__.  FILE: main_program_name().  -1:
 * an exception is set: SystemExit if it cannot be read, which O has been told.
 */
int main_program_run(const struct host_opts *o, const struct py_line *line, PyObject *module,
		     PyObject *file);

#endif
