/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pyrun: the run of a Trace: the next item on request, with what Python needs between two: signals,
 * warnings, and copies of events that are still held.
 */
#include "interp/python/pyrun.h"

#include "interp/python/py_answers.h"
#include "interp/python/event_object.h"
#include "interp/python/py_functions.h"
#include "interp/python/handlers.h"
#include "interp/python/module.h"
#include "interp/python/base/opened.h"
#include "interp/python/base/opened_unmet.h"
#include "base/mem.h"
#include "stable/map.h"

#include <inttypes.h>
#include <stdlib.h>

#define SIGNALS_EVERY 4096 /* events */

/* ---- its life ---- */

static struct pyrun *new_run(struct pump *pump)
{
	struct pyrun *r = mem_zalloc(sizeof(*r));

	r->refs = 1;
	r->pump = pump;
	r->until = 1;
	return r;
}

struct pyrun *pyrun_new(const struct host_opts *o)
{
	struct pyrun *r = new_run(o->run);

	r->host = o;
	r->stable = o->stable;
	r->synthetic = o->synthetic;
	r->notes = r->values.budget.notes = o->notes;
	return r;
}

/*
 * About every 20 ms, also where no event passes: an exception of a signal's handler ends the wait
 * for the next one, by NEXT_SIGNAL.  A poll_hook's question: no, the inputs shall not be ended.
 */
static bool look_within(void *arg)
{
	struct pyrun *r = arg;
	PyGILState_STATE state = PyGILState_Ensure();

	r->signalled = PyErr_CheckSignals() < 0;
	PyGILState_Release(state);
	return false;
}

struct pyrun *pyrun_opened(struct opened *o)
{
	struct pyrun *r = new_run(&o->pump);

	r->opened = o;
	r->stable = o->stable;
	r->synthetic = o->synthetic;
	r->notes = r->values.budget.notes = &o->notes;
	o->pump.opts.over = look_within;
	o->pump.opts.over_arg = r;
	o->pump.opts.stop = &r->signalled;
	o->pump.opts.asks = true;
	return r;
}

void pyrun_hold(struct pyrun *r)
{
	r->refs++;
}

void pyrun_release(struct pyrun *r)
{
	event_object_forget(r);
	handlers_free(r);
	answers_free(r);
	functions_free(r);
}

void pyrun_drop(struct pyrun *r)
{
	if (!r || --r->refs)
		return;
	py_types_free(r);
	while (r->maps.n)
		stable_map_free(r->maps.v[--r->maps.n]);
	free(r->maps.v);
	field_budget_fini(&r->values.budget);
	opened_free(r->opened);
	free(r);
}

void pyrun_retire(struct pyrun *r, struct stable_map *m)
{
	r->maps.v = mem_grow(r->maps.v, &r->maps.cap, r->maps.n + 1, sizeof(*r->maps.v));
	r->maps.v[r->maps.n++] = m;
}

/* ---- before the first event ---- */

void pyrun_want(struct pyrun *r, const uint8_t *want)
{
	if (r->host)
		r->host->want(r->host->arg, want);
	else
		choice_want(&r->opened->choice, want);
}

void pyrun_stacks(struct pyrun *r)
{
	const struct source *s;

	for (unsigned i = 0; (s = pump_source(r->pump, i)); i++)
		for (unsigned k = 0; k < s->nstreams; k++)
			if (s->streams[k]->ops->stacks)
				s->streams[k]->ops->stacks(s->streams[k]);
}

int pyrun_start(struct pyrun *r)
{
	struct err e;

	if (r->from)
		return 0;
	answers_start(r);
	pump_early(r->pump, answers_early, r);
	r->from = r->host ? r->host->start(r->host->arg, &e) : opened_start(r->opened);
	r->values.base = r->pump->run.base;
	if (r->from)
		return 0;
	r->over = true;
	r->err = e;
	zed_raise(&e);
	return -1;
}

/* ---- between two events ---- */

int pyrun_tell(struct pyrun *r)
{
	char *text;
	int rc = 0;

	while (rc == 0 && r->opened && (text = opened_message(r->opened))) {
		PyObject *message = py_text(text, strlen(text));

		/* A file's name need not be UTF-8. */
		rc = message ? PyErr_WarnFormat(zed_warning(), 1, "%U", message) : -1;
		Py_XDECREF(message);
		free(text);
	}
	return rc;
}

static int look(struct pyrun *r)
{
	r->until = SIGNALS_EVERY;
	r->signalled = false;
	return PyErr_Occurred() ? -1 : PyErr_CheckSignals();
}

/* Is only a part of the time asked for? */
static bool is_part(const struct pyrun *r)
{
	return r->host ? r->host->asked.all_start || r->host->asked.all_end != UINT64_MAX :
			 r->opened->start || r->opened->end != UINT64_MAX;
}

/* What may have been lost in the time that was asked for: trace.losses does not count it. */
static void say_perhaps(struct pyrun *r)
{
	uint64_t n = r->pump->rest.events;

	if (n && r->pump->finished && is_part(r))
		opened_say(r->opened,
			   "%s%s: %" PRIu64 " event%s of the whole trace %s lost at unknown times "
			   "(the recorder's statistics): some may be in the time that was "
			   "asked for",
			   r->pump->sources[0]->in.path, r->pump->nsources > 1 ? " and others" : "",
			   n, plural(n), n == 1 ? "was" : "were");
}

