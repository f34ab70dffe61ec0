/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_PERF_VALUE_H
#define ZED_INTERP_PYTHON_PERF_PERF_VALUE_H

#include "interp/python/values.h"

/*
 * The fields of an event as perf gives them to Python: integers; text as str if all of it can be
 * printed, else as bytearray; arrays of numbers and masks as bytearray.
 */
struct perf_field {
	uint8_t op;
	uint32_t off;
	const struct field *field;
	PyObject *last; /* the text made last, owned, or NULL */
};

void perf_field_find(struct perf_field *s, const struct field *f);

/* The value for EV: a new reference.  NULL: an exception is set. */
PyObject *perf_field_value(struct py_values *v, struct perf_field *s, const struct event *ev);

void perf_field_fini(struct perf_field *s);

/*
 * S as str, the rules of all text; *LAST, owned by the caller, is the one made before it (or NULL):
 * it is given again if it is equal.  New reference.
 */
PyObject *perf_text_again(PyObject **last, const char *s, size_t len);

#endif
