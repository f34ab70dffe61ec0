/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_FUNCTIONS_H
#define ZED_INTERP_PYTHON_PY_FUNCTIONS_H

#include "interp/python/pyrun.h"

/*
 * Functions of Zed in Python's spelling (functions_methods, module.h), and what an Event's
 * attributes share with them.  New references; NULL: an exception is set.
 */

/*
 * The addresses of EV's stack, innermost first, as a list of int; PART is "kernel", "user", or
 * NULL: both.
 */
PyObject *functions_stack(const struct event *ev, const char *part);

/* The same, resolved: ["schedule+0x2b", "/usr/lib/libc.so.6+0x1234", "0x7f00"]. */
PyObject *functions_stack_symbols(const struct event *ev, const char *part);

/* EV as the kernel's own trace file shows it after the event's name. */
PyObject *functions_text(struct pyrun *r, const struct event *ev);

/* With R: the text engine and the tables of names; nothing of R's own. */
void functions_free(struct pyrun *r);

#endif
