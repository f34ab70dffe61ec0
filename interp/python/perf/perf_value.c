// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_value: fields as perf's Python scripts get them.
 */
#include "interp/python/perf/perf_value.h"

#include <ctype.h>
#include <string.h>

enum op {
	OP_INT, /* any integer */
	OP_S32,
	OP_U32,
	OP_S64,
	OP_U64,
	OP_TEXT,
	OP_BYTES,
	OP_OTHER, /* as zed has it */
};

static uint8_t int_op(const struct field *f)
{
	if (f->swap || f->kind == FIELD_ENUM)
		return OP_INT;
	if (f->size == 4)
		return f->is_signed ? OP_S32 : OP_U32;
	if (f->size == 8)
		return f->is_signed ? OP_S64 : OP_U64;
	return OP_INT;
}

static uint8_t op_of(const struct field *f)
{
	switch (f->kind) {
	case FIELD_UINT:
	case FIELD_INT:
	case FIELD_ENUM:
		return int_op(f);
	case FIELD_STR:
		return OP_TEXT;
	case FIELD_ARRAY:
	case FIELD_BYTES:
	case FIELD_BITMASK:
		return OP_BYTES;
	}
	return OP_OTHER;
}

void perf_field_find(struct perf_field *s, const struct field *f)
{
	*s = (struct perf_field){ .op = op_of(f), .off = f->off, .field = f };
}

void perf_field_fini(struct perf_field *s)
{
	Py_CLEAR(s->last);
}

PyObject *perf_text_again(PyObject **last, const char *s, size_t len)
{
	PyObject *o = *last;

	if (o && PyUnicode_IS_COMPACT_ASCII(o) && (size_t)PyUnicode_GET_LENGTH(o) == len &&
	    !memcmp(PyUnicode_1BYTE_DATA(o), s, len))
		return Py_NewRef(o);
	o = py_text(s, len);
	if (o)
		Py_XSETREF(*last, Py_NewRef(o));
	return o;
}

/* perf's rule for what is text: it ends with a NUL, and what is before the first can be printed. */
static bool is_text(const struct span *s, size_t *len)
{
	if (!s->len || s->p[s->len - 1])
		return false;
	*len = strlen((const char *)s->p);
	for (size_t i = 0; i < *len; i++)
		if (s->p[i] >= 0x80 || (!isprint(s->p[i]) && !isspace(s->p[i])))
			return false;
	return true;
}

static PyObject *bytes_of(const struct span *s)
{
	return PyByteArray_FromStringAndSize((const char *)s->p, s->len);
}

static PyObject *text_of(struct perf_field *f, const struct span *s)
{
	size_t len;

	return is_text(s, &len) ? perf_text_again(&f->last, (const char *)s->p, len) : bytes_of(s);
}

static PyObject *span_value(struct py_values *v, struct perf_field *f, const struct event *ev)
{
	struct span s;

	field_budget_span(&v->budget, f->field, ev, &s);
	return f->op == OP_TEXT ? text_of(f, &s) : bytes_of(&s);
}

static PyObject *any_int(const struct field *f, const struct event *ev)
{
	uint64_t v = field_scalar(f, ev);

	return f->is_signed ? PyLong_FromLongLong((int64_t)v) : PyLong_FromUnsignedLongLong(v);
}

PyObject *perf_field_value(struct py_values *v, struct perf_field *s, const struct event *ev)
{
	const uint8_t *p = ev->data + s->off;

	switch ((enum op)s->op) {
	case OP_S32:
		return PyLong_FromLong((int32_t)field_load_signed(p, 4, false));
	case OP_U32:
		return PyLong_FromUnsignedLong(field_load(p, 4, false));
	case OP_S64:
		return PyLong_FromLongLong(field_load_signed(p, 8, false));
	case OP_U64:
		return PyLong_FromUnsignedLongLong(field_load(p, 8, false));
	case OP_INT:
		return any_int(s->field, ev);
	case OP_TEXT:
	case OP_BYTES:
		return span_value(v, s, ev);
	case OP_OTHER:
		break;
	}
	return py_field(v, s->field, ev);
}
