// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modules: perf_trace_context, whose functions tell of the current event what is no argument;
 * and the start of what finds perf's other modules.
 */
#include "interp/python/perf/modules.h"

#include "interp/common/perf_sample.h"
#include "interp/python/handlers.h"
#include "interp/python/base/python_text.h"
#include "interp/python/pyrun.h"
#include "trace/chain_frame.h"

#include <ctype.h>
#include <string.h>

/* ---------------------------------------------------------------- perf_trace_context */

PyObject *perf_context_new(struct pyrun *r)
{
	static char place; /* a capsule has to lead somewhere */
	PyObject *context = PyCapsule_New(&place, NULL, NULL);

	if (context && PyCapsule_SetContext(context, r) < 0)
		Py_CLEAR(context);
	return context;
}

void perf_context_end(PyObject *context)
{
	if (context)
		PyCapsule_SetContext(context, NULL);
}

/* The current event of the run that ARGS, a context alone, is of, into *EV; NULL: there is none. */
static bool event_of(PyObject *context, const struct event **ev)
{
	struct pyrun *r;

	*ev = NULL;
	if (!PyCapsule_CheckExact(context)) {
		PyErr_SetString(PyExc_ValueError, "expected the context that a handler gets");
		return false;
	}
	r = PyCapsule_GetContext(context);
	if (r && r->handlers)
		*ev = r->handlers->d.ev;
	return !PyErr_Occurred();
}

/* The common field NAME of the current event; 0: it has none, or there is no event. */
static PyObject *common_field(PyObject *context, const char *name)
{
	const struct event *ev;
	const struct field *f;

	if (!event_of(context, &ev))
		return NULL;
	f = ev ? field_find_in(ev->type->fields, ev->type->ncommon, name) : NULL;
	return PyLong_FromLongLong(f ? (long long)field_scalar(f, ev) : 0);
}

static PyObject *common_pc(PyObject *module, PyObject *context)
{
	(void)module;
	return common_field(context, "common_preempt_count");
}

static PyObject *common_flags(PyObject *module, PyObject *context)
{
	(void)module;
	return common_field(context, "common_flags");
}

/* Kernels before 2.6.39 had it. */
static PyObject *common_lock_depth(PyObject *module, PyObject *context)
{
	(void)module;
	return common_field(context, "common_lock_depth");
}

/* The bytes of the instruction: no recording has them. */
static PyObject *sample_insn(PyObject *module, PyObject *context)
{
	const struct event *ev;

	(void)module;
	return event_of(context, &ev) ? Py_NewRef(Py_None) : NULL;
}

/* (file, line) of the sample's code, with --inline; else (None, 0). */
static PyObject *sample_srcline(PyObject *module, PyObject *context)
{
	const struct code_line *lines = NULL;
	struct perf_numbers numbers;
	const struct event *ev;

	(void)module;
	if (!event_of(context, &ev))
		return NULL;
	if (ev) {
		perf_numbers_of(ev, &numbers);
		if (!numbers.ip || !chain_lines(ev, numbers.ip, numbers.ip >> 63, false, &lines))
			lines = NULL;
	}
	if (!lines || !*lines->file)
		return Py_BuildValue("(Oi)", Py_None, 0);
	return Py_BuildValue("(NI)", py_text(lines->file, strlen(lines->file)), lines->line);
}

/* The same, and the text of the line, which is not known. */
static PyObject *sample_srccode(PyObject *module, PyObject *context)
{
	PyObject *place = sample_srcline(module, context), *all;

	if (!place)
		return NULL;
	all = Py_BuildValue("(OOO)", PyTuple_GET_ITEM(place, 0), PyTuple_GET_ITEM(place, 1),
			    Py_None);
	Py_DECREF(place);
	return all;
}

/* There are no instruction traces: options for them change nothing. */
static PyObject *set_itrace_options(PyObject *module, PyObject *args)
{
	const char *options;
	PyObject *context;

	(void)module;
	return PyArg_ParseTuple(args, "Os", &context, &options) ? PyLong_FromLong(0) : NULL;
}

/* A setting of perf's configuration: none is made here. */
static PyObject *config_get(PyObject *module, PyObject *name)
{
	(void)module;
	(void)name;
	Py_RETURN_NONE;
}

