// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handlers: the registry: what trace.on() and the script have, which types that concerns, and which
 * types are needed.
 */
#include "interp/python/handlers.h"

#include "interp/python/py_answers.h"
#include "interp/python/module.h"
#include "interp/python/py_convention.h"
#include "interp/python/base/py_words.h"
#include "interp/python/trace_object.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define TOLD_MAX 1000

const struct named_words PY_WORDS = { "zed.on", "None", "zed.events()" };

struct py_handlers *handlers_of(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	if (h)
		return h;
	r->handlers = h = mem_zalloc(sizeof(*h));
	h->names.base = &r->values.base;
	deliver_init(&h->d);
	return h;
}

static void handler_free(struct py_handler *it)
{
	PyObject *function = it->function;

	named_free(it->named);
	free(it);
	/* A destructor of an object in the closure may run. */
	Py_XDECREF(function);
}

static void drop_functions(struct py_handlers *h)
{
	while (h->nstable)
		Py_DECREF(h->stable[--h->nstable].function);
	Py_CLEAR(h->unhandled);
	Py_CLEAR(h->lost);
	Py_CLEAR(h->interval);
	Py_CLEAR(h->process);
}

void handlers_end(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;
	struct py_binding **bound = h->bound;
	unsigned n = h->nbound;

	h->bound = NULL;
	h->nbound = 0;
	h->d.calling = NULL;
	for (unsigned i = 0; i < n; i++)
		py_bindings_free(r, bound[i]);
	free(bound);
	drop_functions(h);
}

void handlers_free(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	if (!h)
		return;
	handlers_end(r);
	r->handlers = NULL;
	while (h->n)
		handler_free(h->on[--h->n]);
	script_functions_fini(&h->script);
	deliver_fini(&h->d);
	free(h->stable);
	free(h->want);
	free(h->on);
	free(h->told);
	free(h);
}

int handlers_traverse(struct pyrun *r, visitproc visit, void *arg)
{
	struct py_handlers *h = r->handlers;

	if (!h)
		return 0;
	for (size_t i = 0; i < h->n; i++)
		Py_VISIT(h->on[i]->function);
	Py_VISIT(h->script.module);
	return deliver_traverse(&h->d, visit, arg);
}

/* ---------------------------------------------------------------- bindings */

/* Make room for COUNT types. */
static void grow(struct py_handlers *h, unsigned count)
{
	if (count <= h->nbound)
		return;
	h->bound = mem_realloc(h->bound, count * sizeof(*h->bound));
	memset(h->bound + h->nbound, 0, (count - h->nbound) * sizeof(*h->bound));
	h->want = mem_realloc(h->want, count);
	memset(h->want + h->nbound, 0, count - h->nbound);
	h->nbound = count;
}

static PyObject *own(const struct py_handlers *h, const char *name)
{
	return Py_XNewRef(script_function(&h->script, name));
}

static void find_stable(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	for (unsigned i = 0; r->stable && i < stable_count(r->stable); i++) {
		const struct stable_event *ev = stable_at(r->stable, i);
		PyObject *f = script_function_of_stable(&h->script, ev);

		if (!f)
			continue;
		h->stable = mem_grow(h->stable, &h->cap_stable, h->nstable + 1, sizeof(*h->stable));
		h->stable[h->nstable++] = (struct py_stable_function){ ev, Py_NewRef(f) };
	}
}

static void find_functions(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	drop_functions(h);
	if (!h->script.module)
		return;
	h->other = h->convention && h->convention->is_chosen(r);
	h->unhandled = own(h, "trace_unhandled");
	h->lost = own(h, "trace_lost");
	h->interval = own(h, "trace_interval");
	if (h->other)
		h->process = own(h, "process_event");
	find_stable(r);
}

/* No type is bound to these any more. */
static void free_dead(struct py_handlers *h)
{
	size_t i = 0;

	while (i < h->n) {
		struct py_handler *it = h->on[i];

		if (!it->named->gone) {
			i++;
			continue;
		}
		memmove(h->on + i, h->on + i + 1, (--h->n - i) * sizeof(*h->on));
		handler_free(it);
	}
}

/* Handlers were added or removed: mark their types in LOOK (NULL: all are bound anyway). */
static void look_at(struct pyrun *r, uint8_t *look)
{
	struct py_handlers *h = r->handlers;
	struct catalog *c = r->pump->catalog;
	unsigned from;

	for (size_t k = 0; k < h->n; k++) {
		struct named *n = h->on[k]->named;

		if (!n->dead && n->bound)
			continue;
		n->bound = true;
		if (!n->dead && n->late)
			named_check_late(n, c, r->stable, r->notes);
		n->gone = n->dead;
		for (unsigned i = 0; look && i < h->nbound; i++)
			look[i] |= named_matches(n, c, catalog_at(c, i), &from) != NAMED_NO;
	}
}

