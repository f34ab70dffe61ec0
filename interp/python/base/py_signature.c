// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_signature: what a function takes: from its code object, or as the module inspect sees it.
 */
#include "interp/python/base/py_signature.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void add(struct py_signature *s, PyObject *name, PyObject *preset, bool keyword)
{
	s->v = mem_realloc(s->v, (s->n + 1) * sizeof(*s->v));
	s->v[s->n++] = (struct py_parameter){ name, preset, keyword };
}

/* ATTRIBUTE of O, kept as long as S; borrowed. */
static PyObject *kept(struct py_signature *s, PyObject *o, const char *attribute)
{
	PyObject *v = PyObject_GetAttrString(o, attribute);
	int rc = v ? PyList_Append(s->kept, v) : -1;

	Py_XDECREF(v);
	return rc < 0 ? NULL : v;
}

/* ATTRIBUTE of O, a number; -1: an exception is set. */
static long number(PyObject *o, const char *attribute)
{
	PyObject *v = PyObject_GetAttrString(o, attribute);
	long n = v ? PyLong_AsLong(v) : -1;

	Py_XDECREF(v);
	return n;
}

/* From the def itself; the first SELF parameters are not to be given. */
static int of_function(struct py_signature *s, PyObject *function, long self)
{
	PyObject *code = PyFunction_GetCode(function), *names, *defaults, *others;
	long n, only, flags;
	Py_ssize_t presets;

	names = kept(s, code, "co_varnames");
	defaults = names ? kept(s, function, "__defaults__") : NULL;
	others = defaults ? kept(s, function, "__kwdefaults__") : NULL;
	n = number(code, "co_argcount");
	only = number(code, "co_kwonlyargcount");
	flags = number(code, "co_flags");
	if (!others || n < 0 || only < 0 || flags < 0 || PyTuple_GET_SIZE(names) < n + only)
		return -1;
	presets = PyTuple_Check(defaults) ? PyTuple_GET_SIZE(defaults) : 0;
	for (long i = self; i < n; i++)
		add(s, PyTuple_GET_ITEM(names, i),
		    i >= n - presets ? PyTuple_GET_ITEM(defaults, i - (n - presets)) : NULL, false);
	for (long i = n; i < n + only; i++) {
		PyObject *name = PyTuple_GET_ITEM(names, i);

		add(s, name, PyDict_Check(others) ? PyDict_GetItemWithError(others, name) : NULL,
		    true);
	}
	s->rest = flags & CO_VARARGS;
	s->keywords = flags & CO_VARKEYWORDS;
	return PyErr_Occurred() ? -1 : 0;
}

/* inspect.Parameter.kind */
enum kind { POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD };

static int add_inspected(struct py_signature *s, PyObject *parameter, PyObject *empty)
{
	PyObject *name = kept(s, parameter, "name");
	PyObject *preset = name ? kept(s, parameter, "default") : NULL;
	long kind = preset ? number(parameter, "kind") : -1;

	if (kind < 0)
		return -1;
	if (kind == VAR_POSITIONAL)
		s->rest = true;
	else if (kind == VAR_KEYWORD)
		s->keywords = true;
	else
		add(s, name, preset == empty ? NULL : preset, kind == KEYWORD_ONLY);
	return 0;
}

static int of_callable(struct py_signature *s, PyObject *function)
{
	PyObject *inspect = PyImport_ImportModule("inspect");
	PyObject *signature = inspect ? PyObject_CallMethod(inspect, "signature", "O", function) :
					NULL;
	PyObject *all = signature ? PyObject_GetAttrString(signature, "parameters") : NULL;
	PyObject *values = all ? PyMapping_Values(all) : NULL;
	PyObject *empty = values ? kept(s, signature, "empty") : NULL;
	int rc = empty ? 0 : -1;

	for (Py_ssize_t i = 0; rc == 0 && i < PyList_GET_SIZE(values); i++)
		rc = add_inspected(s, PyList_GET_ITEM(values, i), empty);
	Py_XDECREF(values);
	Py_XDECREF(all);
	Py_XDECREF(signature);
	Py_XDECREF(inspect);
	return rc;
}

int py_signature_of(PyObject *function, struct py_signature *s)
{
	bool is_method = PyMethod_Check(function);
	PyObject *inner = is_method ? PyMethod_GET_FUNCTION(function) : function;
	int rc;

	*s = (struct py_signature){ .kept = PyList_New(0) };
	if (!s->kept)
		return -1;
	/* What a decorator has made says by __wrapped__ what it takes, which inspect follows. */
	if (PyFunction_Check(inner) && !PyObject_HasAttrString(inner, "__wrapped__"))
		rc = of_function(s, inner, is_method);
	else
		rc = of_callable(s, function);
	if (rc < 0)
		py_signature_fini(s);
	return rc;
}

void py_signature_fini(struct py_signature *s)
{
	free(s->v);
	Py_XDECREF(s->kept);
	memset(s, 0, sizeof(*s));
}
