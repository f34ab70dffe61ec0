/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_type: the names and steps of a type of events, for access by name; made when the first of them
 * is asked for.
 */
#include "interp/python/py_type.h"

#include "interp/python/pyrun.h"
#include "base/glob.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void free_type(struct py_type *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->nsteps; i++)
		py_step_fini(&t->steps[i]);
	free(t->steps);
	Py_XDECREF(t->name);
	Py_XDECREF(t->names);
	free(t);
}

/* The name KEY is that of step number I, unless an earlier one has it.  -1: exception. */
static int enter(struct py_type *t, PyObject *key, unsigned i)
{
	PyObject *index = PyLong_FromLong(i);
	int rc = index && PyDict_SetDefault(t->names, key, index) ? 0 : -1;

	Py_XDECREF(index);
	return rc;
}

static struct py_step *add_step(struct py_type *t)
{
	t->steps = mem_grow_zeroed(t->steps, &t->cap, t->nsteps + 1, sizeof(*t->steps));
	return &t->steps[t->nsteps++];
}

static int add_fields(struct py_type *t)
{
	const struct etype *type = t->type;

	for (unsigned i = type->ncommon; i < type->nfields; i++) {
		const struct field *f = &type->fields[i];
		PyObject *name = py_text(f->name, strlen(f->name));
		int rc;

		py_step_field(add_step(t), f);
		if (name)
			PyUnicode_InternInPlace(&name);
		rc = name ? enter(t, name, i - type->ncommon) : -1;
		Py_XDECREF(name);
		if (rc < 0)
			return -1;
	}
	t->nfields = t->nsteps;
	return 0;
}

static struct py_type *make_type(const struct etype *type)
{
	struct py_type *t = mem_zalloc(sizeof(*t));

	t->type = type;
	t->name = py_type_name(type);
	t->names = t->name ? PyDict_New() : NULL;
	if (t->names && add_fields(t) == 0)
		return t;
	free_type(t);
	return NULL;
}

/* Of a stable event: there are as many as handlers named. */
static struct py_type *stable_type_of(struct py_types *v, const struct etype *type)
{
	struct py_type *t;

	for (size_t i = 0; i < v->nstable; i++)
		if (v->stable[i]->type == type)
			return v->stable[i];
	t = make_type(type);
	if (!t)
		return NULL;
	v->stable = mem_grow(v->stable, &v->cap_stable, v->nstable + 1, sizeof(*v->stable));
	return v->stable[v->nstable++] = t;
}

struct py_type *py_type_of(struct pyrun *r, const struct etype *type)
{
	struct py_types *v = &r->types;
	unsigned idx = type->idx;

	/* Its idx is the raw type's; it lives as long as R (pyrun_retire()). */
	if (type->stable)
		return stable_type_of(v, type);
	if (idx >= v->n)
		v->v = mem_grow_zeroed(v->v, &v->n, idx + 1, sizeof(*v->v));
	if (!v->v[idx])
		v->v[idx] = make_type(type);
	return v->v[idx];
}

void py_types_free(struct pyrun *r)
{
	struct py_types *v = &r->types;

	for (size_t i = 0; i < v->n; i++)
		free_type(v->v[i]);
	while (v->nstable)
		free_type(v->stable[--v->nstable]);
	free(v->v);
	free(v->stable);
	*v = (struct py_types){ .v = NULL };
}

const char *py_type_field_name(const struct py_type *t, unsigned i)
{
	return t->type->fields[t->type->ncommon + i].name;
}

/* ---- by name ---- */

struct candidates {
	const struct etype *type;
	unsigned i, pseudo;
};

static const char *next_name(void *arg)
{
	struct candidates *c = arg;

	if (c->i < c->type->nfields)
		return c->type->fields[c->i++].name;
	return pseudo_name(c->pseudo++);
}

static void *no_field(const struct py_type *t, PyObject *key, const char *name)
{
	struct candidates c = { .type = t->type };
	const char *near = name ? nearest_name(name, next_name, &c) : NULL;
	PyObject *text;

	if (near)
		text = PyUnicode_FromFormat("%U has no field %R; did you mean '%s'?", t->name, key,
					    near);
	else
		text = PyUnicode_FromFormat("%U has no field %R", t->name, key);
	if (text)
		PyErr_SetObject(PyExc_KeyError, text);
	Py_XDECREF(text);
	return NULL;
}

/* A common or a pseudo field: it is entered when it is first asked for. */
static struct py_step *late_step(struct py_type *t, PyObject *key, bool quiet)
{
	Py_ssize_t len;
	const char *name = PyUnicode_AsUTF8AndSize(key, &len);
	struct py_step s;

	/* A lone surrogate, or a NUL: a field with that in its name is entered already. */
	if (!name)
		PyErr_Clear();
	else if (strlen(name) != (size_t)len)
		name = NULL;
	if (!name || !py_step_find(&s, t->type, name))
		return quiet ? NULL : no_field(t, key, name);
	if (enter(t, key, t->nsteps) < 0) {
		py_step_fini(&s);
		return NULL;
	}
	*add_step(t) = s;
	return &t->steps[t->nsteps - 1];
}

struct py_step *py_type_step(struct py_type *t, PyObject *key, bool quiet)
{
	PyObject *index = PyDict_GetItemWithError(t->names, key);

	if (index)
		return &t->steps[PyLong_AsLong(index)];
	if (PyErr_Occurred())
		return NULL;
	if (!PyUnicode_Check(key))
		return quiet ? NULL : no_field(t, key, NULL);
	return late_step(t, key, quiet);
}
