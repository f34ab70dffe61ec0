/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthetic_python: trace.synthetic(), which defines an event made from two, and its object: how
 * often it came, which starts still wait.
 */
#include "interp/python/synthetic_python.h"

#include "base/mem.h"
#include "interp/python/aggregation_object.h"
#include "interp/python/handlers.h"
#include "interp/python/module.h"
#include "interp/python/base/py_words.h"
#include "interp/python/trace_object.h"
#include "run/synthetic/synthetic.h"

#include <stdlib.h>
#include <string.h>

struct synthetic_object {
	PyObject_HEAD
	struct pyrun *run; /* a reference: it owns the event */
	struct synthetic_event *event;
};

static PyTypeObject synthetic_object_type;

/* ---------------------------------------------------------------- a call */

/* The arguments of a call, as its texts; owned. */
struct synthetic_args {
	struct synthetic_spec spec;
	struct arg_names names, formulas;
	char *texts[6]; /* name, start, end, abort, match, abort_match */
};

static void args_fini(struct synthetic_args *a)
{
	arg_names_fini(&a->names);
	arg_names_fini(&a->formulas);
	for (unsigned i = 0; i < 6; i++)
		free(a->texts[i]);
}

/* The name of an event, or the items of a list, joined by commas.  NULL: an exception is set. */
static char *list_text(PyObject *o, const char *what)
{
	struct arg_names l = { .n = 0 };
	struct outbuf list = { 0 };

	if (py_words_list(&l, o, what) < 0) {
		arg_names_fini(&l);
		return NULL;
	}
	for (unsigned i = 0; i < l.n; i++) {
		out_str(&list, i ? "," : "");
		out_str(&list, l.v[i]);
	}
	arg_names_fini(&l);
	out_end(&list);
	return list.p;
}

static int take_fields(struct synthetic_args *a, PyObject *fields)
{
	PyObject *name, *formula;
	Py_ssize_t at = 0;

	if (!PyDict_Check(fields)) {
		PyErr_SetString(PyExc_TypeError,
				"zed.synthetic: fields must be a dict of names and expressions: "
				"fields={'delay': 'end.ts - start.ts'}");
		return -1;
	}
	if (PyDict_GET_SIZE(fields) > SYNTHETIC_FIELDS) {
		PyErr_Format(PyExc_ValueError, "zed.synthetic: more than %d fields",
			     SYNTHETIC_FIELDS);
		return -1;
	}
	while (PyDict_Next(fields, &at, &name, &formula)) {
		char *texts[2] = { py_words_text(name, "zed.synthetic: the name of a field") };

		if (texts[0])
			texts[1] = py_words_text(formula, "zed.synthetic: a field's expression");
		if (texts[1]) {
			arg_names_add(&a->names, texts[0]);
			arg_names_add(&a->formulas, texts[1]);
		}
		free(texts[0]);
		if (!texts[1])
			return -1;
		free(texts[1]);
	}
	a->spec.names = (const char *const *)a->names.v;
	a->spec.formulas = (const char *const *)a->formulas.v;
	a->spec.nfields = a->names.n;
	return 0;
}

static int take_keep(struct synthetic_args *a, PyObject *o)
{
	char *word = py_words_text(o, "zed.synthetic: keep");
	struct err e;
	int rc;

	if (!word)
		return -1;
	rc = synthetic_keep_of(word, &a->spec.keep, &e);
	free(word);
	if (rc < 0)
		zed_raise_text(NULL, "zed.synthetic: %s", e.msg);
	return rc;
}

static int take_pending(struct synthetic_args *a, PyObject *o)
{
	long long max = PyLong_AsLongLong(o);

	if (max >= 1 && max <= UINT32_MAX) {
		a->spec.max_pending = (uint32_t)max;
		return 0;
	}
	if (!PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "zed.synthetic: max_pending must be at least 1");
	return -1;
}

static bool is_given(PyObject *o)
{
	return o && o != Py_None;
}

