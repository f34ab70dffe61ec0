// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call: a call in perf's convention.  What each parameter gets is decided when the plan is made;
 * an event costs its numbers and new references to what is as it was before: the event's name, the
 * context, the task, the second.
 */
#include "interp/python/perf/call.h"

#include "base/mem.h"
#include "interp/common/perf_names.h"
#include "interp/python/perf/lazy.h"
#include "interp/python/perf/modules.h"
#include "interp/python/perf/perf_symbols.h"
#include "interp/python/perf/perf_value.h"
#include "interp/python/perf/perf_words.h"
#include "interp/python/perf/reads.h"
#include "interp/python/pyrun.h"

#include <stdlib.h>
#include <string.h>

#define NSEC 1000000000u
#define SAMPLE_NAME "perf_sample_dict"

enum give {
	GIVE_CONSTANT, /* the event's name, the context, a default: not for each event */
	GIVE_CPU,
	GIVE_SECS,
	GIVE_NSECS,
	GIVE_PID,
	GIVE_COMM,
	GIVE_CHAIN,
	GIVE_FIELD,
	GIVE_FIELDS, /* the dict of trace_unhandled */
	GIVE_SAMPLE,
};

/* What is made for each event, for the parameter AT. */
struct perf_arg {
	enum give give;
	unsigned at;
	struct perf_field field;
};

/* A number that seldom changes, and its object, owned, or NULL. */
struct seldom {
	uint64_t is;
	PyObject *object;
};

struct perf_plan {
	struct py_call call; /* must be first */
	unsigned n;	     /* parameters */
	PyObject **values;   /* n, after one that belongs to vectorcall; constant ones are owned */
	unsigned nargs;
	struct perf_arg *args;
	struct seldom secs, pid;
	PyObject *context;	  /* owned */
	PyObject *comm;		  /* the last one, owned, or NULL */
	PyObject *chain, *sample; /* lazy, owned, or NULL */
	bool takes_chain, takes_sample;
	/* For GIVE_FIELDS: all own fields of the type. */
	unsigned nfields;
	PyObject **names; /* owned */
	struct perf_field *fields;
};

/* ---------------------------------------------------------------- a call */

static PyObject *number(struct seldom *s, uint64_t v)
{
	PyObject *o;

	if (s->object && s->is == v)
		return Py_NewRef(s->object);
	o = PyLong_FromLongLong((long long)v);
	if (!o)
		return NULL;
	s->is = v;
	Py_XSETREF(s->object, Py_NewRef(o));
	return o;
}

static PyObject *task_name(struct perf_plan *p, const struct event *ev)
{
	char buf[PERF_TASK_BUF];
	const char *name = perf_task_name(ev, buf);

	return perf_text_again(&p->comm, name, strlen(name));
}

static int put_header(struct perf_plan *p, struct pyrun *r, const struct event *ev, PyObject *d)
{
	uint64_t ts = pyrun_ts(r, ev);

	if (perf_put(d, WORD_COMMON_CPU, PyLong_FromLong(ev->cpu)) < 0 ||
	    perf_put(d, WORD_COMMON_S, number(&p->secs, ts / NSEC)) < 0 ||
	    perf_put(d, WORD_COMMON_NS, PyLong_FromUnsignedLong(ts % NSEC)) < 0 ||
	    perf_put(d, WORD_COMMON_PID, number(&p->pid, (uint64_t)(int64_t)ev->pid)) < 0 ||
	    perf_put(d, WORD_COMMON_COMM, task_name(p, ev)) < 0)
		return -1;
	return perf_put(d, WORD_COMMON_CALLCHAIN, Py_NewRef(p->chain));
}

/* The event_fields_dict of trace_unhandled. */
static PyObject *fields_dict(struct perf_plan *p, struct pyrun *r, const struct event *ev)
{
	PyObject *d = PyDict_New(), *v;
	int rc = d ? put_header(p, r, ev, d) : -1;

	for (unsigned i = 0; rc == 0 && i < p->nfields; i++) {
		v = perf_field_value(&r->values, &p->fields[i], ev);
		rc = v ? PyDict_SetItem(d, p->names[i], v) : -1;
		Py_XDECREF(v);
	}
	if (rc < 0)
		Py_CLEAR(d);
	return d;
}

