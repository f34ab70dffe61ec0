/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batches: trace.batches(): many events at once as columns, of numbers in memory that numpy takes
 * without a copy.  Which types have all columns, and how wide these are, is known before the first
 * event.
 */
#include "interp/python/batches.h"

#include "interp/python/batch_types.h"
#include "interp/python/base/column_object.h"
#include "interp/python/handlers.h"
#include "interp/python/module.h"
#include "interp/python/py_answers.h"
#include "interp/python/trace_object.h"
#include "interp/python/base/trace_words.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 65536 /* of a batch, unless it is said */
#define ROWS_MOST (1 << 26)
#define TEXTS 256 /* texts of a column that are kept: names occur again and again */
#define NSEC 1000000000u

struct batch_column {
	PyObject *name;	  /* str */
	char format;	  /* of its numbers; 0: not known; 'O': a list */
	unsigned size;	  /* bytes of one */
	uint8_t *p;	  /* room for all rows of a batch; NULL: not made yet */
	PyObject *list;	  /* the same */
	PyObject **texts; /* [TEXTS], by a hash; or NULL */
};

struct batches_object {
	PyObject_HEAD
	PyObject *trace;
	struct pyrun *run; /* a reference */
	struct batch_types types;
	struct batch_column *columns; /* types.names.n of them */
	unsigned ncolumns;
	size_t rows, n;
	bool python;	  /* there is a list */
	bool failed;	  /* an exception is set */
	PyObject *raised; /* what ended the trace: for after its last batch */
};

static PyTypeObject batches_type;

static inline struct batches_object *batches_of(PyObject *self)
{
	return (struct batches_object *)self;
}

/* ---- a row ---- */

/* The text of S, of LEN bytes at P, as a str: one that is kept, if it is equal. */
static PyObject *text_of(struct batch_column *c, const void *p, size_t len)
{
	const uint8_t *byte = p;
	unsigned hash = (unsigned)len;
	PyObject **kept, *made;

	for (size_t i = 0; i < len && i < 16; i++)
		hash = hash * 31 + byte[i];
	kept = &c->texts[(hash ^ hash >> 8) % TEXTS];
	if (*kept && py_text_is(*kept, p, len))
		return Py_NewRef(*kept);
	made = py_text(p, len);
	if (made)
		Py_XSETREF(*kept, Py_NewRef(made));
	return made;
}

static PyObject *value_of(struct batches_object *b, struct batch_column *c, struct batch_step *s,
			  const struct event *ev)
{
	struct py_values *v = &b->run->values;
	const char *text;
	const uint8_t *nul;
	struct span at;

	if (s->step.op == PY_STR) {
		field_budget_span(&v->budget, s->step.field, ev, &at);
		nul = at.len ? memchr(at.p, 0, at.len) : NULL;
		return text_of(c, at.p, nul ? (size_t)(nul - at.p) : at.len);
	}
	if (s->step.op == PY_COMM && !s->step.field) {
		text = comms_name(ev->type->machine->comms, ev->pid);
		return text_of(c, text, strlen(text));
	}
	return py_step_value(v, &s->step, ev);
}

/* The number that S reads, as 64 bits; of a float, its bits as a double. */
static inline uint64_t read_number(const struct batch_step *s, const struct event *ev,
				   uint64_t base)
{
	uint64_t ts = ev->ts - base, bits;
	double d;

	switch (s->step.op) {
	case PY_TS:
		return ts;
	case PY_SECS:
		return ts / NSEC;
	case PY_NSECS:
		return ts % NSEC;
	case PY_CPU:
		return (uint64_t)ev->cpu;
	case PY_PID:
		return (uint64_t)(int64_t)ev->pid;
	case PY_SEQUENCE:
		return ev->seq;
	case PY_SOURCE:
		return ev->from->source;
	default:
		if (!s->is_float)
			return field_scalar(s->step.field, ev);
		d = field_float(s->step.field, ev);
		memcpy(&bits, &d, 8);
		return bits;
	}
}

/* V as a double, if it is not the bits of one. */
static double to_double(const struct batch_step *s, uint64_t v)
{
	double d;

	if (!s->is_float)
		return s->is_signed ? (double)(int64_t)v : (double)v;
	memcpy(&d, &v, 8);
	return d;
}

static inline void store(uint8_t *p, const struct batch_column *c, const struct batch_step *s,
			 uint64_t v)
{
	float f;
	double d;

	if (__builtin_expect(column_object_is_float(c->format), 0)) {
		d = to_double(s, v);
		f = (float)d;
		if (c->size == 4)
			memcpy(p, &f, 4);
		else
			memcpy(p, &d, 8);
		return;
	}
	field_store(p, c->size, false, v);
}

static inline void copy(uint8_t *p, const uint8_t *from, unsigned size)
{
	switch (size) {
	case 1:
		*p = *from;
		return;
	case 2:
		memcpy(p, from, 2);
		return;
	case 4:
		memcpy(p, from, 4);
		return;
	default:
		memcpy(p, from, 8);
	}
}

