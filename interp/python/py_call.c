// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_call: the plans of zed's own conventions, and the call of one.  The hot path: an event costs a
 * new reference for each value and the vectorcall; nothing else is made, and no name is looked up.
 */
#include "interp/python/py_call.h"

#include "interp/python/event_object.h"
#include "interp/python/py_type.h"
#include "base/err.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* All own fields of a type, for a dict. */
struct all_fields {
	unsigned n;
	PyObject **names; /* owned */
	struct py_step *steps;
};

enum give_what { GIVE_NUMBER, GIVE_STEP, GIVE_CONSTANT, GIVE_EVENT, GIVE_FIELDS };

/* What one parameter gets. */
struct give {
	enum give_what what;
	struct py_step step;
	PyObject *constant; /* owned */
	struct all_fields *fields;
};

struct plan {
	struct py_call call; /* must be first */
	struct give *give;   /* n of them */
	size_t n, cap;
	size_t places;	    /* of these, those given by place; the rest are by name: */
	PyObject *keywords; /* a list while the plan is made, then a tuple; NULL: none */
	PyObject **values;  /* n, after one that belongs to vectorcall */
	bool bounded;	    /* some are of no fixed size: they have a budget */
};

/* ---------------------------------------------------------------- a call */

static PyObject *dict_of(struct pyrun *r, struct all_fields *f, const struct event *ev)
{
	PyObject *dict = PyDict_New();

	for (unsigned i = 0; dict && i < f->n; i++) {
		PyObject *v = py_step_value(&r->values, &f->steps[i], ev);

		if (!v || PyDict_SetItem(dict, f->names[i], v) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(v);
	}
	return dict;
}

/* PyLong_FromLong() has a shorter way for small numbers, which most are. */
static inline PyObject *from_u64(uint64_t v)
{
	return v <= LONG_MAX ? PyLong_FromLong((long)v) : PyLong_FromUnsignedLongLong(v);
}

/* The most common values, without a call of our own. */
static inline PyObject *plain_value(const struct py_step *s, const struct event *ev, uint64_t base)
{
	const uint8_t *p = ev->data + s->off;

	switch (s->op) {
	case PY_S64:
		return PyLong_FromLong((long)field_load_signed(p, 8, false));
	case PY_S32:
		return PyLong_FromLong((long)field_load_signed(p, 4, false));
	case PY_S16:
		return PyLong_FromLong((long)field_load_signed(p, 2, false));
	case PY_U32:
		return from_u64(field_load(p, 4, false));
	case PY_U64:
		return from_u64(field_load(p, 8, false));
	case PY_U16:
		return PyLong_FromLong((long)field_load(p, 2, false));
	case PY_TS:
		return from_u64(ev->ts - base);
	case PY_CPU:
		return PyLong_FromLong(ev->cpu);
	default:
		return PyLong_FromLong(ev->pid);
	}
}

static bool is_plain(const struct py_step *s)
{
	switch (s->op) {
	case PY_S64:
		/* A long has room for it. */
		return sizeof(long) == 8;
	case PY_S32:
	case PY_S16:
	case PY_U32:
	case PY_U64:
	case PY_U16:
	case PY_TS:
	case PY_CPU:
	case PY_PID:
		return true;
	default:
		return false;
	}
}

static PyObject *value_of(struct pyrun *r, struct give *g, const struct event *ev)
{
	switch (g->what) {
	case GIVE_CONSTANT:
		return Py_NewRef(g->constant);
	case GIVE_EVENT:
		return event_object(r);
	case GIVE_FIELDS:
		return dict_of(r, g->fields, ev);
	default:
		return py_step_value(&r->values, &g->step, ev);
	}
}

static PyObject *plan_make(struct py_call *c, struct pyrun *r, const struct event *ev)
{
	struct plan *p = (struct plan *)c;
	PyObject **values = p->values + 1, *result = NULL;
	const uint64_t base = r->values.base;
	const size_t n = p->n;
	size_t i;

	if (p->bounded)
		field_budget_begin(&r->values.budget, ev);
	for (i = 0; i < n; i++) {
		struct give *g = &p->give[i];

		values[i] = __builtin_expect(g->what == GIVE_NUMBER, 1) ?
				    plain_value(&g->step, ev, base) :
				    value_of(r, g, ev);
		if (__builtin_expect(!values[i], 0))
			break;
	}
	if (__builtin_expect(i == n, 1))
		result = PyObject_Vectorcall(c->function, values,
					     p->places | PY_VECTORCALL_ARGUMENTS_OFFSET,
					     p->keywords);
	while (i)
		Py_DECREF(values[--i]);
	return result;
}

/* ---------------------------------------------------------------- making a plan */

static void fields_free(struct all_fields *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < f->n; i++) {
		Py_XDECREF(f->names[i]);
		py_step_fini(&f->steps[i]);
	}
	free(f->names);
	free(f->steps);
	free(f);
}

