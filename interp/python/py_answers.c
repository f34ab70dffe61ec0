/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_answers: what a run has of aggregations for each type of events, fed before any handler; and
 * printing those that no variable holds.
 */
#include "interp/python/py_answers.h"

#include "analysis/aggregate/measure.h"
#include "base/mem.h"
#include "expr/test.h"
#include "interp/python/aggregation_object.h"
#include "interp/python/synthetic_python.h"
#include "stable/map.h"

#include <stdlib.h>
#include <string.h>

#define TOLD_MAX 1000

/* An aggregation takes the events of one type. */
struct py_feed {
	struct py_answer *to;
	struct stable_map *map; /* the stable event made before, or NULL */
	struct expr_test *where;
	struct measure *measure;
	struct py_feed *next;
};

struct py_answers {
	struct py_answer **v;
	size_t n, cap;
	struct py_feed **fed; /* by type idx; NULL: nothing takes it */
	unsigned nfed;
	struct expr_names names; /* of the filters */
	uint64_t *told;		 /* named_key() of those that were checked */
	size_t ntold, cap_told;
	bool started, changed;
};

static struct py_answers *answers_of(struct pyrun *r)
{
	if (!r->answers) {
		r->answers = mem_zalloc(sizeof(*r->answers));
		r->answers->names.base = &r->values.base;
		r->answers->started = r->from != NULL;
	}
	return r->answers;
}

/* ---------------------------------------------------------------- events */

static void feed_free(struct py_feed *f)
{
	measure_free(f->measure);
	expr_test_free(f->where);
	stable_map_free(f->map);
	free(f);
}

/* Let TO take the events of T, if it is for them.  One that cannot be bound was reported. */
static void feed(struct pyrun *r, struct py_answer *to, const struct etype *t)
{
	struct catalog *c = r->pump->catalog;
	struct named *h = to->named;
	const struct etype *type = t;
	struct py_feed *f;
	enum named_match match;
	unsigned from = 0;
	struct err e;
	bool lacks, fits = true;

	match = named_matches(h, c, t, &from);
	if (match == NAMED_NO)
		return;
	f = mem_zalloc(sizeof(*f));
	f->to = to;
	if (match == NAMED_STABLE) {
		f->map = stable_map_new(h->stable, c, from, t, r->notes, &e);
		fits = f->map != NULL;
		type = fits ? stable_map_type(f->map) : NULL;
	} else {
		/* A damaged format has no fields; that is reported when a record is met. */
		etype_resolve(c, t, &e);
	}
	if (fits && h->where) {
		f->where = expr_test_bind(h->expr, type, &r->answers->names, &lacks, &e);
		fits = f->where != NULL;
	}
	if (fits)
		f->measure = measure_new(h->plan, type, &e);
	if (!f->measure) {
		feed_free(f);
		return;
	}
	f->next = r->answers->fed[t->idx];
	r->answers->fed[t->idx] = f;
}

/* Types that the catalog has got since. */
static void grow(struct pyrun *r)
{
	struct py_answers *a = r->answers;
	unsigned from = a->nfed, count = catalog_count(r->pump->catalog);

	if (count <= from)
		return;
	a->fed = mem_realloc(a->fed, count * sizeof(*a->fed));
	memset(a->fed + from, 0, (count - from) * sizeof(*a->fed));
	a->nfed = count;
	for (unsigned i = from; i < count; i++)
		for (size_t k = 0; k < a->n; k++)
			feed(r, a->v[k], catalog_at(r->pump->catalog, i));
}

static inline void take(const struct py_answers *a, const struct event *raw)
{
	const struct event *ev;

	for (struct py_feed *f = a->fed[raw->type->idx]; f; f = f->next) {
		ev = f->map ? stable_map_event(f->map, raw) : raw;
		if (ev && (!f->where || expr_test_pass(f->where, ev)))
			measure_take(f->measure, ev);
	}
}

