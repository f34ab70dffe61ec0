/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_object: zed.Trace: what it is made of, its events one after the other, and what is known of
 * its inputs.
 */
#include "interp/python/trace_object.h"

#include "interp/python/event_object.h"
#include "interp/python/handlers.h"
#include "interp/python/module.h"
#include "interp/python/base/opened.h"
#include "interp/python/base/trace_words.h"
#include "base/mem.h"
#include "run/period.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

struct trace_object {
	PyObject_HEAD
	struct pyrun *run;	 /* NULL: closed */
	struct open_words words; /* of zed.open(), to open it again */
	bool program;		 /* the program's */
	bool read;		 /* the script has begun to read it */
};

static inline struct trace_object *trace_of(PyObject *self)
{
	return (struct trace_object *)self;
}

/* ---- its run ---- */

/* Events are skipped that others than the batches that read this trace would get. */
static void *say_narrow(void)
{
	return zed_raise_text(NULL,
			      "batches() is reading this trace, without the events that lack a "
			      "column: open it again for others");
}

struct pyrun *trace_run_now(PyObject *self)
{
	if (!PyObject_TypeCheck(self, &trace_object_type)) {
		PyErr_Format(PyExc_TypeError, "expected a zed.Trace, not %.100s",
			     Py_TYPE(self)->tp_name);
		return NULL;
	}
	if (!trace_of(self)->run)
		return zed_raise_text(NULL, "the trace is closed");
	return trace_of(self)->run;
}

struct pyrun *trace_run_of(PyObject *self)
{
	struct pyrun *r = trace_run_now(self);

	if (r && r->apart)
		return zed_raise_text(NULL, "another thread waits for events of this trace");
	return r;
}

static void drop_run(struct trace_object *t)
{
	struct pyrun *r = t->run;

	t->run = NULL;
	if (!r)
		return;
	pyrun_leave(r);
	pyrun_release(r);
	pyrun_drop(r);
}

#define LOOK_MS 100 /* a signal that comes before the poll waits that long */

/* Standard input may have nothing for a long time: until it has, signals are handled. */
static int wait_for_input(const struct open_words *w)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	bool waits = false;
	int rc = 0;

	for (size_t i = 0; i < w->paths.n; i++)
		waits |= !strcmp(w->paths.v[i], "-");
	while (waits && rc == 0) {
		if (PyErr_CheckSignals() < 0)
			return -1;
		Py_BEGIN_ALLOW_THREADS;
		rc = poll(&p, 1, LOOK_MS);
		Py_END_ALLOW_THREADS;
		rc = rc < 0 && errno == EINTR ? 0 : rc;
	}
	return 0;
}

static int open_run(struct trace_object *t)
{
	struct opened *o;
	struct err e;

	if (wait_for_input(&t->words) < 0)
		return -1;
	/* What is said meanwhile is kept: nothing of Python's is called. */
	Py_BEGIN_ALLOW_THREADS;
	o = opened_new(&t->words, &e);
	Py_END_ALLOW_THREADS;
	if (!o) {
		zed_raise(&e);
		return -1;
	}
	/* Another thread was faster. */
	if (t->run) {
		opened_free(o);
		return 0;
	}
	t->run = pyrun_opened(o);
	return pyrun_tell(t->run);
}

struct pyrun *trace_run_to_read(PyObject *self)
{
	struct pyrun *r = trace_run_of(self);
	struct trace_object *t = trace_of(self);

	if (!r)
		return NULL;
	if (r->delivers)
		return zed_raise_text(NULL, "run() is reading this trace: its handlers get the "
					    "events");
	if (!r->over && r->wanted_by)
		return say_narrow();
	if (!r->over || r->busy)
		return r;
	if (t->program)
		return zed_raise_text(NULL, "the trace was read to its end, and is read once: "
					    "zed.open(FILE) gives one that can be read again");
	if (!opened_again(r->opened))
		return zed_raise_text(t->words.paths.v[0],
				      "was read to its end, and can be read only once");
	drop_run(t);
	return open_run(t) == 0 ? t->run : NULL;
}

bool trace_was_read(PyObject *self)
{
	return PyObject_TypeCheck(self, &trace_object_type) && trace_of(self)->read;
}

