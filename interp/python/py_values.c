/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_values: fields and pseudo fields of one event as Python's values.  What is read by name is
 * found once for a type, as a step; its usual cost is a load and the making of an int.
 */
#include "interp/python/values.h"

#include "interp/python/module.h"
#include "base/mem.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

#define NSEC 1000000000u
#define NAMED_KEPT 1024 /* values with names that a step keeps: an enum's ranges have no end */

/* ---- text ---- */

PyObject *py_text(const char *s, size_t len)
{
	return PyUnicode_DecodeUTF8(s, (Py_ssize_t)len, "surrogateescape");
}

PyObject *py_text_cut(const uint8_t *p, size_t len)
{
	const uint8_t *nul = len ? memchr(p, 0, len) : NULL;

	return py_text((const char *)p, nul ? (size_t)(nul - p) : len);
}

/* The text as a str: the last one, if it is equal. */
static inline PyObject *kept_text(struct py_step *s, const void *p, size_t len)
{
	PyObject *made;

	if (s->last && py_text_is(s->last, p, len))
		return Py_NewRef(s->last);
	made = py_text(p, len);
	if (made)
		Py_XSETREF(s->last, Py_NewRef(made));
	return made;
}

/* ---- kinds of fields ---- */

static PyObject *integer(bool is_signed, uint64_t v)
{
	return is_signed ? PyLong_FromLongLong((long long)v) : PyLong_FromUnsignedLongLong(v);
}

static PyObject *array_value(const struct field *f, const struct span *s)
{
	Py_ssize_t n = s->len / f->elem;
	PyObject *list = PyList_New(n);

	for (Py_ssize_t i = 0; list && i < n; i++) {
		const uint8_t *p = s->p + i * f->elem;
		PyObject *item = integer(f->is_signed,
					 f->is_signed ?
						 (uint64_t)field_load_signed(p, f->elem, f->swap) :
						 field_load(p, f->elem, f->swap));

		if (!item)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, item);
	}
	return list;
}

/* The list of a mask may be longer than the mask. */
static PyObject *bits_value(struct py_values *v, const struct field *f, const struct span *s,
			    const struct event *ev)
{
	char buf[256], *text = buf;
	size_t need = field_bits(s, f->elem, f->swap, buf, sizeof(buf));
	PyObject *made;

	if (!field_budget_take(&v->budget, f, ev, need))
		need = 0;
	if (need >= sizeof(buf)) {
		text = mem_alloc(need + 1);
		field_bits(s, f->elem, f->swap, text, need + 1);
	}
	made = py_text(text, need);
	if (text != buf)
		free(text);
	return made;
}

/* A zed.Named, a number with a name; a value without one is a plain int. */
static PyObject *enum_value(const struct field *f, int64_t value)
{
	const char *label = field_label(f, value);
	PyObject *number = integer(f->is_signed, (uint64_t)value), *type, *name, *made;

	if (!number || !label)
		return number;
	type = zed_part("Named");
	name = type ? py_text(label, strlen(label)) : NULL;
	made = name ? PyObject_CallFunctionObjArgs(type, number, name, NULL) : NULL;
	Py_XDECREF(name);
	Py_DECREF(number);
	return made;
}

