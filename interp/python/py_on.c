// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_on: the methods of Trace that register what is called, and those that give it events: on, off,
 * when, handlers, run, stop.
 */
#include "interp/python/handlers.h"

#include "interp/python/base/py_words.h"
#include "interp/python/module.h"
#include "interp/python/pyrun.h"
#include "interp/python/trace_object.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define TOLD_MAX 1000

/* Is this the first one with this text at this place?  After TOLD_MAX, never. */
static bool is_new(struct py_handlers *h, const struct named *n)
{
	uint64_t key = named_key(n);

	for (size_t i = 0; i < h->ntold; i++)
		if (h->told[i] == key)
			return false;
	if (h->ntold == TOLD_MAX)
		return false;
	h->told = mem_grow(h->told, &h->cap_told, h->ntold + 1, sizeof(*h->told));
	h->told[h->ntold++] = key;
	return true;
}

/* The fields that FUNCTION needs, for messages: those without a default. */
static int take_names(struct named *n, PyObject *function)
{
	struct py_signature s;
	int rc = 0;

	if (py_signature_of(function, &s) < 0)
		return -1;
	for (unsigned i = 0; rc == 0 && i < s.n; i++) {
		const char *name = PyUnicode_AsUTF8(s.v[i].name);

		if (!name)
			rc = -1;
		else if (!s.v[i].preset && strcmp(name, "ev") != 0 && strcmp(name, "name") != 0)
			arg_names_add(&n->args, name);
	}
	py_signature_fini(&s);
	return rc;
}

/* What on() was given, as the decorator that it returns has it. */
enum { ON_TRACE, ON_EVENT, ON_WHERE, ON_OPTIONAL, ON_BEYOND, ON_ALL };

/*
 * The run R of SELF, after Python ran, which may have ended it.  NULL: an exception is set.
 */
static struct pyrun *run_still(PyObject *self, const struct pyrun *r)
{
	struct pyrun *now = trace_run_of(self);

	if (!now || now == r)
		return now;
	return zed_raise_text(NULL, "on: the trace was opened again meanwhile");
}

/* The handler of N: its filter, names and place.  -1: an exception is set. */
static int fill(struct pyrun *r, struct named *n, PyObject *on, PyObject *function)
{
	PyObject *where = PyTuple_GET_ITEM(on, ON_WHERE);
	char text[1024];
	struct err e;

	n->optional = PyTuple_GET_ITEM(on, ON_OPTIONAL) == Py_True;
	n->follows = PyTuple_GET_ITEM(on, ON_BEYOND) == Py_True;
	n->at = py_words_place();
	if (where != Py_None && !(n->where = py_words_text(where, "on: where")))
		return -1;
	if (take_names(n, function) < 0 || !run_still(PyTuple_GET_ITEM(on, ON_TRACE), r))
		return -1;
	if (named_check(n, r->pump->catalog, is_new(r->handlers, n) ? r->notes : NULL, &e) == 0)
		return 0;
	zed_raise_text(NULL, "on: where: %s", err_text(&e, text, sizeof(text)));
	return -1;
}

/* The run that SELF's new handlers are for: the next one, if this has come to its end. */
static struct pyrun *run_ahead(PyObject *self)
{
	struct pyrun *r = trace_run_of(self);

	return r && r->over && !r->delivers ? trace_run_to_read(self) : r;
}

/* FUNCTION for what ON says, in R, which is held.  NULL: an exception is set. */
static PyObject *add(struct pyrun *r, PyObject *on, PyObject *function)
{
	struct py_handlers *h = handlers_of(r);
	struct py_handler *it;
	struct named *n;
	char *text;
	struct err e;

	if (!PyCallable_Check(function))
		return PyErr_Format(PyExc_TypeError, "on: expected a function, not %.100s",
				    Py_TYPE(function)->tp_name);
	if (h->d.phase >= PY_PHASE_END)
		return zed_raise_text(NULL, "on: the run is over");
	text = py_words_text(PyTuple_GET_ITEM(on, ON_EVENT), "on: event");
	if (!text)
		return NULL;
	n = named_new(text, r->stable, &PY_WORDS, &e);
	free(text);
	if (!n)
		return zed_raise(&e);
	if (fill(r, n, on, function) < 0) {
		named_free(n);
		return NULL;
	}
	it = mem_zalloc(sizeof(*it));
	it->named = n;
	it->function = Py_NewRef(function);
	h->on = mem_grow(h->on, &h->cap, h->n + 1, sizeof(*h->on));
	h->on[h->n++] = it;
	deliver_attend(&h->d, PY_HANDLERS);
	return Py_NewRef(function);
}

