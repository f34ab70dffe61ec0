// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lazy: a list and a dict that are filled when they are touched.  Their slots fill them and go
 * on as those of list and dict; methods are found by tp_getattro, which fills them first.  What
 * python looks up in the type alone (reversed()) is in tp_methods.
 */
#include "interp/python/perf/lazy.h"

#include <stdint.h>

/* ---------------------------------------------------------------- the list */

struct lazy_list {
	PyListObject list;
	bool pending; /* it is to be filled */
	struct perf_from from;
};

static PyTypeObject lazy_list_type;

static int list_ready(PyObject *o)
{
	struct lazy_list *l = (struct lazy_list *)o;

	if (!l->pending)
		return 0;
	l->pending = false;
	return perf_chain_append(o, &l->from);
}

int perf_list_fill(PyObject *o)
{
	return list_ready(o);
}

static Py_ssize_t list_length(PyObject *o)
{
	return list_ready(o) < 0 ? -1 : PyList_GET_SIZE(o);
}

static PyObject *list_concat(PyObject *o, PyObject *other)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_as_sequence->sq_concat(o, other);
}

static PyObject *list_repeat(PyObject *o, Py_ssize_t n)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_as_sequence->sq_repeat(o, n);
}

static PyObject *list_item(PyObject *o, Py_ssize_t i)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_as_sequence->sq_item(o, i);
}

static int list_ass_item(PyObject *o, Py_ssize_t i, PyObject *v)
{
	return list_ready(o) < 0 ? -1 : PyList_Type.tp_as_sequence->sq_ass_item(o, i, v);
}

static int list_contains(PyObject *o, PyObject *v)
{
	return list_ready(o) < 0 ? -1 : PyList_Type.tp_as_sequence->sq_contains(o, v);
}

static PyObject *list_inplace_concat(PyObject *o, PyObject *other)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_as_sequence->sq_inplace_concat(o, other);
}

static PyObject *list_inplace_repeat(PyObject *o, Py_ssize_t n)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_as_sequence->sq_inplace_repeat(o, n);
}

static PyObject *list_subscript(PyObject *o, PyObject *key)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_as_mapping->mp_subscript(o, key);
}

static int list_ass_subscript(PyObject *o, PyObject *key, PyObject *v)
{
	return list_ready(o) < 0 ? -1 : PyList_Type.tp_as_mapping->mp_ass_subscript(o, key, v);
}

static PyObject *list_iter(PyObject *o)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_iter(o);
}

static PyObject *list_repr(PyObject *o)
{
	return list_ready(o) < 0 ? NULL : PyList_Type.tp_repr(o);
}

static PyObject *list_getattr(PyObject *o, PyObject *name)
{
	return list_ready(o) < 0 ? NULL : PyObject_GenericGetAttr(o, name);
}

static int list_ready_any(PyObject *o)
{
	return Py_IS_TYPE(o, &lazy_list_type) ? list_ready(o) : 0;
}

/* list compares two lists as they are; the other one may be lazy, too. */
static PyObject *list_compare(PyObject *o, PyObject *other, int op)
{
	return list_ready(o) < 0 || list_ready_any(other) < 0 ?
		       NULL :
		       PyList_Type.tp_richcompare(o, other, op);
}

/*
 * [1] + o reads o as it is: so python is made to ask here first, and then goes on with the slots of
 * sequences.
 */
