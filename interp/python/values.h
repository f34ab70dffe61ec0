/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_VALUES_H
#define ZED_INTERP_PYTHON_VALUES_H

#include "interp/python/base/python_inc.h"
#include "interp/common/field_budget.h"
#include "trace/event.h"
#include "trace/pseudo.h"

/*
 * Values of events as Python's: integers exact, text str (surrogateescape for what is not UTF-8),
 * bytes, lists of int, masks "0,2-5", float, zed.Named (a number with a name), dict of a structure,
 * list, None of a promised field that the trace does not have.
 */
struct py_values {
	uint64_t base; /* ns subtracted from every time (--relative) */
	/* Before the values of an event, or an access by name: field_budget_begin(). */
	struct field_budget budget;
};

/*
 * The value of F of EV: a new reference.  NULL: an exception is set (memory).
 */
PyObject *py_field(struct py_values *v, const struct field *f, const struct event *ev);

/*
 * LEN bytes as str, the rules of all text of traces; new reference.  py_text_cut(): up to the first
 * NUL, if there is one.
 */
PyObject *py_text(const char *s, size_t len);
PyObject *py_text_cut(const uint8_t *p, size_t len);

/* Is S, from py_text(), that text?  Only ASCII is compared: false for others. */
static inline bool py_text_is(PyObject *s, const void *p, size_t len)
{
	return PyUnicode_IS_ASCII(s) && (size_t)PyUnicode_GET_LENGTH(s) == len &&
	       (!len || !memcmp(PyUnicode_1BYTE_DATA(s), p, len));
}

/* "sched:sched_switch"; new reference. */
PyObject *py_type_name(const struct etype *t);

/* What a step reads. */
enum py_op {
	PY_NONE, /* None */
	/* Pseudo fields (pseudo.h). */
	PY_TS,
	PY_SECS,
	PY_NSECS,
	PY_CPU,
	PY_PID,
	PY_COMM, /* the task's; with a field: of the task whose pid that is */
	PY_CGROUP,
	PY_SEQUENCE,
	PY_EVENT, /* "sched:sched_switch" */
	PY_INSTANCE,
	PY_SOURCE,
	/* Integers of our byte order, at off. */
	PY_U8,
	PY_U16,
	PY_U32,
	PY_U64,
	PY_S8,
	PY_S16,
	PY_S32,
	PY_S64,
	PY_STR,	  /* text; the last one is kept while it is equal */
	PY_FIELD, /* any other field */
};

/*
 * A value by name, found once for a type: a field or a pseudo field.  Zeroed: PY_NONE.
 */
struct py_step {
	uint8_t op; /* enum py_op */
	uint32_t off;
	const struct field *field;
	PyObject *last; /* the string made last, owned; or NULL */
};

/*
 * NAME for T (resolved) into S, which must not own anything yet.  False: T has none, and S is
 * PY_NONE.  A field that is promised and not there (FIELD_NONE) is found: None.
 */
bool py_step_find(struct py_step *s, const struct etype *t, const char *name);

/* The step that reads the field F. */
void py_step_field(struct py_step *s, const struct field *f);

/* The value for EV, which is of the step's type: a new reference.  NULL: an exception is set. */
PyObject *py_step_value(struct py_values *v, struct py_step *s, const struct event *ev);

/* Release what S keeps. */
void py_step_fini(struct py_step *s);

#endif