static PyObject *decorate(PyObject *on, PyObject *function)
{
	struct pyrun *r = run_ahead(PyTuple_GET_ITEM(on, ON_TRACE));
	PyObject *made;

	if (!r)
		return NULL;
	pyrun_hold(r);
	made = add(r, on, function);
	pyrun_drop(r);
	return made;
}

static PyMethodDef DECORATE = { "on", decorate, METH_O, "Register the function, and return it." };

static PyObject *on(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static const char *const words[] = { "event", "where", "optional", "beyond", NULL };
	PyObject *event, *where = Py_None, *kept, *decorator;
	int optional = 0, beyond = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|Opp:on", (char **)words, &event, &where,
					 &optional, &beyond))
		return NULL;
	if (!trace_run_of(self))
		return NULL;
	if (!PyUnicode_Check(event))
		return PyErr_Format(PyExc_TypeError,
				    "on: expected the name of an event, as in "
				    "@zed.on(\"sched:sched_switch\"), not %.100s",
				    Py_TYPE(event)->tp_name);
	kept = PyTuple_Pack(ON_ALL, self, event, where, optional ? Py_True : Py_False,
			    beyond ? Py_True : Py_False);
	decorator = kept ? PyCFunction_New(&DECORATE, kept) : NULL;
	Py_XDECREF(kept);
	return decorator;
}

/*
 * The functions of H that equal FUNCTION, as a list: methods are made anew each time that they are
 * named, equal, but not the same.  A comparison may run Python, which may change or end H.
 */
static PyObject *equal_functions(const struct py_handlers *h, PyObject *function)
{
	PyObject *all = PyList_New(0), *equal = PyList_New(0);
	int rc = all && equal ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < h->n; i++)
		if (!h->on[i]->named->dead)
			rc = PyList_Append(all, h->on[i]->function);
	for (Py_ssize_t i = 0; rc == 0 && i < PyList_GET_SIZE(all); i++) {
		PyObject *it = PyList_GET_ITEM(all, i);

		rc = PyObject_RichCompareBool(it, function, Py_EQ);
		rc = rc > 0 ? PyList_Append(equal, it) : rc;
	}
	Py_XDECREF(all);
	if (rc < 0)
		Py_CLEAR(equal);
	return equal;
}

static bool has(PyObject *list, const PyObject *o)
{
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++)
		if (PyList_GET_ITEM(list, i) == o)
			return true;
	return false;
}

static PyObject *off(PyObject *self, PyObject *function)
{
	struct pyrun *r = trace_run_of(self);
	PyObject *equal = r ? equal_functions(handlers_of(r), function) : NULL;
	struct py_handlers *h;
	bool any = false;

	r = equal ? trace_run_of(self) : NULL;
	h = r ? handlers_of(r) : NULL;
	for (size_t i = 0; h && i < h->n; i++) {
		struct py_handler *it = h->on[i];

		if (it->named->dead || !has(equal, it->function))
			continue;
		it->named->dead = any = true;
		deliver_attend(&h->d, PY_HANDLERS);
	}
	Py_XDECREF(equal);
	return r ? PyBool_FromLong(any) : NULL;
}

