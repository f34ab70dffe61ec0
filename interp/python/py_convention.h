/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_CONVENTION_H
#define ZED_INTERP_PYTHON_PY_CONVENTION_H

#include "interp/python/handlers.h"

/*
 * A calling convention beside zed's own, with the modules that its scripts import: perf's, which
 * the program has, and python3's module has not (py_line.perf).
 */
struct py_convention {
	/* Before Python starts: its builtin modules. */
	void (*init)(void);
	/* Before the script with this TEXT runs.  -1: an exception is set. */
	int (*start)(const char *text);
	/* Once the script has been loaded: is it written for this convention? */
	bool (*is_chosen)(struct pyrun *r);
	/*
	 * Does an event of T (resolved) call a function of that KIND?  HANDLED: it calls something
	 * already.
	 */
	bool (*accepts)(const struct etype *t, enum py_kind kind, bool handled);
	/*
	 * FUNCTION as an event of T calls it: KIND is PY_FUNCTION, PY_UNHANDLED or PY_PROCESS.
	 * NULL: an exception is set.
	 */
	struct py_call *(*call_new)(struct pyrun *r, const struct etype *t, PyObject *function,
				    enum py_kind kind);
};

#endif