/* The texts of GIVEN, in the order of texts.  -1: an exception is set. */
static int take_texts(struct synthetic_args *a, PyObject *const *given)
{
	static const char *const what[] = { "zed.synthetic: name",  "zed.synthetic: start",
					    "zed.synthetic: end",   "zed.synthetic: abort",
					    "zed.synthetic: match", "zed.synthetic: abort_match" };
	struct synthetic_spec *s = &a->spec;

	for (unsigned i = 0; i < 6; i++) {
		if (!is_given(given[i]))
			continue;
		a->texts[i] = i >= 1 && i <= 3 ? list_text(given[i], what[i]) :
						 py_words_text(given[i], what[i]);
		if (!a->texts[i])
			return -1;
	}
	s->name = a->texts[0];
	s->start = a->texts[1];
	s->end = a->texts[2];
	s->abort = a->texts[3];
	s->match = a->texts[4];
	s->abort_match = a->texts[5];
	return 0;
}

static int parse(struct synthetic_args *a, PyObject *args, PyObject *kwargs)
{
	static const char *const words[] = { "name",   "start",	      "end",	     "match",
					     "fields", "abort",	      "abort_match", "keep",
					     "nest",   "max_pending", NULL };
	PyObject *texts[6] = { NULL }, *fields = NULL, *keep = NULL, *pending = NULL;
	char *names[sizeof(words) / sizeof(words[0])];
	int nest = 0;

	/* The declaration of Python lacks a const. */
	memcpy(names, words, sizeof(names));
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOOOOOOpO:synthetic", names, &texts[0],
					 &texts[1], &texts[2], &texts[4], &fields, &texts[3],
					 &texts[5], &keep, &nest, &pending))
		return -1;
	a->spec.nest = nest;
	if (!is_given(texts[0]) || !is_given(texts[1]) || !is_given(texts[2])) {
		PyErr_SetString(PyExc_TypeError,
				"zed.synthetic: name, start and end must be given");
		return -1;
	}
	if (take_texts(a, texts) < 0 || (is_given(fields) && take_fields(a, fields) < 0) ||
	    (is_given(keep) && take_keep(a, keep) < 0))
		return -1;
	return is_given(pending) ? take_pending(a, pending) : 0;
}

static PyObject *object_new(struct pyrun *r, struct synthetic_event *x)
{
	struct synthetic_object *o = PyObject_New(struct synthetic_object, &synthetic_object_type);

	if (!o)
		return NULL;
	o->run = r;
	o->event = x;
	pyrun_hold(r);
	return (PyObject *)o;
}

/* The run of TRACE, which has not begun.  NULL: an exception is set. */
static struct pyrun *run_to_define(PyObject *trace)
{
	struct pyrun *r = trace_run_to_count(trace, "zed.synthetic");

	if (!r || !r->from)
		return r;
	return zed_raise_text(NULL, "zed.synthetic: the first event has already come: "
				    "define it before the trace is read");
}

PyObject *synthetic_python_new(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	struct synthetic_args a = { .texts = { NULL } };
	struct synthetic_event *x = NULL;
	struct pyrun *r = NULL;
	struct err e;

	/* The arguments may run Python, which may close the trace. */
	if (parse(&a, args, kwargs) == 0)
		r = run_to_define(trace);
	if (r && !(x = synthetic_add(r->synthetic, &a.spec, &e))) {
		err_within(&e, "zed.synthetic");
		zed_raise(&e);
	}
	args_fini(&a);
	if (!x)
		return NULL;
	/* Named by the script: its functions may handle them. */
	if (r->host)
		script_functions_declare(&handlers_of(r)->script, synthetic_type(x, 0)->system);
	return object_new(r, x);
}

/* ---------------------------------------------------------------- the object */

static void synthetic_dealloc(PyObject *self)
{
	pyrun_drop(((struct synthetic_object *)self)->run);
	PyObject_Free(self);
}

static PyObject *synthetic_repr(PyObject *self)
{
	const struct etype *t = synthetic_type(((struct synthetic_object *)self)->event, 0);

	return PyUnicode_FromFormat("<zed.Synthetic %s:%s>", t->system, t->name);
}

/* The event of SELF, unless a thread that has not the GIL makes such events now: an exception. */
static struct synthetic_event *event_of(PyObject *self)
{
	struct synthetic_object *o = (struct synthetic_object *)self;