/* From the next event on they come with their stacks. */
static void want_stacks(struct pyrun *r)
{
	if (r->handlers->stacks || !handlers_ask_stack(r))
		return;
	r->handlers->stacks = true;
	pyrun_stacks(r);
}

int handlers_start(struct pyrun *r)
{
	struct py_handlers *h = handlers_of(r);
	struct catalog *c = r->pump->catalog;

	find_functions(r);
	want_stacks(r);
	grow(h, catalog_count(c));
	look_at(r, NULL);
	for (unsigned i = 0; i < h->nbound; i++)
		py_bind(r, catalog_at(c, i));
	free_dead(h);
	return PyErr_Occurred() ? -1 : 0;
}

int handlers_update(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;
	struct catalog *c = r->pump->catalog;
	uint8_t *look = mem_zalloc(h->nbound + 1);
	bool changed = false;

	want_stacks(r);
	look_at(r, look);
	for (unsigned i = 0; i < h->nbound; i++)
		if (look[i])
			changed |= py_bind(r, catalog_at(c, i));
	free(look);
	free_dead(h);
	if (changed)
		handlers_want(r);
	return PyErr_Occurred() ? -1 : 0;
}

int handlers_grow(struct pyrun *r, const struct etype *t)
{
	struct py_handlers *h = r->handlers;
	struct catalog *c = r->pump->catalog;
	unsigned from = h->nbound;

	(void)t;
	grow(h, catalog_count(c));
	for (unsigned i = from; i < h->nbound; i++)
		py_bind(r, catalog_at(c, i));
	handlers_want(r);
	return PyErr_Occurred() ? -1 : 0;
}

/* ---------------------------------------------------------------- what is needed */

bool handlers_call(struct pyrun *r)
{
	const struct py_handlers *h = r->handlers;

	if (h->unhandled || h->lost || h->process || h->d.interval.every || h->d.timers.n)
		return true;
	for (unsigned i = 0; i < h->nbound; i++)
		if (h->bound[i])
			return true;
	return false;
}

/* Is one of these for events that were not chosen, too? */
static enum wanted want_of(const struct py_binding *b)
{
	for (; b; b = b->next)
		if (b->handler && b->handler->named->follows)
			return WANT_BEYOND;
	return WANT_ORDER;
}

void handlers_want(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	h->follows = false;
	for (unsigned i = 0; i < h->nbound; i++) {
		h->want[i] = h->bound[i] ? want_of(h->bound[i]) : WANT_NO;
		h->follows |= h->want[i] == WANT_BEYOND;
	}
	answers_want(r, h->want, h->nbound, !handlers_call(r));
	pyrun_want(r, h->want);
}

/* ---------------------------------------------------------------- trace.on() */

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
	TRY(take_names(n, function));
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

static PyObject *decorate(PyObject *on, PyObject *function)
{
	struct pyrun *r = run_ahead(PyTuple_GET_ITEM(on, ON_TRACE));
	struct py_handlers *h = r ? handlers_of(r) : NULL;
	struct py_handler *it;
	struct named *n;
	char *text;
	struct err e;

	if (!r)
		return NULL;
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
	h->d.attention |= PY_HANDLERS;
	return Py_NewRef(function);
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

/* Methods are made anew each time that they are named: equal, but not the same. */
static PyObject *off(PyObject *self, PyObject *function)
{
	struct pyrun *r = trace_run_of(self);
	struct py_handlers *h = r ? handlers_of(r) : NULL;
	bool any = false;

	for (size_t i = 0; h && i < h->n; i++) {
		struct py_handler *it = h->on[i];
		int same = it->named->dead ?
				   0 :
			   it->function == function ?
				   1 :
				   PyObject_RichCompareBool(it->function, function, Py_EQ);

		if (same < 0)
			return NULL;
		if (!same)
			continue;
		it->named->dead = any = true;
		h->d.attention |= PY_HANDLERS;
	}
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
	h->d.attention |= PY_STOP;
	Py_RETURN_NONE;
}

static PyObject *when(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static const char *const words[] = { "ts", "function", NULL };
	struct pyrun *r = run_ahead(self);
	PyObject *number, *function;
	unsigned long long ts;

	if (!r || !PyArg_ParseTupleAndKeywords(args, kwargs, "OO:when", (char **)words, &number,
					       &function))
		return NULL;
	if (!PyCallable_Check(function))
		return PyErr_Format(PyExc_TypeError, "when: expected a function, not %.100s",
				    Py_TYPE(function)->tp_name);
	ts = PyLong_AsUnsignedLongLong(number);
	if (ts == (unsigned long long)-1 && PyErr_Occurred())
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
