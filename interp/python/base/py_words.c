/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_words: the texts that a script gives as arguments, and the place from which it gives them.
 */
#include "interp/python/base/py_words.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

char *py_words_text(PyObject *o, const char *what)
{
	PyObject *bytes;
	char *s = NULL;

	if (!PyUnicode_Check(o)) {
		PyErr_Format(PyExc_TypeError, "%s must be a str, not %.100s", what,
			     Py_TYPE(o)->tp_name);
		return NULL;
	}
	bytes = PyUnicode_AsEncodedString(o, "utf-8", "surrogateescape");
	if (!bytes)
		return NULL;
	if (strlen(PyBytes_AS_STRING(bytes)) == (size_t)PyBytes_GET_SIZE(bytes))
		s = mem_strdup(PyBytes_AS_STRING(bytes));
	else
		PyErr_Format(PyExc_ValueError, "%s must not contain a NUL", what);
	Py_DECREF(bytes);
	return s;
}

static int add_text(struct arg_names *l, PyObject *o, const char *what)
{
	char *s = py_words_text(o, what);

	if (!s)
		return -1;
	arg_names_add(l, s);
	free(s);
	return 0;
}

int py_words_list(struct arg_names *l, PyObject *o, const char *what)
{
	Py_ssize_t i;
	int rc = 0;

	if (PyUnicode_Check(o))
		return add_text(l, o, what);
	if (!PyList_Check(o) && !PyTuple_Check(o)) {
		PyErr_Format(PyExc_TypeError, "%s must be a str or a list of str, not %.100s", what,
			     Py_TYPE(o)->tp_name);
		return -1;
	}
	for (i = 0; rc == 0 && i < PySequence_Fast_GET_SIZE(o); i++)
		rc = add_text(l, PySequence_Fast_GET_ITEM(o, i), what);
	return rc;
}

char *py_words_place(void)
{
	PyFrameObject *frame = PyEval_GetFrame();
	PyObject *code = NULL, *file = NULL, *bytes = NULL;
	char text[300] = "-";

	if (frame) {
		code = (PyObject *)PyFrame_GetCode(frame);
		file = PyObject_GetAttrString(code, "co_filename");
		bytes = file ? PyUnicode_EncodeFSDefault(file) : NULL;
		if (bytes)
			snprintf(text, sizeof(text), "%.250s line %d", PyBytes_AS_STRING(bytes),
				 PyFrame_GetLineNumber(frame));
		else
			PyErr_Clear();
	}
	Py_XDECREF(bytes);
	Py_XDECREF(file);
	Py_XDECREF(code);
	return mem_strdup(text);
}
