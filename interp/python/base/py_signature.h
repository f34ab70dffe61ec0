/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_PY_SIGNATURE_H
#define ZED_INTERP_PYTHON_BASE_PY_SIGNATURE_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>

/* What a function takes. */

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