/* zed.open()'s trace has ended: what it lost. */
static void say_lost(struct pyrun *r)
{
	char text[LOSSES_TEXT];
	struct losses l;

	pyrun_losses(r, &l);
	if (l.events || l.places)
		opened_say(r->opened, "%s%s: %s", r->pump->sources[0]->in.path,
			   r->pump->nsources > 1 ? " and others" : "",
			   losses_text(&l, " lost", text));
	say_perhaps(r);
}

/* ---- the next one ---- */

/* R->item is GOT, other than an event: what it means here. */
static __attribute__((noinline)) enum next take_other(struct pyrun *r, enum next got, struct err *e)
{
	switch (got) {
	case NEXT_LOST:
	case NEXT_BEYOND:
		r->ev = r->item.ev;
		if (r->ev->lost && (got == NEXT_LOST || r->item.counts))
			losses_place(&r->lost, r->ev->lost);
		return got;
	case NEXT_IDLE:
	case NEXT_SIGNAL:
		return look(r) < 0 ? NEXT_FAILED : got;
	case NEXT_END:
		r->over = true;
		if (r->opened)
			say_lost(r);
		if (r->opened && r->item.end == RUN_DONE)
			opened_say_unmet(r->opened);
		return pyrun_tell(r) < 0 ? NEXT_FAILED : NEXT_END;
	case NEXT_FAILED:
		r->over = true;
		r->err = *e;
		zed_raise(e);
		return NEXT_FAILED;
	default:
		return got;
	}
}

/*
 * Without the GIL from here on.  Another thread may look at Events that it has kept, and at
 * answers; messages are for this one alone.
 */
static PyThreadState *let_go(struct pyrun *r)
{
	pyrun_losses(r, &r->lost_before);
	r->apart = true;
	r->values.budget.notes = NULL;
	return PyEval_SaveThread();
}

static void take_back(struct pyrun *r, PyThreadState *state)
{
	PyEval_RestoreThread(state);
	r->values.budget.notes = r->notes;
	r->apart = false;
}

/* The next item of the run; without the GIL if it is to be waited for (live). */
static inline enum next ask(struct pyrun *r, struct err *e)
{
	PyThreadState *state;
	enum next got;

	if (__builtin_expect(!r->pump->awaits, 1))
		return stage_next(r->from, &r->item, e);
	state = let_go(r);
	got = stage_next(r->from, &r->item, e);
	take_back(r, state);
	return got;
}

static inline enum next next_item(struct pyrun *r)
{
	enum next got;
	struct err e;

	/*
	 * These may run Python, which may look at the current event; and an exception must not cost
	 * the next one.
	 */
	if (__builtin_expect(r->opened && r->opened->messages.n, 0) && pyrun_tell(r) < 0)
		return NEXT_FAILED;
	if (__builtin_expect(!--r->until, 0) && look(r) < 0)
		return NEXT_FAILED;
	if (r->event)
		event_object_pass(r);
	r->ev = NULL;
	if (__builtin_expect(r->over, 0))
		return NEXT_END;
	if (__builtin_expect(!r->from, 0) && pyrun_start(r) < 0)
		return NEXT_FAILED;
	got = ask(r, &e);
	if (__builtin_expect(got != NEXT_EVENT, 0))
		return take_other(r, got, &e);
	r->ev = r->item.ev;
	r->values.base = r->pump->run.base;
	if (__builtin_expect(r->ev->lost, 0))
		losses_place(&r->lost, r->ev->lost);
	if (r->answers && !r->delivers)
		answers_take(r, r->ev);
	return NEXT_EVENT;
}

enum next pyrun_next(struct pyrun *r)
{
	/* From a signal's handler, or another thread. */
	if (__builtin_expect(r->busy, 0)) {
		zed_raise_text(NULL, "the trace is being read already");
		return NEXT_FAILED;
	}
	r->busy = true;
	r->got = next_item(r);
	r->busy = false;
	return r->got;
}

enum next pyrun_sweep(struct pyrun *r, bool (*take)(void *arg, const struct event *ev), void *arg,
		      bool python)
{
	enum next got = pyrun_next(r);
	PyThreadState *state;
	struct err e;

	if (got != NEXT_EVENT || !take(arg, r->ev))
		return got;
	python |= r->answers != NULL;
	r->busy = true;
	state = python ? NULL : let_go(r);
	do {
		got = stage_next(r->from, &r->item, &e);
		if (got != NEXT_EVENT)
			break;
		r->ev = r->item.ev;
		if (__builtin_expect(r->ev->lost, 0))
			losses_place(&r->lost, r->ev->lost);
		if (r->answers)
			answers_take(r, r->ev);
	} while (take(arg, r->ev) && r->until > 1 && r->until--);
	if (state)
		take_back(r, state);
	if (got != NEXT_EVENT)
		got = take_other(r, got, &e);
	r->busy = false;
	return r->got = got;
}

bool pyrun_rest(struct pyrun *r)
{
	event_object_pass(r);
	r->ev = NULL;
	if (!r->from || r->over || !stage_rest(r->from, &r->item, &r->got))
		return false;
	r->ev = r->item.ev;
	return true;
}

void pyrun_leave(struct pyrun *r)
{
	event_object_pass(r);
	r->ev = NULL;
	if (r->from)
		stage_leave(r->from);
}

void pyrun_losses(const struct pyrun *r, struct losses *l)
{
	if (r->apart) {
		*l = r->lost_before;
		return;
	}
	*l = r->lost;
	/* Those at unknown times may be in a part of the time, or not. */
	if (r->pump->finished && !is_part(r))
		losses_add(l, &r->pump->rest);
}