static inline PyObject *value_of(struct perf_plan *p, struct perf_arg *a, struct pyrun *r,
				 const struct event *ev)
{
	switch (a->give) {
	case GIVE_CONSTANT:
		break;
	case GIVE_CPU:
		return PyLong_FromLong(ev->cpu);
	case GIVE_SECS:
		return number(&p->secs, pyrun_ts(r, ev) / NSEC);
	case GIVE_NSECS:
		return PyLong_FromUnsignedLong(pyrun_ts(r, ev) % NSEC);
	case GIVE_PID:
		return number(&p->pid, (uint64_t)(int64_t)ev->pid);
	case GIVE_COMM:
		return task_name(p, ev);
	case GIVE_CHAIN:
		return Py_NewRef(p->chain);
	case GIVE_FIELD:
		return perf_field_value(&r->values, &a->field, ev);
	case GIVE_FIELDS:
		return fields_dict(p, r, ev);
	case GIVE_SAMPLE:
		return Py_NewRef(p->sample);
	}
	return NULL;
}

static int begin(struct perf_plan *p, struct pyrun *r, const struct event *ev)
{
	struct perf_from from = { .run = r, .ev = ev };

	field_budget_begin(&r->values.budget, ev);
	if (p->takes_chain && perf_list_begin(&p->chain, &from) < 0)
		return -1;
	from.chain = p->chain;
	return p->takes_sample ? perf_dict_begin(&p->sample, &from) : 0;
}