static PyObject *declare(PyObject *self, PyObject *args)
{
	struct pyrun *r = trace_run_of(self);
	char *system;
	bool fine;

	if (!r)
		return NULL;
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++) {
		system = py_words_text(PyTuple_GET_ITEM(args, i), "handlers: a system");
		if (!system)
			return NULL;
		fine = script_functions_declare(&handlers_of(r)->script, system);
		free(system);
		if (!fine)
			return PyErr_Format(PyExc_ValueError,
					    "handlers: %R cannot be a system of events",
					    PyTuple_GET_ITEM(args, i));
	}
	Py_RETURN_NONE;
}

static PyObject *run(PyObject *self, PyObject *unused)
{
	struct pyrun *r;

	(void)unused;
	if (trace_read(self) < 0)
		return NULL;
	r = trace_run_of(self);
	if (!r || deliver_run(r) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *stop(PyObject *self, PyObject *unused)
{
	struct pyrun *r = trace_run_of(self);
	struct py_handlers *h = r ? handlers_of(r) : NULL;

	(void)unused;
	if (!r)
		return NULL;
	if (h->d.phase == PY_PHASE_LOAD)
		return zed_raise_text(NULL, "stop: the run has not begun (call it from trace_begin "
					    "or a handler)");
	h->d.stop = true;
	deliver_attend(&h->d, PY_STOP);
	Py_RETURN_NONE;
}

static PyObject *when(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static const char *const words[] = { "ts", "function", NULL };
	PyObject *number, *function;
	unsigned long long ts;
	struct pyrun *r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:when", (char **)words, &number,
					 &function))
		return NULL;
	if (!PyCallable_Check(function))
		return PyErr_Format(PyExc_TypeError, "when: expected a function, not %.100s",
				    Py_TYPE(function)->tp_name);
	ts = PyLong_AsUnsignedLongLong(number);
	if (ts == (unsigned long long)-1 && PyErr_Occurred())
		return NULL;
	r = run_ahead(self);
	if (!r)
		return NULL;
	timers_add(&handlers_of(r)->d.timers, ts, function);
	Py_RETURN_NONE;
}

PyDoc_STRVAR(
	on_doc,
	"on($self, /, event, where=None, optional=False, beyond=False)\n--\n\n"
	"Decorator: call the function for each event of that name (\"sched:sched_switch\",\n"
	"\"sched:*\", a stable event). Its parameters are taken by name: fields, pseudo fields\n"
	"(ts, cpu, pid, comm, ...), ev: the Event, **kwargs: all other fields. A field that is\n"
	"missing gives the parameter's default, or None.\n\n"
	"where: an expression that events must pass; optional: no message if the trace has no\n"
	"such event; beyond: also events that the choice of times, CPUs and tasks leaves out.");
PyDoc_STRVAR(off_doc, "off($self, handler, /)\n--\n\n"
		      "Remove a function that on() has registered. False: there is none.");
PyDoc_STRVAR(run_doc,
	     "run($self, /)\n--\n\n"
	     "Give all events to the handlers. zedpython does that after the script, unless\n"
	     "the script has read the trace itself.");
PyDoc_STRVAR(stop_doc, "stop($self, /)\n--\n\nEnd the run after the current call.");
PyDoc_STRVAR(when_doc,
	     "when($self, /, ts, function)\n--\n\n"
	     "Call function(ts) once, before the first event at or after the time ts (ns) that a\n"
	     "handler gets; never if there is none.");
PyDoc_STRVAR(declare_doc,
	     "handlers($self, /, *systems)\n--\n\n"
	     "Events of these systems call functions that are named SYSTEM__EVENT. The systems of\n"
	     "Linux need no such line.");

PyMethodDef handlers_methods[] = {
	{ "on", (PyCFunction)(void (*)(void))on, METH_VARARGS | METH_KEYWORDS, on_doc },
	{ "off", off, METH_O, off_doc },
	{ "run", run, METH_NOARGS, run_doc },
	{ "stop", stop, METH_NOARGS, stop_doc },
	{ "when", (PyCFunction)(void (*)(void))when, METH_VARARGS | METH_KEYWORDS, when_doc },
	{ "handlers", declare, METH_VARARGS, declare_doc },
	{ NULL, NULL, 0, NULL },
};