	if (o->run->apart)
		return zed_raise_text(NULL, "another thread waits for events of this trace");
	return o->event;
}

/* Put V, a new reference or NULL, into DICT.  -1: an exception is set. */
static int put(PyObject *dict, const char *name, PyObject *v)
{
	PyObject *key = v ? py_text(name, strlen(name)) : NULL;
	int rc = key ? PyDict_SetItem(dict, key, v) : -1;

	Py_XDECREF(key);
	Py_XDECREF(v);
	return rc;
}

static PyObject *get_counts(PyObject *self, void *closure)
{
	struct synthetic_event *x = event_of(self);
	struct synthetic_counts c;

	(void)closure;
	if (!x)
		return NULL;
	synthetic_count(x, &c);
	return Py_BuildValue("{sKsKsKsKsKsKsK}", "started", (unsigned long long)c.started,
			     "matched", (unsigned long long)c.matched, "aborted",
			     (unsigned long long)c.aborted, "replaced",
			     (unsigned long long)c.replaced, "lost", (unsigned long long)c.lost,
			     "dropped", (unsigned long long)c.dropped, "pending",
			     (unsigned long long)c.pending);
}

/* The starts that wait, as dicts. */
struct start_list {
	struct pyrun *run;
	PyObject *list;
	int rc;
};

static void add_start(void *arg, const struct event *ev)
{
	struct start_list *l = arg;
	PyObject *d = l->rc == 0 ? PyDict_New() : NULL;
	struct field_budget *budget = &l->run->values.budget;

	l->rc = d ? 0 : -1;
	if (!d)
		return;
	l->rc = put(d, "ts", PyLong_FromUnsignedLongLong(pyrun_ts(l->run, ev))) < 0 ||
				put(d, "cpu", PyLong_FromLong(ev->cpu)) < 0 ||
				put(d, "pid", PyLong_FromLong(ev->pid)) < 0 ||
				put(d, "source", PyLong_FromUnsignedLong(ev->from->source)) < 0 ?
			-1 :
			0;
	field_budget_begin(budget, ev);
	for (unsigned i = 0; i < ev->type->nfields && l->rc == 0; i++)
		l->rc = put(d, ev->type->fields[i].name,
			    py_field(&l->run->values, &ev->type->fields[i], ev));
	if (l->rc == 0)
		l->rc = PyList_Append(l->list, d);
	Py_DECREF(d);
}

static PyObject *get_pending(PyObject *self, void *closure)
{
	struct synthetic_object *o = (struct synthetic_object *)self;
	struct synthetic_event *x = event_of(self);
	struct start_list l = { .run = o->run, .list = x ? PyList_New(0) : NULL };

	(void)closure;
	if (!l.list)
		return NULL;
	synthetic_each(x, add_start, &l);
	if (l.rc < 0)
		Py_CLEAR(l.list);
	return l.list;
}

static PyObject *synthetic_clear_method(PyObject *self, PyObject *ignored)
{
	struct synthetic_event *x = event_of(self);

	(void)ignored;
	if (!x)
		return NULL;
	synthetic_clear(x);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "clear", synthetic_clear_method, METH_NOARGS,
	  PyDoc_STR("clear($self, /)\n--\n\n"
		    "Reset the counts to 0; starts that wait continue to wait.") },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef attributes[] = {
	{ "counts", get_counts, NULL,
	  PyDoc_STR("A dict: how many started, matched, aborted, were replaced, lost, dropped, "
		    "are pending."),
	  NULL },
	{ "pending", get_pending, NULL,
	  PyDoc_STR("The starts that wait, by time: a list of dicts of ts, cpu, pid, source and "
		    "their fields."),
	  NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyTypeObject synthetic_object_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zed.Synthetic",
	.tp_basicsize = sizeof(struct synthetic_object),
	.tp_dealloc = synthetic_dealloc,
	.tp_repr = synthetic_repr,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = PyDoc_STR("An event made of two: what synthetic() returns."),
	.tp_methods = methods,
	.tp_getset = attributes,
};

int synthetic_python_init(PyObject *module)
{
	return PyModule_AddType(module, &synthetic_object_type);
}
