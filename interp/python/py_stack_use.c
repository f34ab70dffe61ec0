// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_stack_use: could the code of handlers ask for stacks?  Only then streams look for the stacks
 * that ftrace records after their events, which costs time at each of them.
 */
#include "interp/python/handlers.h"

#include <string.h>

#define NESTED 20 /* code in code: defs in defs */

struct stack_search {
	PyObject *seen;	 /* set of the ids of dicts */
	PyObject *names; /* those of Python's own modules, or NULL */
};

static bool in_globals(struct stack_search *s, PyObject *globals, bool modules);

static bool is_stack(PyObject *name)
{
	return PyUnicode_Check(name) &&
	       (PyUnicode_CompareWithASCIIString(name, "stack") == 0 ||
		PyUnicode_CompareWithASCIIString(name, "stack_symbols") == 0);
}

/* Does CODE, or code in it, have an attribute or a global of that name? */
static bool in_code(PyObject *code, unsigned depth)
{
	PyObject *names = PyObject_GetAttrString(code, "co_names");
	PyObject *consts = PyObject_GetAttrString(code, "co_consts");
	bool found = false;

	for (Py_ssize_t i = 0; names && !found && i < PyTuple_GET_SIZE(names); i++)
		found = is_stack(PyTuple_GET_ITEM(names, i));
	for (Py_ssize_t i = 0; consts && !found && depth && i < PyTuple_GET_SIZE(consts); i++) {
		PyObject *it = PyTuple_GET_ITEM(consts, i);

		found = PyCode_Check(it) ? in_code(it, depth - 1) : is_stack(it);
	}
	Py_XDECREF(names);
	Py_XDECREF(consts);
	return found;
}

static bool in_class(PyObject *type)
{
	PyObject *dict = PyObject_GetAttrString(type, "__dict__"), *values, *it;
	bool found = false;

	values = dict ? PyMapping_Values(dict) : NULL;
	for (Py_ssize_t i = 0; values && !found && i < PyList_GET_SIZE(values); i++) {
		it = PyList_GET_ITEM(values, i);
		found = PyFunction_Check(it) && in_code(PyFunction_GetCode(it), NESTED);
	}
	Py_XDECREF(dict);
	Py_XDECREF(values);
	PyErr_Clear();
	return found;
}

/* The module called NAME up to its first dot, borrowed; NULL: there is none. */
static PyObject *root_module(PyObject *name, PyObject **root)
{
	Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, PyUnicode_GET_LENGTH(name), 1);

	*root = dot > 0 ? PyUnicode_Substring(name, 0, dot) : Py_NewRef(name);
	return *root ? PyDict_GetItem(PyImport_GetModuleDict(), *root) : NULL;
}

/* Python's own modules and packages that are installed know nothing of events; zed is ours. */
static bool is_installed(const struct stack_search *s, PyObject *name)
{
	PyObject *root, *module, *file;
	const char *path;
	bool own;

	if (!name || !PyUnicode_Check(name))
		return false;
	module = root_module(name, &root);
	file = module ? PyObject_GetAttrString(module, "__file__") : NULL;
	PyErr_Clear(); /* a module that is built in has none */
	path = file && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;
	own = (path && (strstr(path, "/site-packages/") || strstr(path, "/dist-packages/"))) ||
	      (root && (PyUnicode_CompareWithASCIIString(root, "zed") == 0 ||
			(s->names && PySequence_Contains(s->names, root) == 1)));
	Py_XDECREF(root);
	Py_XDECREF(file);
	PyErr_Clear();
	return own;
}

static bool in_value(struct stack_search *s, PyObject *v, bool modules)
{
	bool module = PyModule_Check(v), found;
	PyObject *name;

	if (!PyFunction_Check(v) && !PyType_Check(v) && !(modules && module))
		return false;
	name = PyObject_GetAttrString(v, module ? "__name__" : "__module__");
	PyErr_Clear();
	if (is_installed(s, name))
		found = false;
	else if (PyFunction_Check(v))
		found = in_code(PyFunction_GetCode(v), NESTED);
	else
		found = module ? in_globals(s, PyModule_GetDict(v), false) : in_class(v);
	Py_XDECREF(name);
	PyErr_Clear();
	return found;
}

/* Do functions of GLOBALS, or (MODULES) of modules that it has? */
static bool in_globals(struct stack_search *s, PyObject *globals, bool modules)
{
	PyObject *id = PyLong_FromVoidPtr(globals), *values;
	int known = id ? PySet_Contains(s->seen, id) : 1;
	bool found = false;

	if (!known)
		PySet_Add(s->seen, id);
	Py_XDECREF(id);
	/* Attributes of classes may be computed, by code that changes them. */
	values = known ? NULL : PyDict_Values(globals);
	for (Py_ssize_t i = 0; values && !found && i < PyList_GET_SIZE(values); i++)
		found = in_value(s, PyList_GET_ITEM(values, i), modules);
	Py_XDECREF(values);
	return found;
}

/* What can be called without being a function, such as a partial: its class, and what it holds. */
static bool in_handler(struct stack_search *s, PyObject *function)
{
	PyObject *inner = PyMethod_Check(function) ? PyMethod_GET_FUNCTION(function) : function;
	PyObject *held;
	bool found;

	if (PyFunction_Check(inner))
		return in_code(PyFunction_GetCode(inner), NESTED) ||
		       in_globals(s, PyFunction_GetGlobals(inner), true);
	held = PyObject_GetAttrString(inner, "func");
	PyErr_Clear();
	found = in_class((PyObject *)Py_TYPE(inner)) ||
		(held && PyFunction_Check(held) && in_handler(s, held));
	Py_XDECREF(held);
	PyErr_Clear();
	return found;
}

bool handlers_ask_stack(struct pyrun *r)
{
	const struct py_handlers *h = r->handlers;
	struct stack_search s = { PySet_New(NULL), PySys_GetObject("stdlib_module_names") };
	bool found = s.seen && h->script.module && in_globals(&s, h->script.module, true);

	for (size_t i = 0; s.seen && !found && i < h->n; i++)
		found = in_handler(&s, h->on[i]->function);
	for (size_t i = 0; s.seen && !found && i < h->d.timers.n; i++)
		found = in_handler(&s, h->d.timers.heap[i].function);
	Py_XDECREF(s.seen);
	PyErr_Clear();
	return found;
}