static void plan_free(struct py_call *c)
{
	struct plan *p = (struct plan *)c;

	for (size_t i = 0; i < p->n; i++) {
		py_step_fini(&p->give[i].step);
		Py_XDECREF(p->give[i].constant);
		fields_free(p->give[i].fields);
	}
	free(p->give);
	free(p->values);
	Py_XDECREF(p->keywords);
	Py_DECREF(c->function);
	free(p);
}

static struct plan *plan_new(PyObject *function)
{
	struct plan *p = mem_zalloc(sizeof(*p));

	p->call.function = Py_NewRef(function);
	p->call.make = plan_make;
	p->call.free = plan_free;
	return p;
}

/*
 * The next value, by place, or, with KEYWORD (borrowed), by name: all of these come after those by
 * place.  NULL: an exception is set.
 */
static struct give *plan_add(struct plan *p, enum give_what what, PyObject *keyword)
{
	struct give *g;

	if (keyword && !p->keywords && !(p->keywords = PyList_New(0)))
		return NULL;
	if (keyword && PyList_Append(p->keywords, keyword) < 0)
		return NULL;
	p->give = mem_grow(p->give, &p->cap, p->n + 1, sizeof(*p->give));
	g = &p->give[p->n++];
	*g = (struct give){ .what = what };
	p->places += !keyword;
	return g;
}

static int add_constant(struct plan *p, PyObject *constant, PyObject *keyword)
{
	struct give *g = plan_add(p, GIVE_CONSTANT, keyword);

	if (!g)
		return -1;
	g->constant = Py_NewRef(constant);
	return 0;
}

static int add_pseudo(struct plan *p, enum py_op op)
{
	struct give *g = plan_add(p, GIVE_STEP, NULL);

	if (!g)
		return -1;
	g->step.op = op;
	return 0;
}

static int add_field(struct plan *p, const struct field *f, PyObject *keyword)
{
	struct give *g = plan_add(p, GIVE_STEP, keyword);

	if (!g)
		return -1;
	py_step_field(&g->step, f);
	return 0;
}

/* A parameter that T has nothing for. */
static int add_missing(struct plan *p, const struct py_parameter *parameter)
{
	return add_constant(p, parameter->preset ? parameter->preset : Py_None,
			    parameter->keyword ? parameter->name : NULL);
}

/* It is complete.  NULL: an exception is set, and it has been freed. */
static struct py_call *plan_finish(struct plan *p, int rc)
{
	if (rc == 0 && p->keywords) {
		PyObject *tuple = PyList_AsTuple(p->keywords);

		Py_SETREF(p->keywords, tuple);
		rc = tuple ? 0 : -1;
	}
	if (rc < 0) {
		plan_free(&p->call);
		return NULL;
	}
	p->values = mem_zalloc((p->n + 1) * sizeof(*p->values));
	for (size_t i = 0; i < p->n; i++) {
		struct give *g = &p->give[i];

		if (g->what == GIVE_STEP && is_plain(&g->step))
			g->what = GIVE_NUMBER;
		p->bounded |= g->what == GIVE_STEP || g->what == GIVE_FIELDS;
	}
	return &p->call;
}

/* ---------------------------------------------------------------- fields that remain */

static const struct field *own_fields(const struct etype *t, unsigned *n)
{
	*n = t->nfields - t->ncommon;
	return t->fields + t->ncommon;
}

static PyObject *field_name(const struct field *f)
{
	PyObject *name = py_text(f->name, strlen(f->name));

	if (name)
		PyUnicode_InternInPlace(&name);
	return name;
}

/*
 * **kwargs: the fields that have not been given (GIVEN: one byte each) and whose names no parameter
 * has.  A damaged format may have two fields of a name: the first is given.
 */
static int add_others(struct plan *p, const struct etype *t, const struct py_signature *s,
		      const uint8_t *given)
{
	PyObject *taken = PySet_New(NULL);
	const struct field *fields;
	int rc = taken ? 0 : -1;
	unsigned n;

	fields = own_fields(t, &n);
	for (unsigned i = 0; rc == 0 && i < s->n; i++)
		rc = PySet_Add(taken, s->v[i].name);
	for (unsigned i = 0; rc == 0 && i < n; i++) {
		PyObject *name = given && given[i] ? NULL : field_name(&fields[i]);
		int known = name ? PySet_Contains(taken, name) : 1;

		if (known < 0 || (!name && PyErr_Occurred()) ||
		    (!known && (add_field(p, &fields[i], name) < 0 || PySet_Add(taken, name) < 0)))
			rc = -1;
		Py_XDECREF(name);
	}
	Py_XDECREF(taken);
	return rc;
}