static PyMethodDef context_methods[] = {
	{ "common_pc", common_pc, METH_O, "The preemption count of the current event." },
	{ "common_flags", common_flags, METH_O, "The flags of the current event." },
	{ "common_lock_depth", common_lock_depth, METH_O, "0; of kernels before 2.6.39." },
	{ "perf_sample_insn", sample_insn, METH_O, "None: recordings have no instructions." },
	{ "perf_sample_srcline", sample_srcline, METH_O,
	  "(file, line) of the sample's code, with --inline; else (None, 0)." },
	{ "perf_sample_srccode", sample_srccode, METH_O, "(file, line, None)." },
	{ "perf_set_itrace_options", set_itrace_options, METH_VARARGS,
	  "0: there are no traces of instructions." },
	{ "perf_config_get", config_get, METH_O, "None." },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef context_module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "perf_trace_context",
	.m_doc = "For scripts that were written for perf script.",
	.m_size = -1,
	.m_methods = context_methods,
};

/* perf's scripts find it among their own names, too, also those that import other names only. */
static int give_context(PyObject *context)
{
	PyObject *main = PyImport_AddModule("__main__"), *name;
	bool done;

	name = main ? PyUnicode_FromString("perf_script_context") : NULL;
	done = name && PyDict_SetDefault(PyModule_GetDict(main), name, context);
	Py_XDECREF(name);
	return done ? 0 : -1;
}

static PyObject *make_context_module(void)
{
	PyObject *module = PyModule_Create(&context_module), *context = perf_context_new(NULL);

	/* For a script that asks before the first event. */
	if (!module || !context ||
	    PyModule_AddObjectRef(module, "perf_script_context", context) < 0 ||
	    give_context(context) < 0)
		Py_CLEAR(module);
	Py_XDECREF(context);
	return module;
}

void perf_modules_init(void)
{
	PyImport_AppendInittab("perf_trace_context", make_context_module);
}

/* ---------------------------------------------------------------- the others */

static PyObject *finder; /* the namespace of perf/finder.py, once it was started */

#define FOLDER "perf/"
#define FINDER FOLDER "finder.py"

/* Name of a module -> its source. */
static PyObject *all_texts(void)
{
	PyObject *texts = PyDict_New(), *name, *text;
	size_t folder = strlen(FOLDER), len;
	int rc = texts ? 0 : -1;

	for (const struct python_text *t = python_texts; rc == 0 && t->name; t++) {
		len = strlen(t->name);
		/* The others are parts of this. */
		if (strncmp(t->name, FOLDER, folder) != 0 || !isupper(t->name[folder]))
			continue;
		name = PyUnicode_FromStringAndSize(t->name + folder, len - folder - strlen(".py"));
		text = PyUnicode_FromStringAndSize(t->text, t->len);
		rc = name && text ? PyDict_SetItem(texts, name, text) : -1;
		Py_XDECREF(name);
		Py_XDECREF(text);
	}
	if (rc < 0)
		Py_CLEAR(texts);
	return texts;
}

PyObject *perf_run_text(const char *name, PyObject *texts)
{
	PyObject *space = PyDict_New(), *code, *result = NULL;

	code = Py_CompileString(python_text(name)->text, name, Py_file_input);
	if (space && code &&
	    PyDict_SetItemString(space, "__builtins__", PyEval_GetBuiltins()) == 0 &&
	    (!texts || PyDict_SetItemString(space, "texts", texts) == 0))
		result = PyEval_EvalCode(code, space, space);
	Py_XDECREF(code);
	if (!result)
		Py_CLEAR(space);
	Py_XDECREF(result);
	return space;
}

int perf_modules_start(const char *text)
{
	PyObject *texts = all_texts(), *start, *result;

	finder = texts ? perf_run_text(FINDER, texts) : NULL;
	Py_XDECREF(texts);
	start = finder ? PyDict_GetItemString(finder, "start") : NULL;
	if (!start)
		return -1;
	result = PyObject_CallOneArg(start, strstr(text, "PERF_EXEC_PATH") ? Py_True : Py_False);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

bool perf_modules_loaded(void)
{
	PyObject *loaded = finder ? PyDict_GetItemString(finder, "loaded") : NULL, *result;
	bool yes;

	if (!loaded)
		return false;
	result = PyObject_CallNoArgs(loaded);
	yes = result == Py_True;
	Py_XDECREF(result);
	PyErr_Clear();
	return yes;
}