int trace_read(PyObject *self)
{
	struct pyrun *r = trace_run_of(self);

	if (!r)
		return -1;
	if (r->over || r->delivers) {
		zed_raise_text(NULL, r->over ? "the trace was read to its end: register handlers "
					       "and call run() before that" :
					       "run() is reading this trace already");
		return -1;
	}
	if (r->wanted_by) {
		say_narrow();
		return -1;
	}
	trace_of(self)->read = true;
	return 0;
}

const struct open_words *trace_words_of(PyObject *self)
{
	struct trace_object *t = trace_of(self);

	return t->program ? NULL : &t->words;
}

/* ---- making and ending ---- */

static struct trace_object *new_trace(void)
{
	struct trace_object *t = PyObject_GC_New(struct trace_object, &trace_object_type);

	if (!t)
		return NULL;
	memset((char *)t + sizeof(t->ob_base), 0, sizeof(*t) - sizeof(t->ob_base));
	PyObject_GC_Track((PyObject *)t);
	return t;
}

PyObject *trace_object_open(PyObject *module, PyObject *args, PyObject *kwargs)
{
	struct trace_object *t = new_trace();

	if (t && (trace_words_read(&t->words, args, kwargs) < 0 || open_run(t) < 0))
		Py_CLEAR(t);
	return (PyObject *)t;
}

/* The methods of the program's Trace as functions of the module. */
static int add_functions(PyObject *trace)
{
	const PyMethodDef *def;

	for (size_t i = 0; (def = zed_method(i)); i++) {
		PyObject *bound = PyObject_GetAttrString(trace, def->ml_name);

		if (!bound || PyModule_AddObjectRef(zed_module(), def->ml_name, bound) < 0) {
			Py_XDECREF(bound);
			return -1;
		}
		Py_DECREF(bound);
	}
	return 0;
}

PyObject *trace_object_new(const struct host_opts *o)
{
	struct trace_object *t = new_trace();

	if (!t)
		return NULL;
	t->run = pyrun_new(o);
	t->program = true;
	if (PyModule_AddObjectRef(zed_module(), "trace", (PyObject *)t) < 0 ||
	    add_functions((PyObject *)t) < 0)
		Py_CLEAR(t);
	return (PyObject *)t;
}

static int trace_traverse(PyObject *self, visitproc visit, void *arg)
{
	struct pyrun *r = trace_of(self)->run;

	return r ? handlers_traverse(r, visit, arg) : 0;
}

static int trace_clear(PyObject *self)
{
	if (trace_of(self)->run)
		handlers_free(trace_of(self)->run);
	return 0;
}

static void trace_dealloc(PyObject *self)
{
	struct trace_object *t = trace_of(self);

	PyObject_GC_UnTrack(self);
	drop_run(t);
	open_words_fini(&t->words);
	PyObject_GC_Del(self);
}

static PyObject *trace_close(PyObject *self, PyObject *unused)
{
	struct trace_object *t = trace_of(self);

	if (t->run && (t->run->delivers || t->run->busy))
		return zed_raise_text(NULL, "the trace is being read; stop() ends a run()");
	/* The program's ends with the program. */
	if (!t->program)
		drop_run(t);
	Py_RETURN_NONE;
}

static PyObject *trace_enter(PyObject *self, PyObject *unused)
{
	return trace_run_of(self) ? Py_NewRef(self) : NULL;
}

static PyObject *trace_exit(PyObject *self, PyObject *unused)
{
	return trace_close(self, NULL);
}

/* ---- its events ---- */

static PyObject *trace_iter(PyObject *self)
{
	struct pyrun *r = trace_run_to_read(self);

	if (!r)
		return NULL;
	handlers_hint_uncalled(r);
	return pyrun_tell(r) == 0 ? Py_NewRef(self) : NULL;
}

static PyObject *trace_next(PyObject *self)
{
	struct pyrun *r = trace_run_of(self);

	if (!r)
		return NULL;
	if (r->delivers || (r->wanted_by && !r->over))
		return trace_iter(self); /* says why not */
	trace_of(self)->read = true;
	/* An event's .stack may be asked for. */
	if (!r->from)
		pyrun_stacks(r);
	for (;;) {
		switch (pyrun_next(r)) {
		case NEXT_EVENT:
			return event_object(r);
		case NEXT_END:
			pyrun_leave(r);
			return NULL;
		case NEXT_FAILED:
			return NULL;
		default:
			break;
		}
	}
}