/* ---------------------------------------------------------------- by name: trace.on() */

static int add_named(struct plan *p, const struct etype *t, const struct py_parameter *parameter)
{
	PyObject *keyword = parameter->keyword ? parameter->name : NULL;
	const char *name = PyUnicode_AsUTF8(parameter->name);
	struct py_step step = { .op = PY_NONE };
	struct give *g;

	if (!name)
		return -1;
	if (!strcmp(name, "ev"))
		return plan_add(p, GIVE_EVENT, keyword) ? 0 : -1;
	/* A promised field that this trace does not have is missing, too. */
	if (!py_step_find(&step, t, name) || step.op == PY_NONE)
		return add_missing(p, parameter);
	g = plan_add(p, GIVE_STEP, keyword);
	if (!g) {
		py_step_fini(&step);
		return -1;
	}
	g->step = step;
	return 0;
}

struct py_call *py_call_named(struct pyrun *r, const struct etype *t, PyObject *function)
{
	struct py_signature s;
	struct plan *p;
	int rc = 0;

	(void)r;
	if (py_signature_of(function, &s) < 0)
		return NULL;
	p = plan_new(function);
	for (unsigned i = 0; rc == 0 && i < s.n; i++)
		rc = add_named(p, t, &s.v[i]);
	if (rc == 0 && s.keywords)
		rc = add_others(p, t, &s, NULL);
	py_signature_fini(&s);
	return plan_finish(p, rc);
}

/* ---------------------------------------------------------------- by place */

/* What comes before the fields. */
static const struct {
	const char *name;
	enum py_op op;
} FRAME[] = {
	{ "cpu", PY_CPU }, { "secs", PY_SECS }, { "nsecs", PY_NSECS }, { "sequence", PY_SEQUENCE }
};

#define FRAMED (sizeof(FRAME) / sizeof(FRAME[0]))

/* The index of the own field of T that PARAMETER is called after; -1: none. */
static int field_of(const struct etype *t, const struct py_parameter *parameter)
{
	const char *name = PyUnicode_AsUTF8(parameter->name);
	const struct field *fields;
	unsigned n;

	if (!name) {
		PyErr_Clear();
		return -1;
	}
	fields = own_fields(t, &n);
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(fields[i].name, name))
			return (int)i;
	return -1;
}

/* Has a parameter after the frame the name of a field that is at another place? */
static bool are_names(const struct etype *t, const struct py_signature *s)
{
	for (unsigned i = FRAMED; i < s->n; i++) {
		int at = field_of(t, &s->v[i]);

		if (at >= 0 && (s->v[i].keyword || (unsigned)at != i - FRAMED))
			return true;
	}
	return false;
}

/* Parameters that T has nothing for, for one message. */
struct lacking {
	char list[400];
	size_t len;
};

static void add_lacking(struct lacking *l, const struct py_parameter *parameter)
{
	const char *name = parameter->preset ? NULL : PyUnicode_AsUTF8(parameter->name);

	if (name && l->len < sizeof(l->list))
		l->len += snprintf(l->list + l->len, sizeof(l->list) - l->len, "%s%.64s",
				   l->len ? ", " : "", name);
	PyErr_Clear();
}

static void say_lacking(struct pyrun *r, const struct etype *t, const struct lacking *l)
{
	if (l->len)
		note_say(r->notes, NOTE_WARN,
			 "the function of %s:%s takes fields that it does not have in this trace: "
			 "they are None: %s",
			 t->system, t->name, l->list);
}

/* A plan by place while it is made. */
struct placing {
	struct plan *plan;
	const struct etype *type;
	const struct field *fields; /* n own ones ... */
	unsigned n;
	uint8_t *given; /* ... and which of them are given */
	struct lacking lacking;
};

/* AT: the index of the field that PARAMETER gets; it may be none. */
static int place(struct placing *g, const struct py_parameter *parameter, int at)
{
	if (at < 0 || (unsigned)at >= g->n) {
		add_lacking(&g->lacking, parameter);
		return add_missing(g->plan, parameter);
	}
	g->given[at] = 1;
	return add_field(g->plan, &g->fields[at], parameter->keyword ? parameter->name : NULL);
}

/* The parameters by place: *DONE of them. */
static int place_all(struct placing *g, const struct py_signature *s, unsigned *done)
{
	bool names = are_names(g->type, s);
	unsigned i;

	for (i = 0; i < s->n && !s->v[i].keyword; i++)
		if (i < FRAMED)
			TRY(add_pseudo(g->plan, FRAME[i].op));
		else
			TRY(place(g, &s->v[i],
				  names ? field_of(g->type, &s->v[i]) : (int)(i - FRAMED)));
	*done = i;
	return 0;
}