static PyObject *list_add(PyObject *a, PyObject *b)
{
	if (list_ready_any(a) < 0 || list_ready_any(b) < 0)
		return NULL;
	Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *list_reversed(PyObject *o, PyObject *none)
{
	(void)none;
	if (list_ready(o) < 0)
		return NULL;
	return PyObject_CallMethod((PyObject *)&PyList_Type, "__reversed__", "(O)", o);
}

/* Copied and pickled as what it looks like. */
static PyObject *list_reduce(PyObject *o, PyObject *none)
{
	(void)none;
	if (list_ready(o) < 0)
		return NULL;
	return Py_BuildValue("O(N)", &PyList_Type, PyList_GetSlice(o, 0, PyList_GET_SIZE(o)));
}

static PyMethodDef list_methods[] = {
	{ "__reversed__", list_reversed, METH_NOARGS, NULL },
	{ "__reduce__", list_reduce, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PySequenceMethods list_sequence = {
	.sq_length = list_length,
	.sq_concat = list_concat,
	.sq_repeat = list_repeat,
	.sq_item = list_item,
	.sq_ass_item = list_ass_item,
	.sq_contains = list_contains,
	.sq_inplace_concat = list_inplace_concat,
	.sq_inplace_repeat = list_inplace_repeat,
};

static PyMappingMethods list_mapping = {
	.mp_length = list_length,
	.mp_subscript = list_subscript,
	.mp_ass_subscript = list_ass_subscript,
};

static PyNumberMethods list_number = {
	.nb_add = list_add,
};

static PyTypeObject lazy_list_type = {
	.ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "perf_trace_context.list",
	.tp_basicsize = sizeof(struct lazy_list),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_repr = list_repr,
	.tp_getattro = list_getattr,
	.tp_richcompare = list_compare,
	.tp_iter = list_iter,
	.tp_hash = PyObject_HashNotImplemented,
	.tp_as_sequence = &list_sequence,
	.tp_as_mapping = &list_mapping,
	.tp_as_number = &list_number,
	.tp_methods = list_methods,
};

int perf_list_begin(PyObject **o, const struct perf_from *from)
{
	struct lazy_list *l;

	if (!*o)
		*o = PyObject_CallNoArgs((PyObject *)&lazy_list_type);
	l = (struct lazy_list *)*o;
	if (!l)
		return -1;
	l->pending = true;
	l->from = *from;
	return 0;
}

/* ---------------------------------------------------------------- the dict */

struct lazy_dict {
	PyDictObject dict;
	bool pending;  /* keys are missing */
	uint32_t made; /* bit i: the value of perf_sample_keys[i] was asked for */
	struct perf_from from;
};

static PyTypeObject lazy_dict_type;
static PyObject *sample_keys[32]; /* perf_sample_keys as interned strings */

/* Put the value of the I-th key into D, if the event has one. */
static int dict_put(struct lazy_dict *d, unsigned i)
{
	PyObject *v = perf_sample_value(&d->from, i);
	int rc;

	if (!v)
		return PyErr_Occurred() ? -1 : 0;
	rc = PyDict_SetItem((PyObject *)d, sample_keys[i], v);
	Py_DECREF(v);
	return rc;
}

/* All keys in perf's order: values that the script has seen stay the same objects. */
static int dict_ready(PyObject *o)
{
	struct lazy_dict *d = (struct lazy_dict *)o;
	PyObject *seen, *v;
	int rc = 0;

	if (!d->pending)
		return 0;
	d->pending = false;
	seen = PyDict_Copy(o);
	if (!seen)
		return -1;
	PyDict_Clear(o);
	for (unsigned i = 0; rc == 0 && i < perf_sample_nkeys; i++) {
		v = d->made & 1u << i ? PyDict_GetItemWithError(seen, sample_keys[i]) : NULL;
		if (v)
			rc = PyDict_SetItem(o, sample_keys[i], v);
		else if (!(d->made & 1u << i))
			rc = dict_put(d, i);
	}
	Py_DECREF(seen);
	return rc;
}

static bool is_same_text(PyObject *a, PyObject *b)
{
	return a == b || (PyUnicode_Check(b) && PyUnicode_Compare(a, b) == 0);
}

/* Before KEY alone is looked up: make its value. */
static int dict_ready_key(PyObject *o, PyObject *key)
{
	struct lazy_dict *d = (struct lazy_dict *)o;
	unsigned i;

	if (!d->pending)
		return 0;
	for (i = 0; i < perf_sample_nkeys && sample_keys[i] != key;)
		i++;
	if (i == perf_sample_nkeys)
		for (i = 0; i < perf_sample_nkeys && !is_same_text(sample_keys[i], key);)
			i++;
	if (i == perf_sample_nkeys || d->made & 1u << i)
		return 0;
	d->made |= 1u << i;
	return dict_put(d, i);
}

static Py_ssize_t dict_length(PyObject *o)
{
	return dict_ready(o) < 0 ? -1 : PyDict_GET_SIZE(o);
}

static PyObject *dict_subscript(PyObject *o, PyObject *key)
{
	return dict_ready_key(o, key) < 0 ? NULL : PyDict_Type.tp_as_mapping->mp_subscript(o, key);
}

static int dict_ass_subscript(PyObject *o, PyObject *key, PyObject *v)
{
	return dict_ready(o) < 0 ? -1 : PyDict_Type.tp_as_mapping->mp_ass_subscript(o, key, v);
}

static int dict_contains(PyObject *o, PyObject *key)
{
	return dict_ready_key(o, key) < 0 ? -1 : PyDict_Contains(o, key);
}

static PyObject *dict_iter(PyObject *o)
{
	return dict_ready(o) < 0 ? NULL : PyDict_Type.tp_iter(o);
}

static PyObject *dict_repr(PyObject *o)
{
	return dict_ready(o) < 0 ? NULL : PyDict_Type.tp_repr(o);
}

static PyObject *dict_getattr(PyObject *o, PyObject *name)
{
	if (PyUnicode_CompareWithASCIIString(name, "get") != 0 && dict_ready(o) < 0)
		return NULL;
	return PyObject_GenericGetAttr(o, name);
}

static int dict_ready_any(PyObject *o)
{
	return Py_IS_TYPE(o, &lazy_dict_type) ? dict_ready(o) : 0;
}

static PyObject *dict_compare(PyObject *o, PyObject *other, int op)
{
	return dict_ready(o) < 0 || dict_ready_any(other) < 0 ?
		       NULL :
		       PyDict_Type.tp_richcompare(o, other, op);
}

static PyObject *dict_or(PyObject *a, PyObject *b)
{
	return dict_ready_any(a) < 0 || dict_ready_any(b) < 0 ?
		       NULL :
		       PyDict_Type.tp_as_number->nb_or(a, b);
}

static PyObject *dict_inplace_or(PyObject *o, PyObject *other)
{
	return dict_ready(o) < 0 ? NULL : PyDict_Type.tp_as_number->nb_inplace_or(o, other);
}

/* get(key, default=None) */
static PyObject *dict_get(PyObject *o, PyObject *args)
{
	PyObject *key, *other = Py_None, *v;

	if (!PyArg_UnpackTuple(args, "get", 1, 2, &key, &other) || dict_ready_key(o, key) < 0)
		return NULL;
	v = PyDict_GetItemWithError(o, key);
	if (!v && PyErr_Occurred())
		return NULL;
	return Py_NewRef(v ? v : other);
}

static PyObject *dict_reversed(PyObject *o, PyObject *none)
{
	(void)none;
	if (dict_ready(o) < 0)
		return NULL;
	return PyObject_CallMethod((PyObject *)&PyDict_Type, "__reversed__", "(O)", o);
}

static PyObject *dict_reduce(PyObject *o, PyObject *none)
{
	(void)none;
	if (dict_ready(o) < 0)
		return NULL;
	return Py_BuildValue("O(N)", &PyDict_Type, PyDict_Copy(o));
}

static PyMethodDef dict_methods[] = {
	{ "get", dict_get, METH_VARARGS, NULL },
	{ "__reversed__", dict_reversed, METH_NOARGS, NULL },
	{ "__reduce__", dict_reduce, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PySequenceMethods dict_sequence = {
	.sq_contains = dict_contains,
};

static PyMappingMethods dict_mapping = {
	.mp_length = dict_length,
	.mp_subscript = dict_subscript,
	.mp_ass_subscript = dict_ass_subscript,
};

static PyNumberMethods dict_number = {
	.nb_or = dict_or,
	.nb_inplace_or = dict_inplace_or,
};

static PyTypeObject lazy_dict_type = {
	.ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "perf_trace_context.dict",
	.tp_basicsize = sizeof(struct lazy_dict),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_repr = dict_repr,
	.tp_getattro = dict_getattr,
	.tp_richcompare = dict_compare,
	.tp_iter = dict_iter,
	.tp_hash = PyObject_HashNotImplemented,
	.tp_as_sequence = &dict_sequence,
	.tp_as_mapping = &dict_mapping,
	.tp_as_number = &dict_number,
	.tp_methods = dict_methods,
};

int perf_dict_begin(PyObject **o, const struct perf_from *from)
{
	struct lazy_dict *d;

	if (!*o)
		*o = PyObject_CallNoArgs((PyObject *)&lazy_dict_type);
	d = (struct lazy_dict *)*o;
	if (!d)
		return -1;
	d->pending = true;
	d->made = 0;
	d->from = *from;
	return 0;
}

/* ---------------------------------------------------------------- the end of their event */

/* O, which the script keeps, is filled by READY, and is the script's alone from now on. */
static int leave(PyObject **o, int (*ready)(PyObject *))
{
	PyObject *first = py_error_take();
	int rc = ready(*o);

	Py_CLEAR(*o);
	/* It is the one that is told. */
	if (first)
		py_error_set(first);
	return rc;
}

int perf_list_end(PyObject **o)
{
	struct lazy_list *l = (struct lazy_list *)*o;
	int rc = 0;

	if (!l)
		return 0;
	if (Py_REFCNT(l) > 1)
		return leave(o, list_ready);
	if (!l->pending && PyList_GET_SIZE(l))
		rc = PyList_SetSlice((PyObject *)l, 0, PyList_GET_SIZE(l), NULL);
	l->pending = false;
	return rc;
}

int perf_dict_end(PyObject **o)
{
	struct lazy_dict *d = (struct lazy_dict *)*o;

	if (!d)
		return 0;
	if (Py_REFCNT(d) > 1)
		return leave(o, dict_ready);
	if (!d->pending || d->made)
		PyDict_Clear((PyObject *)d);
	d->pending = false;
	d->made = 0;
	return 0;
}

int perf_lazy_init(void)
{
	lazy_list_type.tp_base = &PyList_Type;
	lazy_dict_type.tp_base = &PyDict_Type;
	if (PyType_Ready(&lazy_list_type) < 0 || PyType_Ready(&lazy_dict_type) < 0)
		return -1;
	for (unsigned i = 0; i < perf_sample_nkeys; i++) {
		if (!sample_keys[i])
			sample_keys[i] = PyUnicode_InternFromString(perf_sample_keys[i]);
		if (!sample_keys[i])
			return -1;
	}
	return 0;
}