void answers_take(struct pyrun *r, const struct event *ev)
{
	if (!r->answers)
		return;
	if (ev->type->idx >= r->answers->nfed)
		grow(r);
	take(r->answers, ev);
}

void answers_early(void *arg, const struct event *ev)
{
	struct pyrun *r = arg;
	PyGILState_STATE state;

	if (!r->apart) {
		answers_take(r, ev);
		return;
	}
	/* Another thread may look at the answer now. */
	state = PyGILState_Ensure();
	answers_take(r, ev);
	PyGILState_Release(state);
}

/* Can all of these take their events in any order, without other data of the run? */
static bool are_early(const struct py_feed *f)
{
	for (; f; f = f->next)
		if (measure_has_names(f->measure) || (f->where && f->where->has_names) ||
		    (f->map && stable_map_has_names(f->map)))
			return false;
	return true;
}

void answers_want(struct pyrun *r, uint8_t *want, unsigned n, bool alone)
{
	struct py_answers *a = r->answers;

	if (!a)
		return;
	a->changed = false;
	grow(r);
	for (unsigned i = 0; i < n && i < a->nfed; i++)
		if (a->fed[i] && want[i] == WANT_NO)
			want[i] = alone && are_early(a->fed[i]) ? WANT_EARLY : WANT_ORDER;
}

bool answers_changed(const struct pyrun *r)
{
	return r->answers && r->answers->changed;
}

bool answers_any(const struct pyrun *r)
{
	return r->answers && r->answers->n;
}

void answers_start(struct pyrun *r)
{
	struct py_answers *a = r->answers;

	if (!a || a->started)
		return;
	a->started = true;
	grow(r);
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i]->named->late)
			named_check_late(a->v[i]->named, r->pump->catalog, r->stable, r->notes);
}

/* ---------------------------------------------------------------- one of them */

void answer_drop(struct py_answer *a)
{
	if (--a->refs)
		return;
	answer_fini(&a->answer);
	free(a);
}

struct losses answer_lost(const struct py_answer *a)
{
	struct losses l = a->during;

	if (!a->stopped) {
		pyrun_losses(a->run, &l);
		a->run->lost_seen = true;
	}
	losses_subtract(&l, &a->before);
	losses_add(&l, &a->merged);
	return l;
}

void answer_clear(struct py_answer *a)
{
	agg_clear(a->answer.agg);
	a->merged = (struct losses){ 0 };
	if (!a->stopped)
		pyrun_losses(a->run, &a->during);
	a->before = a->during;
}

/* No list of its run has A. */
static void end(struct py_answer *a)
{
	pyrun_losses(a->run, &a->during);
	a->stopped = true;
	a->run = NULL;
	a->answer.agg->notes = NULL; /* the run's */
	named_free(a->named);
	a->named = NULL;
	answer_drop(a);
}

static void unfeed(struct py_answers *all, const struct py_answer *a)
{
	for (unsigned i = 0; i < all->nfed; i++) {
		struct py_feed **at = &all->fed[i], *f;

		while ((f = *at)) {
			if (f->to != a) {
				at = &f->next;
				continue;
			}
			*at = f->next;
			feed_free(f);
		}
	}
}

void answer_stop(struct py_answer *a)
{
	struct py_answers *all;
	size_t i = 0;

	if (a->stopped)
		return;
	all = a->run->answers;
	unfeed(all, a);
	while (all->v[i] != a)
		i++;
	memmove(all->v + i, all->v + i + 1, (--all->n - i) * sizeof(*all->v));
	all->changed = true;
	end(a);
}

void answer_let_go(struct py_answer *a)
{
	a->held = false;
	if (!a->stopped && a->run->host && !a->run->answers->started && !a->asked)
		a->kept = true;
	else
		answer_stop(a);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): run and object have a reference each */
	answer_drop(a);
}

/* ---------------------------------------------------------------- new ones */

