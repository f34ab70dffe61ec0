/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregation_call: trace.count() and its kind: an aggregation from the arguments of a call.
 */
#include "interp/python/aggregation_object.h"

#include "analysis/aggregate/measure.h"
#include "base/mem.h"
#include "interp/python/handlers.h"
#include "interp/python/module.h"
#include "interp/python/base/py_words.h"
#include "interp/python/synthetic_python.h"
#include "interp/python/trace_object.h"

#include <stdlib.h>
#include <string.h>

/* The options of a call as they are parsed. */
struct answer_wish {
	enum agg_kind kind;
	const char *fn; /* "zed.count" */
	struct agg_spec spec;
	struct named *named;
	struct answer answer; /* its aggregate comes last */
};

/* The arguments of a call, borrowed; NULL: not given. */
struct answer_args {
	PyObject *event, *of, *by, *where, *max_keys;
	PyObject *more[3]; /* those of the kind */
};

static const struct answer_call {
	const char *fn, *format;
	const char *names[9];
} CALLS[] = {
	[AGG_COUNT] = { "zed.count", "O|$OOO:count", { "event", "by", "where", "max_keys" } },
	[AGG_SUM] = { "zed.sum", "OO|$OOO:sum", { "event", "of", "by", "where", "max_keys" } },
	[AGG_MIN] = { "zed.min", "OO|$OOO:min", { "event", "of", "by", "where", "max_keys" } },
	[AGG_MAX] = { "zed.max", "OO|$OOO:max", { "event", "of", "by", "where", "max_keys" } },
	[AGG_AVG] = { "zed.avg", "OO|$OOO:avg", { "event", "of", "by", "where", "max_keys" } },
	[AGG_STATS] = { "zed.stats",
			"OO|$OOO:stats",
			{ "event", "of", "by", "where", "max_keys" } },
	[AGG_HIST] = { "zed.hist", "OO|$OOO:hist", { "event", "of", "by", "where", "max_keys" } },
	[AGG_LHIST] = { "zed.lhist",
			"OO|$OOOOOO:lhist",
			{ "event", "of", "by", "where", "max_keys", "start", "stop", "step" } },
	[AGG_QUANTILES] = { "zed.quantiles",
			    "OO|$OOOO:quantiles",
			    { "event", "of", "by", "where", "max_keys", "quantiles" } },
	[AGG_TOP] = { "zed.top",
		      "OO|$OOOOO:top",
		      { "event", "of", "by", "where", "max_keys", "limit", "fields" } },
};

static int parse(enum agg_kind kind, PyObject *args, PyObject *kwargs, struct answer_args *a)
{
	const struct answer_call *call = &CALLS[kind];
	char *names[9];

	/* The declaration of Python lacks a const. */
	memcpy(names, call->names, sizeof(names));
	if (kind == AGG_COUNT)
		return PyArg_ParseTupleAndKeywords(args, kwargs, call->format, names, &a->event,
						   &a->by, &a->where, &a->max_keys) ?
			       0 :
			       -1;
	return PyArg_ParseTupleAndKeywords(args, kwargs, call->format, names, &a->event, &a->of,
					   &a->by, &a->where, &a->max_keys, &a->more[0],
					   &a->more[1], &a->more[2]) ?
		       0 :
		       -1;
}

static bool is_given(PyObject *o)
{
	return o && o != Py_None;
}

/* O, a whole number of MIN to MAX, into *V.  -1: an exception is set. */
static int take_number(const struct answer_wish *w, const char *key, PyObject *o, long long min,
		       long long max, long long *v)
{
	int overflow = 0;

	*v = PyLong_AsLongLongAndOverflow(o, &overflow);
	if (*v == -1 && PyErr_Occurred())
		return -1;
	if (!overflow && *v >= min && *v <= max)
		return 0;
	PyErr_Format(PyExc_ValueError, "%s: %s must be a whole number from %lld to %lld", w->fn,
		     key, min, max);
	return -1;
}

static int take_steps(struct answer_wish *w, PyObject *const *more)
{
	struct lhist_steps *s = &w->spec.steps;
	long long from, to, step;
	uint64_t span;

	if (!is_given(more[0]) || !is_given(more[1]) || !is_given(more[2])) {
		PyErr_SetString(PyExc_TypeError, "zed.lhist: start, stop and step must be given");
		return -1;
	}
	if (take_number(w, "start", more[0], INT64_MIN, INT64_MAX, &from) < 0 ||
	    take_number(w, "stop", more[1], INT64_MIN, INT64_MAX, &to) < 0 ||
	    take_number(w, "step", more[2], 1, INT64_MAX, &step) < 0)
		return -1;
	*s = (struct lhist_steps){ .from = from, .to = to, .step = (uint64_t)step };
	span = (uint64_t)s->to - (uint64_t)s->from;
	if (from < to && span % s->step == 0 && span / s->step <= SPREAD_STEPS)
		return 0;
	PyErr_Format(PyExc_ValueError,
		     "zed.lhist: start %lld to stop %lld must be 1 to %d whole steps of %lld", from,
		     to, SPREAD_STEPS, step);
	return -1;
}

