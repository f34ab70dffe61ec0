/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module: the module zed: what it consists of, and its exceptions.
 */
#include "interp/python/module.h"

#include "interp/python/py_answers.h"
#include "interp/python/batches.h"
#include "interp/python/event_object.h"
#include "interp/python/base/python_text.h"
#include "interp/python/trace_object.h"
#include "interp/python/base/trace_words.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART "zed_part.py"

/* The one module of this process, and what is often asked for of it; references. */
static struct {
	PyObject *module, *error, *warning;
} zed;

PyObject *zed_module(void)
{
	return zed.module;
}

PyObject *zed_error(void)
{
	return zed.error;
}

PyObject *zed_warning(void)
{
	return zed.warning;
}

PyObject *zed_part(const char *name)
{
	PyObject *dict = PyModule_GetDict(zed.module);
	PyObject *found = PyDict_GetItemString(dict, name);

	if (!found)
		PyErr_Format(PyExc_AttributeError, "module 'zed' has no attribute '%s'", name);
	return found;
}

int zed_register(PyTypeObject *type, const char *abc)
{
	PyObject *abcs = PyImport_ImportModule("collections.abc");
	PyObject *is = abcs ? PyObject_GetAttrString(abcs, abc) : NULL;
	PyObject *done = is ? PyObject_CallMethod(is, "register", "O", type) : NULL;

	Py_XDECREF(abcs);
	Py_XDECREF(is);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

/* ---- exceptions ---- */

/* Set TEXT of LEN bytes as attribute NAME of O; NULL: None. */
static int set_text(PyObject *o, const char *name, const char *text, size_t len)
{
	PyObject *value = text ? py_text(text, len) : Py_NewRef(Py_None);
	int rc = value ? PyObject_SetAttrString(o, name, value) : -1;

	Py_XDECREF(value);
	return rc;
}

void *zed_raise(const struct err *e)
{
	char text[4 * sizeof(e->path) + 2 * sizeof(e->msg) + 64];
	const char *more = strchr(e->msg, '\n'); /* an expression and its caret: err_more() */
	PyObject *message, *error;
	size_t len;

	/* What a function of Python's that was called has set says more. */
	if (PyErr_Occurred())
		return NULL;
	err_text(e, text, sizeof(text));
	len = strlen(text);
	if (more)
		snprintf(text + len, sizeof(text) - len, "%s", more);
	message = py_text(text, strlen(text));
	error = message ? PyObject_CallOneArg(zed.error, message) : NULL;
	if (error && set_text(error, "path", *e->path ? e->path : NULL, strlen(e->path)) == 0 &&
	    set_text(error, "reason", e->msg, strlen(e->msg)) == 0)
		PyErr_SetObject(zed.error, error);
	Py_XDECREF(message);
	Py_XDECREF(error);
	return NULL;
}

void *zed_raise_text(const char *path, const char *fmt, ...)
{
	char text[600];
	struct err e;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&e, ERR_USAGE, ERR_NO_OFF, "%s", text);
	if (path)
		err_path(&e, path);
	return zed_raise(&e);
}

static int add_exceptions(PyObject *module)
{
	PyObject *preset = Py_BuildValue("{sOss}", "path", Py_None, "reason", "");

	if (!preset)
		return -1;
	zed.error = PyErr_NewExceptionWithDoc(
		"zed.Error",
		"What a trace cannot give: an input that cannot be read, an event or a time that\n"
		"it does not have. path: of the input, or None; reason: the message without it.",
		PyExc_Exception, preset);
	Py_DECREF(preset);
	zed.warning = PyErr_NewExceptionWithDoc(
		"zed.TraceWarning",
		"What was found while a trace was read, and does not end it: damage, losses.",
		PyExc_UserWarning, NULL);
	if (!zed.error || !zed.warning || PyModule_AddObjectRef(module, "Error", zed.error) < 0 ||
	    PyModule_AddObjectRef(module, "TraceWarning", zed.warning) < 0)
		return -1;
	return 0;
}

/* ---- functions of a trace, without one ---- */

