/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_CALL_H
#define ZED_INTERP_PYTHON_PY_CALL_H

#include "interp/python/base/py_signature.h"

struct etype;
struct event;
struct pyrun;

/*
 * The call of one function for the events of one type, planned once: what each parameter gets is
 * found by name or place when the plan is made, and an event costs its values and the call.
 *
 * A convention is a way to make a plan: those of zed are here, perf's is in perf_call.h.  Each
 * begins with this.
 */
struct py_call {
	PyObject *function; /* owned */
	/* The result of the call, a new reference; NULL: an exception is set. */
	PyObject *(*make)(struct py_call *c, struct pyrun *r, const struct event *ev);
	void (*free)(struct py_call *c); /* drops FUNCTION, too */
};

/*
 * FUNCTION (of any callable type) as trace.on() calls it for events of T (resolved): parameters by
 * name, fields or pseudo fields; `ev` is the Event; **kwargs gets the fields that no parameter has.
 * A field that T lacks gives the parameter's default, or None.  NULL: an exception is set.
 */
struct py_call *py_call_named(struct pyrun *r, const struct etype *t, PyObject *function);

/*
 * FUNCTION, one of the script's named after its event, for events of T: (cpu, secs, nsecs,
 * sequence, FIELDS...).  By place; but if a parameter has the name of a field that is at another
 * place, all are by name.  It may take fewer; *args gets the rest.
 */
struct py_call *py_call_placed(struct pyrun *r, const struct etype *t, PyObject *function);

/* trace_unhandled(name, cpu, secs, nsecs, sequence, fields), the last one a dict. */
struct py_call *py_call_unhandled(struct pyrun *r, const struct etype *t, PyObject *function);

/* NULL is fine. */
static inline void py_call_free(struct py_call *c)
{
	if (c)
		c->free(c);
}

#endif
