/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_SCRIPT_FUNCTIONS_H
#define ZED_INTERP_PYTHON_BASE_SCRIPT_FUNCTIONS_H

#include "interp/python/base/python_inc.h"
#include "stable/catalogue.h"

/*
 * Which functions of the script an event may call.  Names of events come from a file, from the
 * network, from any user who may load a module or write to tracefs; so a name alone never makes a
 * function run.  It is called if
 * - it is a function of Python, made by a def of that very name: not imported, not a builtin, a
 *   class, a lambda or another object that can be called;
 * - it was compiled from the script's own file, and its globals are the script's module;
 * - its name is SYSTEM__EVENT, and SYSTEM is a system of events that kernels have (systems.h), one
 *   of the stable events', or one that the script has declared by zed.handlers().
 */
struct script_functions {
	PyObject *module;	     /* the dict of __main__, owned; NULL: there is no script */
	PyObject *file;		     /* str: co_filename of the script's code, owned */
	const struct stable *stable; /* borrowed */
	char **declared;	     /* systems */
	size_t n, cap;
};

/* MODULE: a dict; FILE: a str. */
void script_functions_init(struct script_functions *s, PyObject *module, PyObject *file,
			   const struct stable *stable);
void script_functions_fini(struct script_functions *s);

/* The script says that events of SYSTEM may call functions.  False: it cannot be such a name. */
bool script_functions_declare(struct script_functions *s, const char *system);

/*
 * What the script's module has as NAME, one of the names that no file chooses (trace_begin,
 * trace_end, ...): anything that can be called, so also a method of an object.  Borrowed from the
 * module; NULL: none.  Sets no exception.
 */
PyObject *script_function(const struct script_functions *s, const char *name);

/*
 * The same of an event; also under the second name of an event of LTTng's (lttng__irq_...).
 * *UNSAID: there is one, but it may not run, as nothing declares its system.
 */
PyObject *script_function_of(const struct script_functions *s, const struct etype *t, bool *unsaid);
PyObject *script_function_of_stable(const struct script_functions *s,
				    const struct stable_event *ev);

/* Could a function called NAME be that of an event, by its system? */
bool script_functions_may(const struct script_functions *s, const char *name);

/* The names of the script's functions in order, for messages: list of str, new; NULL: exception. */
PyObject *script_function_names(const struct script_functions *s);

#define PY_EVENT_NAME 512 /* bytes of a function's whole name; longer ones call nothing */

/*
 * "sched__sched_switch" for an event, with '_' for every byte that cannot be in a name, and
 * "_9p__..." for a leading digit.  Returns the length it needs, as snprintf() does.
 */
size_t py_event_name(const char *system, const char *event, char *buf, size_t size);

#endif