const PyMethodDef *zed_method(size_t i)
{
	static const PyMethodDef *const lists[] = { trace_methods, handlers_methods,
						    answers_methods, functions_methods,
						    batches_methods };

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (const PyMethodDef *def = lists[k]; def->ml_name; def++)
			if (!i--)
				return def;
	return NULL;
}

static PyObject *no_trace(PyObject *self, PyObject *args, PyObject *kwargs)
{
	const char *name = PyUnicode_AsUTF8(self);

	return zed_raise_text(NULL,
			      "%s: no trace is open: with zed.open(FILE) as trace: trace.%s(...)",
			      name, name);
}

/* DEF, a method of Trace, as a function; one that needs no trace works without. */
static int add_function(PyObject *module, PyMethodDef *def)
{
	PyObject *name = PyUnicode_FromString(def->ml_name), *function;
	bool any = def->ml_flags & METH_STATIC;
	int rc;

	if (any) {
		def->ml_flags &= ~METH_STATIC;
	} else {
		def->ml_meth = (PyCFunction)(void (*)(void))no_trace;
		def->ml_flags = METH_VARARGS | METH_KEYWORDS;
	}
	function = name ? PyCFunction_NewEx(def, any ? NULL : name, NULL) : NULL;
	rc = function ? PyModule_AddObjectRef(module, def->ml_name, function) : -1;
	Py_XDECREF(function);
	Py_XDECREF(name);
	return rc;
}

/* The program's Trace puts its own in their place: trace_object_new(). */
static int add_functions(PyObject *module)
{
	PyMethodDef *defs;
	size_t n = 0;

	while (zed_method(n))
		n++;
	/* Functions refer to them for ever. */
	defs = mem_alloc((n + 1) * sizeof(*defs));
	for (size_t i = 0; i < n; i++) {
		defs[i] = *zed_method(i);
		if (add_function(module, &defs[i]) < 0)
			return -1;
	}
	return 0;
}

/* ---- its part in Python ---- */

static int run_part(PyObject *module)
{
	const struct python_text *part = python_text(PART);
	PyObject *dict = PyModule_GetDict(module), *code, *done;

	/* warnings.warn() of Python 3.14 needs it in the globals of its caller. */
	if (PyDict_SetItemString(dict, "__builtins__", PyEval_GetBuiltins()) < 0)
		return -1;
	code = Py_CompileString(part->text, "<zed>/" PART, Py_file_input);
	done = code ? PyEval_EvalCode(code, dict, dict) : NULL;
	Py_XDECREF(code);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

PyDoc_STRVAR(DOC, "Events of Linux kernel traces: trace.dat, perf.data, CTF, LTT, zed streams.\n\n"
		  "    import zed\n"
		  "    with zed.open(\"trace.dat\", events=\"sched:sched_switch\") as trace:\n"
		  "        for event in trace:\n"
		  "            print(event.ts, event.cpu, event[\"next_comm\"])\n\n"
		  "A script of zedpython has its trace already, as zed.trace, and its methods as\n"
		  "functions: zed.on(), zed.count(), zed.comm() ...");

static PyMethodDef METHODS[] = {
	{ "open", (PyCFunction)(void (*)(void))trace_object_open, METH_VARARGS | METH_KEYWORDS,
	  trace_words_doc },
	{ .ml_name = NULL },
};

static struct PyModuleDef DEFINITION = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "zed",
	.m_doc = DOC,
	.m_size = -1,
	.m_methods = METHODS,
};

PyMODINIT_FUNC PyInit_zed(void)
{
	PyObject *module = PyModule_Create(&DEFINITION);

	if (!module)
		return NULL;
	zed.module = module;
	if (add_exceptions(module) == 0 && event_object_init(module) == 0 &&
	    trace_object_init(module) == 0 && batches_init(module) == 0 &&
	    answers_init(module) == 0 && add_functions(module) == 0 &&
	    PyModule_AddStringConstant(module, "__version__", ZED_PYTHON_VERSION) == 0 &&
	    run_part(module) == 0)
		return Py_NewRef(module);
	zed.module = NULL;
	Py_DECREF(module);
	return NULL;
}