/* *args: the rest of the frame, and the fields that no parameter gets, in order. */
static int place_rest(struct placing *g, const struct py_signature *s, unsigned done)
{
	for (unsigned i = done; i < s->n; i++) {
		int at = field_of(g->type, &s->v[i]);

		if (at >= 0)
			g->given[at] = 1;
	}
	for (unsigned i = done; i < FRAMED; i++)
		TRY(add_pseudo(g->plan, FRAME[i].op));
	for (unsigned i = 0; i < g->n; i++)
		if (!g->given[i])
			TRY(add_field(g->plan, &g->fields[i], NULL));
	return 0;
}

static int place_keywords(struct placing *g, const struct py_signature *s, unsigned done)
{
	for (unsigned i = done; i < s->n; i++)
		TRY(place(g, &s->v[i], field_of(g->type, &s->v[i])));
	return 0;
}

/* Is PARAMETER, which gets PLACE of the frame, called after something else that T has? */
static bool is_misplaced(const struct etype *t, const struct py_parameter *parameter,
			 unsigned place)
{
	const char *name = PyUnicode_AsUTF8(parameter->name);
	struct py_step step = { .op = PY_NONE };
	bool other;

	if (!name) {
		PyErr_Clear();
		return false;
	}
	other = py_step_find(&step, t, name) && step.op != PY_NONE && step.op != FRAME[place].op;
	py_step_fini(&step);
	return other || !strcmp(name, "ev");
}

static void say_misplaced(struct pyrun *r, const struct etype *t, const struct py_signature *s)
{
	for (unsigned i = 0; i < s->n && i < FRAMED && !s->v[i].keyword; i++)
		if (is_misplaced(t, &s->v[i], i)) {
			note_say(r->notes, NOTE_WARN,
				 "the function of %s:%s gets cpu, secs, nsecs, sequence first: its "
				 "parameter '%s' gets %s; all are taken by name with "
				 "@zed.on(\"%s:%s\") before the def",
				 t->system, t->name, PyUnicode_AsUTF8(s->v[i].name), FRAME[i].name,
				 t->system, t->name);
			return;
		}
}

struct py_call *py_call_placed(struct pyrun *r, const struct etype *t, PyObject *function)
{
	struct placing g = { .type = t };
	struct py_signature s;
	unsigned done;
	int rc;

	if (py_signature_of(function, &s) < 0)
		return NULL;
	g.plan = plan_new(function);
	g.fields = own_fields(t, &g.n);
	g.given = mem_zalloc(g.n + 1);
	rc = place_all(&g, &s, &done);
	if (rc == 0 && s.rest)
		rc = place_rest(&g, &s, done);
	if (rc == 0)
		rc = place_keywords(&g, &s, done);
	if (rc == 0 && s.keywords && !s.rest)
		rc = add_others(g.plan, t, &s, g.given);
	say_lacking(r, t, &g.lacking);
	say_misplaced(r, t, &s);
	free(g.given);
	py_signature_fini(&s);
	return plan_finish(g.plan, rc);
}

/* ---------------------------------------------------------------- trace_unhandled */

static struct all_fields *fields_new(const struct etype *t)
{
	struct all_fields *f = mem_zalloc(sizeof(*f));
	const struct field *fields;
	unsigned n;

	fields = own_fields(t, &n);
	f->names = mem_zalloc((n + 1) * sizeof(*f->names));
	f->steps = mem_zalloc((n + 1) * sizeof(*f->steps));
	for (; f->n < n; f->n++) {
		f->names[f->n] = field_name(&fields[f->n]);
		if (!f->names[f->n]) {
			fields_free(f);
			return NULL;
		}
		py_step_field(&f->steps[f->n], &fields[f->n]);
	}
	return f;
}

static int add_fields(struct plan *p, const struct etype *t)
{
	struct give *g = plan_add(p, GIVE_FIELDS, NULL);

	if (!g)
		return -1;
	g->fields = fields_new(t);
	return g->fields ? 0 : -1;
}

struct py_call *py_call_unhandled(struct pyrun *r, const struct etype *t, PyObject *function)
{
	const struct py_type *type = py_type_of(r, t);
	struct plan *p;
	int rc;

	if (!type)
		return NULL;
	p = plan_new(function);
	rc = add_constant(p, type->name, NULL);
	for (unsigned i = 0; rc == 0 && i < FRAMED; i++)
		rc = add_pseudo(p, FRAME[i].op);
	if (rc == 0)
		rc = add_fields(p, t);
	return plan_finish(p, rc);
}