static int take_percents(struct answer_wish *w, PyObject *o)
{
	static const double usual[] = { 50, 90, 99 };
	struct answer *v = &w->answer;
	PyObject *list;
	Py_ssize_t n;

	if (!is_given(o)) {
		v->percents = mem_alloc(sizeof(usual));
		memcpy(v->percents, usual, sizeof(usual));
		v->npercents = sizeof(usual) / sizeof(usual[0]);
		return 0;
	}
	list = PySequence_Fast(o, "zed.quantiles: quantiles must be a list of percents: "
				  "quantiles=[50, 99, 99.9]");
	if (!list)
		return -1;
	n = PySequence_Fast_GET_SIZE(list);
	v->percents = mem_alloc(((size_t)n + 1) * sizeof(*v->percents));
	for (Py_ssize_t i = 0; i < n; i++) {
		double p = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(list, i));

		if (!PyErr_Occurred() && !(p >= 0 && p <= 100))
			PyErr_SetString(PyExc_ValueError, "zed.quantiles: quantiles are percents, "
							  "from 0 to 100");
		if (PyErr_Occurred())
			break;
		v->percents[v->npercents++] = p;
	}
	Py_DECREF(list);
	return PyErr_Occurred() ? -1 : 0;
}

static int take_top(struct answer_wish *w, PyObject *const *more)
{
	long long keep = 10;

	if (is_given(more[0]) && take_number(w, "limit", more[0], 1, AGG_TOP_MAX, &keep) < 0)
		return -1;
	w->spec.keep = (uint32_t)keep;
	return is_given(more[1]) ? py_words_list(&w->answer.fields, more[1], "zed.top: fields") : 0;
}

static int take_args(struct answer_wish *w, const struct answer_args *a)
{
	struct answer *v = &w->answer;
	long long keys = AGG_MAX_KEYS;
	char what[40];

	snprintf(what, sizeof(what), "%s: event", w->fn);
	v->event = py_words_text(a->event, what);
	snprintf(what, sizeof(what), "%s: of", w->fn);
	if (!v->event || (a->of && !(v->field = py_words_text(a->of, what))))
		return -1;
	snprintf(what, sizeof(what), "%s: by", w->fn);
	if (is_given(a->by) && py_words_list(&v->by, a->by, what) < 0)
		return -1;
	snprintf(what, sizeof(what), "%s: where", w->fn);
	if (is_given(a->where) && !(v->where = py_words_text(a->where, what)))
		return -1;
	if (is_given(a->max_keys) &&
	    take_number(w, "max_keys", a->max_keys, 1, TABLE_MOST, &keys) < 0)
		return -1;
	w->spec.max_keys = (uint32_t)keys;
	return w->kind == AGG_LHIST	? take_steps(w, a->more) :
	       w->kind == AGG_QUANTILES ? take_percents(w, a->more[0]) :
	       w->kind == AGG_TOP	? take_top(w, a->more) :
					  0;
}

/* zed.Error with E, after what was called; returns -1. */
static int raise_within(const struct answer_wish *w, struct err *e)
{
	err_within(e, "%s", w->fn);
	zed_raise(e);
	return -1;
}

/* What W takes: the events, the filter, the formulas.  -1: an exception is set. */
static int make_named(struct pyrun *r, struct answer_wish *w)
{
	const struct answer *v = &w->answer;
	struct measure_texts texts = {
		.value = v->field,
		.by = (const char *const *)v->by.v,
		.nby = v->by.n,
		.fields = (const char *const *)v->fields.v,
		.nfields = v->fields.n,
	};
	struct named *h;
	char at[400];
	struct err e;

	h = w->named = named_new(v->event, r->stable, &PY_WORDS, &e);
	if (!h)
		return raise_within(w, &e);
	h->fn = w->fn;
	h->at = py_words_place();
	h->where = v->where ? mem_strdup(v->where) : NULL;
	snprintf(at, sizeof(at), "%s: %s", h->at, w->fn);
	h->plan = measure_plan_new(&w->spec, &texts, at, &r->values.base, r->notes, &e);
	if (!h->plan)
		return raise_within(w, &e);
	if (named_check(h, r->pump->catalog, answers_is_new(r, h) ? r->notes : NULL, &e) < 0)
		return raise_within(w, &e);
	/* A notice may be a warning of Python that is an error. */
	return PyErr_Occurred() ? -1 : 0;
}