bool answers_is_new(struct pyrun *r, const struct named *h)
{
	struct py_answers *a = answers_of(r);
	uint64_t key = named_key(h);

	for (size_t i = 0; i < a->ntold; i++)
		if (a->told[i] == key)
			return false;
	if (a->ntold == TOLD_MAX)
		return false;
	a->told = mem_grow(a->told, &a->cap_told, a->ntold + 1, sizeof(*a->told));
	a->told[a->ntold++] = key;
	return true;
}

struct py_answer *answers_add(struct pyrun *r, struct named *h, const struct answer *v)
{
	struct py_answers *all = answers_of(r);
	struct py_answer *a = mem_zalloc(sizeof(*a));

	grow(r);
	a->refs = 2;
	a->answer = *v;
	a->answer.agg = agg_ref(measure_plan_aggregate(h->plan));
	a->run = r;
	a->named = h;
	a->held = true;
	pyrun_losses(r, &a->before);
	all->v = mem_grow(all->v, &all->cap, all->n + 1, sizeof(*all->v));
	all->v[all->n++] = a;
	for (unsigned i = 0; i < all->nfed; i++)
		feed(r, a, catalog_at(r->pump->catalog, i));
	all->changed = true;
	return a;
}

/* ---------------------------------------------------------------- the end, intervals */

/* To sys.stdout, if there is one. */
static int write_out(struct outbuf *o)
{
	PyObject *out = PySys_GetObject("stdout"), *text = py_text(o->p, o->len);
	int rc = text ? 0 : -1;

	if (text && out && out != Py_None)
		rc = PyFile_WriteObject(text, out, Py_PRINT_RAW);
	Py_XDECREF(text);
	outbuf_fini(o);
	return rc;
}

/* Those that no variable holds, after HEADING; false: there are none. */
static bool put_kept(struct py_answers *all, const struct answers_interval *i, struct outbuf *o)
{
	bool any = false;

	for (size_t k = 0; k < all->n; k++) {
		struct py_answer *a = all->v[k];
		struct losses lost;

		if (!a->kept)
			continue;
		if (any)
			out_char(o, '\n');
		else if (i)
			answer_heading(i->from, i->to, i->known, i->total, o);
		any = true;
		lost = answer_lost(a);
		answer_print_titled(&a->answer, &lost, o);
	}
	return any;
}

int answers_print_interval(struct pyrun *r, const struct answers_interval *i)
{
	struct py_answers *all = r->answers;
	struct outbuf o = { 0 };

	if (!all || !put_kept(all, i, &o))
		return 0;
	out_char(&o, '\n');
	for (size_t k = 0; k < all->n; k++)
		if (all->v[k]->kept && !i->total)
			answer_clear(all->v[k]);
	return write_out(&o);
}

int answers_print(struct pyrun *r, const struct answers_interval *i)
{
	struct py_answers *all = r->answers;
	struct outbuf o = { 0 };
	int rc = 0;

	if (!all)
		return 0;
	if (put_kept(all, i, &o))
		rc = write_out(&o);
	for (size_t k = 0; k < all->n; k++) {
		const struct py_answer *a = all->v[k];

		if (a->held && !a->asked)
			note_say(r->notes, NOTE_WARN,
				 "%s: its answer was never used: print it in trace_end, or call "
				 "the function without assigning its result, and it is printed at "
				 "the end",
				 a->answer.agg->at);
	}
	return rc;
}

void answers_free(struct pyrun *r)
{
	struct py_answers *all = r->answers;

	if (!all)
		return;
	for (unsigned i = 0; i < all->nfed; i++)
		while (all->fed[i]) {
			struct py_feed *f = all->fed[i];

			all->fed[i] = f->next;
			feed_free(f);
		}
	while (all->n)
		end(all->v[--all->n]);
	free(all->v);
	free(all->fed);
	free(all->told);
	free(all);
	r->answers = NULL;
}

int answers_init(PyObject *module)
{
	return aggregation_object_init(module) < 0 || synthetic_python_init(module) < 0 ? -1 : 0;
}
