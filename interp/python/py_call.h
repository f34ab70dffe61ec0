/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_CALL_H
#define ZED_INTERP_PYTHON_PY_CALL_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>

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

/* ---- what a function takes ---- */

/* A parameter that can be given by place or by name. */
struct py_parameter {
	PyObject *name;	  /* str, borrowed from the signature */
	PyObject *preset; /* its default, borrowed; NULL: it has none */
	bool keyword;	  /* by name only */
};

struct py_signature {
	struct py_parameter *v; /* without the self of a method; those by name only come last */
	unsigned n;
	bool rest;	/* *args */
	bool keywords;	/* **kwargs */
	PyObject *kept; /* what the names and defaults are borrowed from, besides the function */
};

/*
 * What FUNCTION takes: a def, a lambda, a method of one; of other callables what
 * inspect.signature() says.  -1: an exception is set.
 */
int py_signature_of(PyObject *function, struct py_signature *s);
void py_signature_fini(struct py_signature *s);

#endif