static PyObject *plan_make(struct py_call *c, struct pyrun *r, const struct event *ev)
{
	struct perf_plan *p = (struct perf_plan *)c;
	PyObject **values = p->values + 1, *result = NULL;
	unsigned i = 0;

	if (begin(p, r, ev) < 0)
		return NULL;
	while (i < p->nargs && (values[p->args[i].at] = value_of(p, &p->args[i], r, ev)))
		i++;
	if (i == p->nargs)
		result = PyObject_Vectorcall(p->call.function, values,
					     p->n | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
	/* Py_CLEAR names its argument more than once. */
	while (i) {
		i--;
		Py_CLEAR(values[p->args[i].at]);
	}
	/* The dict first: it leads to the list. */
	if (perf_dict_end(&p->sample) < 0 || perf_list_end(&p->chain) < 0)
		Py_CLEAR(result);
	return result;
}

static void plan_free(struct py_call *c)
{
	struct perf_plan *p = (struct perf_plan *)c;

	for (unsigned i = 0; i < p->n; i++)
		Py_XDECREF(p->values[i + 1]);
	for (unsigned i = 0; i < p->nargs; i++)
		perf_field_fini(&p->args[i].field);
	for (unsigned i = 0; i < p->nfields; i++) {
		Py_XDECREF(p->names[i]);
		perf_field_fini(&p->fields[i]);
	}
	perf_context_end(p->context);
	Py_XDECREF(p->context);
	Py_XDECREF(p->call.function);
	Py_XDECREF(p->secs.object);
	Py_XDECREF(p->pid.object);
	Py_XDECREF(p->comm);
	Py_XDECREF(p->sample);
	Py_XDECREF(p->chain);
	free(p->names);
	free(p->fields);
	free(p->args);
	free(p->values);
	free(p);
}

/* ---------------------------------------------------------------- a plan */

/* What a plan is made of. */
struct perf_making {
	struct perf_plan *plan;
	struct pyrun *run;
	const struct etype *t;
	PyObject *name; /* owned */
	struct py_signature takes;
	unsigned places; /* parameters that can be given by place */
};

/* The next parameter gets V, which is given away.  -1: V is NULL; an exception is set. */
static int add_constant(struct perf_plan *p, PyObject *v)
{
	p->values[++p->n] = v;
	return v ? 0 : -1;
}

/* The next parameter gets what GIVE says; returns that. */
static struct perf_arg *add(struct perf_plan *p, enum give give)
{
	struct perf_arg *a = &p->args[p->nargs++];

	*a = (struct perf_arg){ .give = give, .at = p->n++ };
	p->takes_chain |= give == GIVE_CHAIN || give == GIVE_FIELDS || give == GIVE_SAMPLE;
	p->takes_sample |= give == GIVE_SAMPLE;
	return a;
}

static int add_lead(struct perf_making *m, enum perf_lead lead)
{
	static const enum give gives[PERF_LEAD] = {
		[PERF_CPU] = GIVE_CPU, [PERF_SECS] = GIVE_SECS, [PERF_NSECS] = GIVE_NSECS,
		[PERF_PID] = GIVE_PID, [PERF_COMM] = GIVE_COMM, [PERF_CHAIN] = GIVE_CHAIN,
	};

	if (lead == PERF_EVENT_NAME)
		return add_constant(m->plan, Py_NewRef(m->name));
	if (lead == PERF_CONTEXT)
		return add_constant(m->plan, Py_NewRef(m->plan->context));
	add(m->plan, gives[lead]);
	return 0;
}

/* A parameter that the event has nothing for. */
static int add_missing(struct perf_making *m, const struct py_parameter *param)
{
	const char *name = PyUnicode_AsUTF8(param->name);
	const int *gone = name ? perf_value_gone(m->t, name) : NULL;

	if (!name)
		return -1;
	if (gone)
		return add_constant(m->plan, PyLong_FromLong(*gone));
	return add_constant(m->plan, Py_NewRef(param->preset ? param->preset : Py_None));
}

/* All arguments: those before the fields, the fields, the sample. */
static unsigned lead_and_fields(const struct etype *t)
{
	return PERF_LEAD + t->nfields - t->ncommon;
}

static int add_offered(struct perf_making *m, unsigned i)
{
	if (i < PERF_LEAD)
		return add_lead(m, i);
	if (i == lead_and_fields(m->t))
		add(m->plan, GIVE_SAMPLE);
	else
		perf_field_find(&add(m->plan, GIVE_FIELD)->field,
				&m->t->fields[m->t->ncommon + i - PERF_LEAD]);
	return 0;
}

/* Report how the names of the parameters were matched: AT as perf_args_moved() has it. */
static void say_moved(struct perf_making *m, const int *at)
{
	const char *name = PyUnicode_AsUTF8(m->name), *missing = "";
	struct notes *notes = m->run->notes;

	for (unsigned i = PERF_CHAIN; i < m->places && !*missing; i++)
		if (at[i] < 0)
			missing = PyUnicode_AsUTF8(m->takes.v[i].name);
	if (!name || !missing)
		PyErr_Clear();
	else if (at[PERF_CHAIN] > PERF_CHAIN)
		note_say(notes, NOTE_WARN,
			 "function %s takes no common_callchain, which older versions of perf did "
			 "not pass: it gets its arguments by name",
			 name);
	else
		note_say(notes, NOTE_WARN,
			 "function %s was written for %s of another kernel, with its fields in "
			 "another order: it gets them by name%s%s%s",
			 name, m->t->name, *missing ? "; there is no " : "", missing,
			 *missing && perf_value_gone(m->t, missing) ? ", which was always 1" : "");
}

/* Which argument each parameter gets, into AT. */
static int match(struct perf_making *m, int *at)
{
	const char **names = mem_zalloc((m->places + 1) * sizeof(*names));
	unsigned i;

	for (i = 0; i < m->places; i++) {
		at[i] = i;
		names[i] = PyUnicode_AsUTF8(m->takes.v[i].name);
		if (!names[i])
			break;
	}
	if (i == m->places && !m->takes.rest && m->places > PERF_CHAIN &&
	    perf_args_moved(m->t, SAMPLE_NAME, names, m->places, at))
		say_moved(m, at);
	free(names);
	return i == m->places ? 0 : -1;
}

/* The argument number WHICH for the I-th parameter; what is never READ is None. */
static int add_argument(struct perf_making *m, unsigned i, int which, bool read)
{
	bool constant = which == PERF_EVENT_NAME || which == PERF_CONTEXT;

	if (!read && !constant)
		return add_constant(m->plan, Py_NewRef(Py_None));
	if (which < 0 || (unsigned)which > lead_and_fields(m->t))
		return add_missing(m, &m->takes.v[i]);
	return add_offered(m, which);
}

/* SYSTEM__EVENT: as many as it takes; with *args all. */
static int plan_function(struct perf_making *m)
{
	unsigned most = lead_and_fields(m->t), n = m->places;
	int *at = mem_zalloc((n + 1) * sizeof(*at)), rc = match(m, at);
	bool *read = mem_zalloc((n + 1) * sizeof(*read));

	if (rc == 0)
		rc = perf_reads(m->plan->call.function, n, read);
	for (unsigned i = 0; rc == 0 && i < n; i++)
		rc = add_argument(m, i, at[i], read[i]);
	for (unsigned i = n; rc == 0 && m->takes.rest && i < most; i++)
		rc = add_offered(m, i);
	free(read);
	free(at);
	return rc;
}

static int plan_unhandled(struct perf_making *m)
{
	struct perf_plan *p = m->plan;
	unsigned n = m->t->nfields - m->t->ncommon;

	p->names = mem_zalloc((n + 1) * sizeof(*p->names));
	p->fields = mem_zalloc((n + 1) * sizeof(*p->fields));
	for (; p->nfields < n; p->nfields++) {
		const struct field *f = &m->t->fields[m->t->ncommon + p->nfields];

		p->names[p->nfields] = py_text(f->name, strlen(f->name));
		if (!p->names[p->nfields])
			return -1;
		perf_field_find(&p->fields[p->nfields], f);
	}
	if (add_lead(m, PERF_EVENT_NAME) < 0 || add_lead(m, PERF_CONTEXT) < 0)
		return -1;
	add(p, GIVE_FIELDS);
	if (m->places == 4)
		add(p, GIVE_SAMPLE);
	return 0;
}

static int plan_kind(struct perf_making *m, enum py_kind kind)
{
	struct perf_plan *p = m->plan;
	unsigned n = lead_and_fields(m->t) + 1;

	n = m->places > n ? m->places : n;
	p->args = mem_zalloc((n + 1) * sizeof(*p->args));
	p->values = mem_zalloc((n + 2) * sizeof(*p->values));
	switch (kind) {
	case PY_UNHANDLED:
		return plan_unhandled(m);
	case PY_PROCESS:
		add(p, GIVE_SAMPLE);
		return 0;
	default:
		return plan_function(m);
	}
}

/* How many parameters FUNCTION has that can be given by place, and all that is known of them. */
static int look(struct perf_making *m, PyObject *function)
{
	if (py_signature_of(function, &m->takes) < 0)
		return -1;
	while (m->places < m->takes.n && !m->takes.v[m->places].keyword)
		m->places++;
	return 0;
}

static PyObject *name_of(const struct etype *t)
{
	char name[PY_EVENT_NAME];

	py_event_name(t->system, t->name, name, sizeof(name));
	return py_text(name, strlen(name));
}

struct py_call *perf_call_new(struct pyrun *r, const struct etype *t, PyObject *function,
			      enum py_kind kind)
{
	struct perf_plan *p = mem_zalloc(sizeof(*p));
	struct perf_making m = { .plan = p, .run = r, .t = t };
	PyObject *module = handlers_of(r)->script.module;
	int rc = -1;

	p->call = (struct py_call){ Py_NewRef(function), plan_make, plan_free };
	if (perf_lazy_init() == 0 && perf_words_init() == 0 && look(&m, function) == 0) {
		m.name = name_of(t);
		p->context = perf_context_new(r);
		rc = m.name && p->context ? plan_kind(&m, kind) : -1;
		if (rc == 0 && module && kind != PY_PROCESS)
			rc = perf_tell_symbols(module, t, m.name);
		py_signature_fini(&m.takes);
	}
	Py_XDECREF(m.name);
	if (rc == 0)
		return &p->call;
	plan_free(&p->call);
	return NULL;
}