/* ---- what is known of its inputs ---- */

/* The names of all types, each once. */
static PyObject *trace_events(PyObject *self, PyObject *unused)
{
	struct pyrun *r = trace_run_of(self);
	PyObject *set = r ? PySet_New(NULL) : NULL, *list;

	for (unsigned i = 0; set && i < catalog_count(r->pump->catalog); i++) {
		const struct etype *t = catalog_at(r->pump->catalog, i);
		PyObject *name = t->known ? py_type_name(t) : NULL;

		if (t->known && (!name || PySet_Add(set, name) < 0))
			Py_CLEAR(set);
		Py_XDECREF(name);
	}
	list = set ? PySequence_List(set) : NULL;
	if (list && PyList_Sort(list) < 0)
		Py_CLEAR(list);
	Py_XDECREF(set);
	return list;
}

static PyObject *get_paths(PyObject *self, void *unused)
{
	struct pyrun *r = trace_run_of(self);
	PyObject *list = r ? PyList_New(0) : NULL;

	for (unsigned i = 0; list && i < r->pump->nsources; i++) {
		const char *path = r->pump->sources[i]->in.path;
		PyObject *text = py_text(path, strlen(path));

		if (!text || PyList_Append(list, text) < 0)
			Py_CLEAR(list);
		Py_XDECREF(text);
	}
	return list;
}

/* The first input, of which the others are of the same kind; NULL: there is none. */
static struct source *first_of(const struct pyrun *r)
{
	return r->pump->nsources ? r->pump->sources[0] : NULL;
}

static PyObject *get_clock(PyObject *self, void *unused)
{
	struct pyrun *r = trace_run_of(self);
	const char *clock = r && first_of(r) ? source_clock(first_of(r)) : "";

	return r ? py_text(clock, strlen(clock)) : NULL;
}

static PyObject *get_uname(PyObject *self, void *unused)
{
	struct pyrun *r = trace_run_of(self);
	const char *text = "";
	size_t len = 0;

	if (!r)
		return NULL;
	if (first_of(r))
		text = machine_raw(&first_of(r)->machine, TEXT_UNAME, &len);
	return len ? py_text(text,
			     strcspn(text, "\n") < len ? strcspn(text, "\n") : strnlen(text, len)) :
		     py_text("", 0);
}

static PyObject *get_ncpus(PyObject *self, void *unused)
{
	struct pyrun *r = trace_run_of(self);
	int most = -1;

	if (!r)
		return NULL;
	for (unsigned i = 0; i < r->pump->nsources; i++) {
		const struct source *s = r->pump->sources[i];

		if (s->cpu_count && (int)s->cpu_count - 1 > most)
			most = (int)s->cpu_count - 1;
		for (unsigned k = 0; k < s->nstreams; k++)
			if (s->streams[k]->from->cpu > most)
				most = s->streams[k]->from->cpu;
	}
	return PyLong_FromLong(most + 1L);
}

/* When the inputs begin and end.  1; 0: not known before they are read; -1: exception. */
static int find_period(PyObject *self, struct period *all)
{
	struct pyrun *r = trace_run_of(self);
	struct err e;

	if (!r)
		return -1;
	if (period_all(r->pump, all, &e) < 0 || !period_any(all))
		return 0;
	all->first -= r->pump->run.base;
	all->last -= r->pump->run.base;
	return 1;
}

static PyObject *get_start(PyObject *self, void *unused)
{
	struct period all;
	int known = find_period(self, &all);

	return known > 0 ? PyLong_FromUnsignedLongLong(all.first) :
	       known	 ? NULL :
			   Py_NewRef(Py_None);
}

static PyObject *get_end(PyObject *self, void *unused)
{
	struct period all;
	int known = find_period(self, &all);

	return known > 0 ? PyLong_FromUnsignedLongLong(all.last) :
	       known	 ? NULL :
			   Py_NewRef(Py_None);
}

static PyObject *get_lost(PyObject *self, void *unused)
{
	struct pyrun *r = trace_run_of(self);
	struct losses l;

	if (!r)
		return NULL;
	pyrun_losses(r, &l);
	r->lost_seen = true;
	return PyLong_FromUnsignedLongLong(l.events);
}