static bool put_object(struct batches_object *b, struct batch_column *c, struct batch_step *s,
		       const struct event *ev)
{
	PyObject *value = value_of(b, c, s, ev);
	bool done = value && PyList_Append(c->list, value) == 0;

	Py_XDECREF(value);
	b->failed |= !done;
	return done;
}

/* One row of EV; false: the batch is full, or something failed. */
static bool take(void *arg, const struct event *ev)
{
	struct batches_object *b = arg;
	unsigned idx = ev->type->idx;
	struct batch_types *types = &b->types;
	struct batch_plan *p = idx < types->nplans ? &types->plans[idx] : NULL;

	if (__builtin_expect(!p || p->state == BATCH_NEW, 0))
		p = batch_types_late(types, ev->type);
	if (p->state != BATCH_TAKEN)
		return true;
	if (b->python)
		field_budget_begin(&b->run->values.budget, ev);
	for (unsigned i = 0; i < b->ncolumns; i++) {
		struct batch_column *c = &b->columns[i];
		struct batch_step *s = &p->steps[i];

		if (s->plain)
			copy(c->p + b->n * c->size, ev->data + s->step.off, c->size);
		else if (c->p)
			store(c->p + b->n * c->size, c, s, read_number(s, ev, b->run->values.base));
		else if (!put_object(b, c, s, ev))
			return false;
	}
	return ++b->n < b->rows;
}

/* ---- a batch ---- */

static int begin_batch(struct batches_object *b)
{
	b->n = 0;
	b->failed = b->python = false;
	for (unsigned i = 0; i < b->ncolumns; i++) {
		struct batch_column *c = &b->columns[i];

		c->format = b->types.formats[i];
		if (c->format && c->format != 'O') {
			c->size = column_object_size(c->format);
			if (!c->p)
				c->p = mem_alloc(b->rows * c->size);
			continue;
		}
		if (!c->texts)
			c->texts = mem_zalloc(TEXTS * sizeof(*c->texts));
		b->python = true;
		Py_XSETREF(c->list, PyList_New(0));
		if (!c->list)
			return -1;
	}
	return 0;
}

/* Column C of N rows as an object, which takes its memory over. */
static PyObject *end_column(struct batch_column *c, size_t n, size_t rows)
{
	PyObject *made = c->list;
	void *p = c->p;

	if (!p) {
		c->list = NULL;
		return made;
	}
	c->p = NULL;
	if (n < rows)
		p = mem_realloc(p, n * c->size);
	return column_object_new(p, (Py_ssize_t)n, c->format);
}

static PyObject *end_batch(struct batches_object *b)
{
	PyObject *dict = PyDict_New();
	size_t n = b->n;

	b->n = 0;
	for (unsigned i = 0; dict && i < b->ncolumns; i++) {
		PyObject *column = end_column(&b->columns[i], n, b->rows);

		if (!column || PyDict_SetItem(dict, b->columns[i].name, column) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(column);
	}
	return dict;
}

/* The streams leave out what no column is for.  -1: other batches of this trace do that. */
static int choose_types(struct batches_object *b)
{
	struct pyrun *r = b->run;

	if (r->wanted_by == b)
		return 0;
	if (trace_read(b->trace) < 0)
		return -1;
	handlers_hint_uncalled(r);
	if (!b->types.want)
		return 0;
	answers_want(r, b->types.want, b->types.nwant, false);
	pyrun_want(r, b->types.want);
	r->wanted_by = b;
	return 0;
}

/*
 * An exception is set, and costs no row: what ended the trace is raised after the last batch; after
 * another one the rows are kept for the next call.
 */
static bool put_off(struct batches_object *b)
{
	if (!b->run->over || !b->n)
		return false;
	b->raised = py_error_take();
	return true;
}

static PyObject *no_more(struct batches_object *b)
{
	PyObject *raised = b->raised;

	b->raised = NULL;
	if (raised)
		py_error_set(raised);
	else
		pyrun_tell(b->run);
	return NULL;
}

static PyObject *batches_next(PyObject *self)
{
	struct batches_object *b = batches_of(self);
	struct pyrun *r = trace_run_of(b->trace);
	enum next got;

	if (!r)
		return NULL;
	if (r != b->run)
		return zed_raise_text(NULL, "batches: the trace was opened again since");
	if (r->over && !b->n)
		return no_more(b);
	if (!b->n && begin_batch(b) < 0)
		return NULL;
	if (!r->over && choose_types(b) < 0)
		return NULL;
	got = r->over ? NEXT_END : NEXT_EVENT;
	while (b->n < b->rows && !b->failed && got != NEXT_END && got != NEXT_FAILED)
		got = pyrun_sweep(r, take, b, b->python);
	if (b->failed) {
		b->n = 0; /* a row is half done */
		return NULL;
	}
	if (got == NEXT_FAILED && !put_off(b))
		return NULL;
	if (got == NEXT_END)
		pyrun_leave(r);
	return b->n ? end_batch(b) : NULL;
}

/* ---- the iterator ---- */

static int batches_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(batches_of(self)->trace);
	Py_VISIT(batches_of(self)->raised);
	return 0;
}