struct pyrun *trace_run_to_count(PyObject *trace, const char *fn)
{
	struct pyrun *r = trace_run_of(trace);

	if (!r || (!r->over && !r->wanted_by))
		return r;
	return r->delivers ? zed_raise_text(NULL, "%s: the run is over", fn) :
			     trace_run_to_read(trace);
}

static PyObject *answer_new(PyObject *trace, enum agg_kind kind, PyObject *args, PyObject *kwargs)
{
	struct answer_wish w = { .kind = kind, .fn = CALLS[kind].fn };
	struct answer_args a = { .event = NULL };
	struct pyrun *r = NULL;

	if (parse(kind, args, kwargs, &a) < 0)
		return NULL;
	w.spec.kind = kind;
	/* The arguments may run Python, which may close the trace. */
	if (take_args(&w, &a) == 0)
		r = trace_run_to_count(trace, w.fn);
	if (r && make_named(r, &w) == 0)
		return aggregation_object_new(answers_add(r, w.named, &w.answer));
	if (w.named)
		named_free(w.named);
	answer_fini(&w.answer);
	return NULL;
}

#define MAKER(name, kind) \
	static PyObject *answers_##name(PyObject *trace, PyObject *args, PyObject *kwargs) \
	{ \
		return answer_new(trace, kind, args, kwargs); \
	}

MAKER(count, AGG_COUNT)
MAKER(sum, AGG_SUM)
MAKER(min, AGG_MIN)
MAKER(max, AGG_MAX)
MAKER(avg, AGG_AVG)
MAKER(stats, AGG_STATS)
MAKER(hist, AGG_HIST)
MAKER(lhist, AGG_LHIST)
MAKER(quantiles, AGG_QUANTILES)
MAKER(top, AGG_TOP)

/* ---------------------------------------------------------------- methods */

#define METHOD(name, text) \
	{ \
#name, (PyCFunction)(void (*)(void))answers_##name, METH_VARARGS | METH_KEYWORDS, \
			PyDoc_STR(#name text) \
	}

PyMethodDef answers_methods[] = {
	METHOD(count, "($self, event, *, by=None, where=None, max_keys=1000000)\n--\n\n"
		      "Count the events, for each key of by: an Aggregation."),
	METHOD(sum, "($self, event, of, *, by=None, where=None, max_keys=1000000)\n--\n\n"
		    "Add up the numbers of a field or formula."),
	METHOD(min, "($self, event, of, *, by=None, where=None, max_keys=1000000)\n--\n\n"
		    "The least number of a field or formula."),
	METHOD(max, "($self, event, of, *, by=None, where=None, max_keys=1000000)\n--\n\n"
		    "The greatest number of a field or formula."),
	METHOD(avg, "($self, event, of, *, by=None, where=None, max_keys=1000000)\n--\n\n"
		    "The mean of a field or formula."),
	METHOD(stats, "($self, event, of, *, by=None, where=None, max_keys=1000000)\n--\n\n"
		      "Count, sum, min, max, mean and standard deviation."),
	METHOD(hist, "($self, event, of, *, by=None, where=None, max_keys=1000000)\n--\n\n"
		     "A histogram by powers of two."),
	METHOD(lhist,
	       "($self, event, of, *, by=None, where=None, max_keys=1000000, start, stop, step)"
	       "\n--\n\nA histogram by equal steps."),
	METHOD(quantiles, "($self, event, of, *, by=None, where=None, max_keys=1000000, "
			  "quantiles=[50, 90, 99])\n--\n\n"
			  "The numbers at these percents, to 0.8 %."),
	METHOD(top,
	       "($self, event, of, *, by=None, where=None, max_keys=1000000, limit=10, fields=None)"
	       "\n--\n\nThe events with the greatest numbers."),
	{ "synthetic", (PyCFunction)(void (*)(void))synthetic_python_new,
	  METH_VARARGS | METH_KEYWORDS,
	  PyDoc_STR("synthetic($self, name, *, start, end, match=None, fields=None, abort=None, "
		    "abort_match=None, keep='last', nest=False, max_pending=1000000)\n--\n\n"
		    "Make one event of two: of a start and the first end after it that matches.") },
	{ NULL, NULL, 0, NULL },
};