static PyObject *get_losses(PyObject *self, void *unused)
{
	struct pyrun *r = trace_run_of(self);
	struct losses l;

	if (!r)
		return NULL;
	pyrun_losses(r, &l);
	r->lost_seen = true;
	return Py_BuildValue("{sKsKsKsK}", "events", (unsigned long long)l.events, "places",
			     (unsigned long long)l.places, "unknown",
			     (unsigned long long)losses_unknown(&l), "timeless",
			     (unsigned long long)l.timeless);
}

static PyObject *trace_repr(PyObject *self)
{
	PyObject *paths, *text;

	if (!trace_of(self)->run)
		return PyUnicode_FromString("<zed.Trace, closed>");
	paths = get_paths(self, NULL);
	text = paths ? PyUnicode_FromFormat("<zed.Trace %R>", paths) : NULL;
	Py_XDECREF(paths);
	return text;
}

static PyGetSetDef GETSET[] = {
	{ "paths", get_paths, NULL, "its inputs (list of str)", NULL },
	{ "clock", get_clock, NULL, "clock of its times: \"local\", \"mono\", ... (str)", NULL },
	{ "uname", get_uname, NULL, "the traced machine, as uname says it; \"\": not stated (str)",
	  NULL },
	{ "ncpus", get_ncpus, NULL, "number of CPUs (int)", NULL },
	{ "start", get_start, NULL, "time of the first record, ns; None: read as it comes (a pipe)",
	  NULL },
	{ "end", get_end, NULL, "time of the last record, ns; None: read as it comes (a pipe)",
	  NULL },
	{ "lost", get_lost, NULL, "events known to be lost, up to where it was read (int)", NULL },
	{ "losses", get_losses, NULL,
	  "dict: events lost, places where they were, places with an unknown number, and of the\n"
	  "events those at unknown times (timeless)",
	  NULL },
	{ .name = NULL },
};

PyDoc_STRVAR(EVENTS_DOC, "events() -> list of str\n\n"
			 "The names of the events that its inputs describe, whether they occur or "
			 "not, sorted.");

static PyMethodDef METHODS[] = {
	{ "close", trace_close, METH_NOARGS, "close(): end it; Events that are held stay valid" },
	{ "__enter__", trace_enter, METH_NOARGS, "with zed.open(...) as trace" },
	{ "__exit__", trace_exit, METH_VARARGS, "close()" },
	{ .ml_name = NULL },
};

PyMethodDef trace_methods[] = {
	{ "events", trace_events, METH_NOARGS, EVENTS_DOC },
	{ .ml_name = NULL },
};

PyDoc_STRVAR(DOC,
	     "The events of one or more inputs, by time: zed.open() makes one.\n\n"
	     "for event in trace: each event in its order. A trace that was read to its end is\n"
	     "opened again, except a pipe; one that was read in part continues there.");

PyTypeObject trace_object_type = {
	.ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zed.Trace",
	.tp_doc = DOC,
	.tp_basicsize = sizeof(struct trace_object),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_dealloc = trace_dealloc,
	.tp_traverse = trace_traverse,
	.tp_clear = trace_clear,
	.tp_repr = trace_repr,
	.tp_iter = trace_iter,
	.tp_iternext = trace_next,
	.tp_getset = GETSET,
};

/* METHODS and those of all other files. */
static PyMethodDef *join_methods(void)
{
	PyMethodDef *all;
	size_t n = 0, cap = 0;

	all = NULL;
	for (const PyMethodDef *def = METHODS; def->ml_name; def++) {
		all = mem_grow(all, &cap, n + 1, sizeof(*all));
		all[n++] = *def;
	}
	for (size_t i = 0; zed_method(i); i++) {
		all = mem_grow(all, &cap, n + 1, sizeof(*all));
		all[n++] = *zed_method(i);
	}
	all = mem_grow(all, &cap, n + 1, sizeof(*all));
	all[n] = (PyMethodDef){ .ml_name = NULL };
	return all;
}

int trace_object_init(PyObject *module)
{
	/* Python keeps a reference as long as the type lives, which is for ever. */
	if (!trace_object_type.tp_methods)
		trace_object_type.tp_methods = join_methods();
	return PyModule_AddType(module, &trace_object_type);
}
