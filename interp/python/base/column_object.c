/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column_object: zed.Column: numbers of one width, for numpy and memoryview.
 */
#include "interp/python/base/column_object.h"

#include <stdlib.h>
#include <string.h>

static inline struct column_object *column_of(PyObject *self)
{
	return (struct column_object *)self;
}

unsigned column_object_size(char format)
{
	switch (format) {
	case 'b':
	case 'B':
		return 1;
	case 'h':
	case 'H':
		return 2;
	case 'i':
	case 'I':
	case 'f':
		return 4;
	case 'q':
	case 'Q':
	case 'd':
		return 8;
	default:
		return 0;
	}
}

PyObject *column_object_new(void *p, Py_ssize_t n, char format)
{
	struct column_object *c = PyObject_New(struct column_object, &column_object_type);

	if (!c) {
		free(p);
		return NULL;
	}
	c->p = p;
	c->n = n;
	c->size = column_object_size(format);
	c->format[0] = format;
	c->format[1] = '\0';
	return (PyObject *)c;
}

static void column_dealloc(PyObject *self)
{
	free(column_of(self)->p);
	PyObject_Free(self);
}

/* The column owns its memory, so writing to it is allowed, too. */
static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	struct column_object *c = column_of(self);

	view->obj = Py_NewRef(self);
	view->buf = c->p;
	view->len = c->n * c->size;
	view->itemsize = c->size;
	view->readonly = 0;
	view->ndim = 1;
	view->format = flags & PyBUF_FORMAT ? c->format : NULL;
	view->shape = (flags & PyBUF_ND) == PyBUF_ND ? &c->n : NULL;
	view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &c->size : NULL;
	view->suboffsets = NULL;
	view->internal = NULL;
	return 0;
}

static Py_ssize_t column_length(PyObject *self)
{
	return column_of(self)->n;
}

#define NUMBER(type, make) \
	{ \
		type v; \
\
		memcpy(&v, p, sizeof(v)); \
		return make(v); \
	}

static PyObject *column_item(PyObject *self, Py_ssize_t i)
{
	struct column_object *c = column_of(self);
	const char *p = (const char *)c->p + i * c->size;

	if (i < 0 || i >= c->n) {
		PyErr_SetString(PyExc_IndexError, "row out of range");
		return NULL;
	}
	switch (c->format[0]) {
	case 'b':
		NUMBER(int8_t, PyLong_FromLong)
	case 'B':
		NUMBER(uint8_t, PyLong_FromLong)
	case 'h':
		NUMBER(int16_t, PyLong_FromLong)
	case 'H':
		NUMBER(uint16_t, PyLong_FromLong)
	case 'i':
		NUMBER(int32_t, PyLong_FromLong)
	case 'I':
		NUMBER(uint32_t, PyLong_FromUnsignedLong)
	case 'q':
		NUMBER(int64_t, PyLong_FromLongLong)
	case 'Q':
		NUMBER(uint64_t, PyLong_FromUnsignedLongLong)
	case 'f':
		NUMBER(float, PyFloat_FromDouble)
	default:
		NUMBER(double, PyFloat_FromDouble)
	}
}

/* A part is a memoryview: no copy either. */
static PyObject *column_subscript(PyObject *self, PyObject *key)
{
	PyObject *view, *part;
	Py_ssize_t i;

	if (!PySlice_Check(key)) {
		i = PyNumber_AsSsize_t(key, PyExc_IndexError);
		if (i == -1 && PyErr_Occurred())
			return NULL;
		return column_item(self, i < 0 ? i + column_of(self)->n : i);
	}
	view = PyMemoryView_FromObject(self);
	part = view ? PyObject_GetItem(view, key) : NULL;
	Py_XDECREF(view);
	return part;
}

static PyObject *to_list(PyObject *self, PyObject *unused)
{
	return PySequence_List(self);
}

static PyObject *get_format(PyObject *self, void *unused)
{
	return PyUnicode_FromString(column_of(self)->format);
}

static PyObject *column_repr(PyObject *self)
{
	return PyUnicode_FromFormat("<zed.Column of %zd \"%s\">", column_of(self)->n,
				    column_of(self)->format);
}

static PyMethodDef METHODS[] = {
	{ "tolist", to_list, METH_NOARGS, "tolist() -> list: its numbers" },
	{ .ml_name = NULL },
};

static PyGetSetDef GETSET[] = {
	{ "format", get_format, NULL, "kind of its numbers, as the module struct calls it (str)",
	  NULL },
	{ .name = NULL },
};

static PySequenceMethods SEQUENCE = {
	.sq_length = column_length,
	.sq_item = column_item,
};

static PyMappingMethods MAPPING = {
	.mp_length = column_length,
	.mp_subscript = column_subscript,
};

static PyBufferProcs BUFFER = {
	.bf_getbuffer = get_buffer,
};

PyDoc_STRVAR(DOC,
	     "Numbers of one width, as a column of trace.batches().\n\n"
	     "It has the buffer protocol: numpy.asarray(column) and memoryview(column) make no\n"
	     "copy, nor does column[10:20], a memoryview.");

PyTypeObject column_object_type = {
	.ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zed.Column",
	.tp_doc = DOC,
	.tp_basicsize = sizeof(struct column_object),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_SEQUENCE,
	.tp_dealloc = column_dealloc,
	.tp_repr = column_repr,
	.tp_as_sequence = &SEQUENCE,
	.tp_as_mapping = &MAPPING,
	.tp_as_buffer = &BUFFER,
	.tp_methods = METHODS,
	.tp_getset = GETSET,
};

int column_object_init(PyObject *module)
{
	return PyModule_AddType(module, &column_object_type);
}