static PyObject *struct_value(struct py_values *v, const struct field *f, const struct event *ev)
{
	struct event in = field_inside(ev, ev->data + f->off);
	PyObject *dict = PyDict_New();

	for (unsigned i = 0; dict && i < f->more->nmembers; i++) {
		const struct field *m = &f->more->members[i];
		PyObject *name = py_text(m->name, strlen(m->name));
		PyObject *value = name ? py_field(v, m, &in) : NULL;

		if (!value || PyDict_SetItem(dict, name, value) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(name);
		Py_XDECREF(value);
	}
	return dict;
}

static PyObject *list_value(struct py_values *v, const struct field *f, const struct event *ev,
			    const struct span *s)
{
	PyObject *list = PyList_New(0);

	for (uint32_t at = 0; list && f->elem && at + f->elem <= s->len; at += f->elem) {
		struct event in = field_inside(ev, s->p + at);
		PyObject *item = py_field(v, &f->more->members[0], &in);

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *nest_value(struct py_values *v, const struct field *f, const struct event *ev)
{
	PyObject *made;
	struct span s;

	if (Py_EnterRecursiveCall(" in a field of a field"))
		return NULL;
	if (f->kind == FIELD_STRUCT) {
		made = struct_value(v, f, ev);
	} else {
		field_budget_span(&v->budget, f, ev, &s);
		made = list_value(v, f, ev, &s);
	}
	Py_LeaveRecursiveCall();
	return made;
}

static PyObject *span_value(struct py_values *v, const struct field *f, const struct event *ev)
{
	struct span s;

	field_budget_span(&v->budget, f, ev, &s);
	switch (f->kind) {
	case FIELD_STR:
		return py_text_cut(s.p, s.len);
	case FIELD_ARRAY:
		return array_value(f, &s);
	case FIELD_BITMASK:
		return bits_value(v, f, &s, ev);
	default:
		return PyBytes_FromStringAndSize((const char *)s.p, s.len);
	}
}

PyObject *py_field(struct py_values *v, const struct field *f, const struct event *ev)
{
	switch (f->kind) {
	case FIELD_UINT:
	case FIELD_INT:
		return integer(f->is_signed, field_scalar(f, ev));
	case FIELD_FLOAT:
		return PyFloat_FromDouble(field_float(f, ev));
	case FIELD_ENUM:
		return enum_value(f, (int64_t)field_scalar(f, ev));
	case FIELD_STRUCT:
	case FIELD_LIST:
		return nest_value(v, f, ev);
	case FIELD_NONE:
		return Py_NewRef(Py_None);
	default:
		return span_value(v, f, ev);
	}
}

/* ---- steps ---- */

void py_step_field(struct py_step *s, const struct field *f)
{
	static const uint8_t INTS[2][9] = {
		{ [1] = PY_U8, [2] = PY_U16, [4] = PY_U32, [8] = PY_U64 },
		{ [1] = PY_S8, [2] = PY_S16, [4] = PY_S32, [8] = PY_S64 },
	};

	*s = (struct py_step){ .op = PY_FIELD, .off = f->off, .field = f };
	if (f->kind == FIELD_NONE)
		s->op = PY_NONE;
	else if (f->kind == FIELD_STR)
		s->op = PY_STR;
	else if (field_is_int(f) && !f->swap && f->size <= 8 && INTS[f->is_signed][f->size])
		s->op = INTS[f->is_signed][f->size];
}

bool py_step_find(struct py_step *s, const struct etype *t, const char *name)
{
	static const uint8_t OPS[] = {
		[PSEUDO_NONE] = PY_NONE,	 [PSEUDO_TS] = PY_TS,
		[PSEUDO_SECS] = PY_SECS,	 [PSEUDO_NSECS] = PY_NSECS,
		[PSEUDO_CPU] = PY_CPU,		 [PSEUDO_PID] = PY_PID,
		[PSEUDO_COMM] = PY_COMM,	 [PSEUDO_CGROUP] = PY_CGROUP,
		[PSEUDO_SEQUENCE] = PY_SEQUENCE, [PSEUDO_EVENT] = PY_EVENT,
		[PSEUDO_INSTANCE] = PY_INSTANCE, [PSEUDO_SOURCE] = PY_SOURCE,
	};
	struct meaning m = pseudo_meaning(t, name, PSEUDO_ALL);

	*s = (struct py_step){ .op = PY_NONE };
	if (m.what == PSEUDO_NONE && m.field) {
		py_step_field(s, m.field);
		return true;
	}
	/* What an Event calls it. */
	if (m.what == PSEUDO_NONE && !strcmp(name, "name"))
		m.what = PSEUDO_EVENT;
	s->op = OPS[m.what];
	s->field = m.field;
	return m.what != PSEUDO_NONE;
}

/* The task that S is about. */
static inline int32_t task_of(const struct py_step *s, const struct event *ev)
{
	return s->field ? (int32_t)field_scalar(s->field, ev) : ev->pid;
}

PyObject *py_type_name(const struct etype *t)
{
	PyObject *system = py_text(t->system, strlen(t->system));
	PyObject *name = system ? py_text(t->name, strlen(t->name)) : NULL;
	PyObject *both = name ? PyUnicode_FromFormat("%U:%U", system, name) : NULL;

	Py_XDECREF(system);
	Py_XDECREF(name);
	return both;
}

/* The step is of one type. */
static PyObject *event_name(struct py_step *s, const struct etype *t)
{
	if (!s->last)
		s->last = py_type_name(t);
	return Py_XNewRef(s->last);
}

static PyObject *string_value(struct py_values *v, struct py_step *s, const struct event *ev)
{
	const uint8_t *nul;
	struct span at;

	field_budget_span(&v->budget, s->field, ev, &at);
	nul = at.len ? memchr(at.p, 0, at.len) : NULL;
	return kept_text(s, at.p, nul ? (size_t)(nul - at.p) : at.len);
}

/* The same for an enum: S->last is a dict of the values met, each with its zed.Named. */
static PyObject *kept_enum(struct py_step *s, const struct event *ev)
{
	int64_t value = (int64_t)field_scalar(s->field, ev);
	PyObject *key = integer(s->field->is_signed, (uint64_t)value), *made;

	if (!key)
		return NULL;
	if (!s->last && !(s->last = PyDict_New()))
		goto fail;
	made = PyDict_GetItemWithError(s->last, key);
	if (made) {
		Py_DECREF(key);
		return Py_NewRef(made);
	}
	if (PyErr_Occurred())
		goto fail;
	if (PyDict_GET_SIZE(s->last) >= NAMED_KEPT)
		PyDict_Clear(s->last);
	made = enum_value(s->field, value);
	if (made && PyDict_SetItem(s->last, key, made) < 0)
		Py_CLEAR(made);
	Py_DECREF(key);
	return made;
fail:
	Py_DECREF(key);
	return NULL;
}

static PyObject *pseudo_value(struct py_values *v, struct py_step *s, const struct event *ev)
{
	const char *text;

	switch (s->op) {
	case PY_TS:
		return PyLong_FromUnsignedLongLong(ev->ts - v->base);
	case PY_SECS:
		return PyLong_FromUnsignedLongLong((ev->ts - v->base) / NSEC);
	case PY_NSECS:
		return PyLong_FromLong((ev->ts - v->base) % NSEC);
	case PY_PID:
		return PyLong_FromLong(ev->pid);
	case PY_SEQUENCE:
		return PyLong_FromUnsignedLongLong(ev->seq);
	case PY_SOURCE:
		return PyLong_FromUnsignedLong(ev->from->source);
	case PY_EVENT:
		return event_name(s, ev->type);
	case PY_COMM:
		text = comms_name(ev->type->machine->comms, task_of(s, ev));
		return kept_text(s, text, strlen(text));
	case PY_CGROUP:
		text = machine_cgroup(ev->type->machine, ev->ts, task_of(s, ev));
		return kept_text(s, text, strlen(text));
	case PY_INSTANCE:
		return kept_text(s, ev->from->instance, strlen(ev->from->instance));
	default:
		return Py_NewRef(Py_None);
	}
}

PyObject *py_step_value(struct py_values *v, struct py_step *s, const struct event *ev)
{
	const uint8_t *p = ev->data + s->off;

	switch (s->op) {
	case PY_U8:
		return PyLong_FromLong(*p);
	case PY_U16:
		return PyLong_FromLong((long)field_load(p, 2, false));
	case PY_U32:
		return PyLong_FromUnsignedLong((unsigned long)field_load(p, 4, false));
	case PY_U64:
		return PyLong_FromUnsignedLongLong(field_load(p, 8, false));
	case PY_S8:
		return PyLong_FromLong((long)field_load_signed(p, 1, false));
	case PY_S16:
		return PyLong_FromLong((long)field_load_signed(p, 2, false));
	case PY_S32:
		return PyLong_FromLong((long)field_load_signed(p, 4, false));
	case PY_S64:
		return PyLong_FromLongLong(field_load_signed(p, 8, false));
	case PY_STR:
		return string_value(v, s, ev);
	case PY_CPU:
		return PyLong_FromLong(ev->cpu);
	case PY_FIELD:
		return s->field->kind == FIELD_ENUM ? kept_enum(s, ev) : py_field(v, s->field, ev);
	default:
		return pseudo_value(v, s, ev);
	}
}

void py_step_fini(struct py_step *s)
{
	Py_CLEAR(s->last);
	s->op = PY_NONE;
}