static int batches_clear(PyObject *self)
{
	Py_CLEAR(batches_of(self)->trace);
	Py_CLEAR(batches_of(self)->raised);
	return 0;
}

static void free_column(struct batch_column *c)
{
	for (unsigned i = 0; c->texts && i < TEXTS; i++)
		Py_XDECREF(c->texts[i]);
	free(c->texts);
	free(c->p);
	Py_XDECREF(c->list);
	Py_XDECREF(c->name);
}

static void batches_dealloc(PyObject *self)
{
	struct batches_object *b = batches_of(self);

	PyObject_GC_UnTrack(self);
	for (unsigned i = 0; i < b->ncolumns; i++)
		free_column(&b->columns[i]);
	free(b->columns);
	batch_types_fini(&b->types);
	pyrun_drop(b->run);
	Py_XDECREF(b->trace);
	Py_XDECREF(b->raised);
	PyObject_GC_Del(self);
}

static PyTypeObject batches_type = {
	.ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zed.Batches",
	.tp_doc = "The batches of trace.batches(): an iterator of dicts.",
	.tp_basicsize = sizeof(struct batches_object),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_dealloc = batches_dealloc,
	.tp_traverse = batches_traverse,
	.tp_clear = batches_clear,
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = batches_next,
};

static struct batches_object *new_batches(PyObject *trace, struct pyrun *r)
{
	struct batches_object *b = PyObject_GC_New(struct batches_object, &batches_type);

	if (!b)
		return NULL;
	memset((char *)b + sizeof(b->ob_base), 0, sizeof(*b) - sizeof(b->ob_base));
	b->trace = Py_NewRef(trace);
	b->run = b->types.run = r;
	pyrun_hold(r);
	PyObject_GC_Track((PyObject *)b);
	return b;
}

static int name_columns(struct batches_object *b, PyObject *names)
{
	struct open_texts *t = &b->types.names;

	if (trace_words_texts(t, names, "batches: columns") < 0)
		return -1;
	if (!t->n) {
		PyErr_SetString(PyExc_ValueError, "batches: no column is named");
		return -1;
	}
	b->columns = mem_zalloc(t->n * sizeof(*b->columns));
	b->ncolumns = t->n;
	for (unsigned i = 0; i < b->ncolumns; i++)
		if (!(b->columns[i].name = py_text(t->v[i], strlen(t->v[i]))))
			return -1;
	return 0;
}

static int name_events(struct batches_object *b, PyObject *events)
{
	struct open_texts t = { .n = 0 };
	struct err e = { .kind = ERR_NONE };
	int rc = trace_words_some(&t, events, "batches: events");

	if (rc == 0 && t.n)
		b->types.events = words_new();
	for (size_t i = 0; rc == 0 && i < t.n; i++)
		rc = words_add(b->types.events, t.v[i], &e);
	if (rc == 0 && b->types.events)
		rc = words_bind(b->types.events, b->run->stable, b->run->pump->catalog, &e);
	if (rc < 0 && e.kind != ERR_NONE) {
		err_within(&e, "batches: events");
		zed_raise(&e);
	}
	while (t.n)
		free(t.v[--t.n]);
	free(t.v);
	return rc;
}

static PyObject *batches(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static const char *const names[] = { "columns", "events", "rows", NULL };
	PyObject *columns, *events = Py_None;
	struct batches_object *b;
	Py_ssize_t rows = ROWS;
	struct pyrun *r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|On:batches", (char **)names, &columns,
					 &events, &rows))
		return NULL;
	if (rows < 1 || rows > ROWS_MOST)
		return PyErr_Format(PyExc_ValueError, "batches: rows must be 1 to %d, not %zd",
				    ROWS_MOST, rows);
	r = trace_run_to_read(self);
	b = r ? new_batches(self, r) : NULL;
	if (!b)
		return NULL;
	b->rows = (size_t)rows;
	if (name_columns(b, columns) < 0 || name_events(b, events) < 0 ||
	    batch_types_find(&b->types) < 0)
		Py_CLEAR(b);
	return (PyObject *)b;
}

PyDoc_STRVAR(
	BATCHES_DOC,
	"batches(columns, events=None, rows=65536) -> iterator of dicts\n\n"
	"The events as columns: each dict has up to rows of them, name -> Column, which numpy\n"
	"and memoryview take without a copy; as wide and signed as the field is. What is not\n"
	"a number (text, arrays) is a list.\n\n"
	"columns   names of fields and pseudo fields: [\"ts\", \"cpu\", \"next_pid\"]\n"
	"events    only these, as those of zed.open()\n"
	"rows      of one batch, at most\n\n"
	"Events that lack a column are left out, and are not read: what else is to be read of a\n"
	"trace (by iteration, run(), other batches) is read before, or of another zed.open().");

PyMethodDef batches_methods[] = {
	{ "batches", (PyCFunction)(void (*)(void))batches, METH_VARARGS | METH_KEYWORDS,
	  BATCHES_DOC },
	{ .ml_name = NULL },
};

int batches_init(PyObject *module)
{
	return PyType_Ready(&batches_type) < 0 ? -1 : column_object_init(module);
}
