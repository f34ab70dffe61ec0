/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_TYPE_H
#define ZED_INTERP_PYTHON_PY_TYPE_H

#include "interp/python/values.h"

struct pyrun;

/*
 * What is known of a type of events, made when its first event, or a name of it, is asked for: a
 * file may declare a million types that have no event.
 */
struct py_type {
	const struct etype *type;
	PyObject *name;	  /* "sched:sched_switch" */
	PyObject *names;  /* dict: field name, or pseudo field asked for -> index in steps */
	unsigned nfields; /* the first steps are the event's own fields, in format order */
	unsigned nsteps;
	size_t cap;
	struct py_step *steps;
};

/*
 * Those of a run.  The type of a stable event has the idx of the raw one, and is found by its
 * address: it lives as long as the run (pyrun_retire()).
 */
struct py_types {
	struct py_type **v; /* by idx; NULL: not asked for yet */
	size_t n;
	struct py_type **stable;
	size_t nstable, cap_stable;
};

/* That of T (resolved), kept by R.  NULL: an exception is set. */
struct py_type *py_type_of(struct pyrun *r, const struct etype *t);

/*
 * The step for the name KEY (a str): one of its own fields, a common_* field or a pseudo field;
 * valid until the next call.  NULL: KeyError is set, which names the nearest one; or, if QUIET, T
 * has no such name, and no exception is set unless something failed.
 */
struct py_step *py_type_step(struct py_type *t, PyObject *key, bool quiet);

/* The name of own field number I < nfields; borrowed from the catalog. */
const char *py_type_field_name(const struct py_type *t, unsigned i);

void py_types_free(struct pyrun *r);

#endif
