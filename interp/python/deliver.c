// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deliver: the loop of trace.run(): calls the handlers of each event, in order, and what comes
 * between two events.  An exception ends it, or, under --keep-going, only the call.
 */
#include "interp/python/deliver.h"

#include "interp/python/py_answers.h"
#include "interp/python/handlers.h"
#include "interp/python/module.h"
#include "interp/python/py_losses.h"
#include "run/synthetic/synthetic.h"

#include <string.h>

#define DEATHS_SHOWN 10

void deliver_init(struct py_delivery *d)
{
	*d = (struct py_delivery){ .end = RUN_STOPPED, .status = -1 };
	timers_init(&d->timers);
}

void deliver_fini(struct py_delivery *d)
{
	timers_fini(&d->timers);
}

int deliver_traverse(struct py_delivery *d, visitproc visit, void *arg)
{
	return timers_traverse(&d->timers, visit, arg);
}

/* What comes of a call; GO_ON: the next one. */
enum go { GO_FAILED = -1, GO_ON, GO_STOP };

/*
 * A call has returned RC.  Under --keep-going an exception, but not one that ends programs, is
 * reported, and the next call is made.
 */
static enum go after(struct pyrun *r, int rc)
{
	struct py_delivery *d = &r->handlers->d;

	if (__builtin_expect(rc == 0, 1))
		return GO_ON;
	if (!r->host || !r->host->keep_going || (d->attention & PY_FORKED) ||
	    !PyErr_ExceptionMatches(PyExc_Exception) ||
	    PyErr_ExceptionMatches(PyExc_BrokenPipeError))
		return GO_FAILED;
	if (++d->deaths <= DEATHS_SHOWN)
		deliver_print(r);
	else
		PyErr_Clear();
	d->sub = NULL;
	return GO_ON;
}

/* Between two events: bind what on() and off() have changed, tell losses; does the run end? */
static __attribute__((noinline)) enum go attend(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;
	enum go go = GO_ON;

	if (d->attention & PY_LOSSES)
		go = after(r, py_losses_tell(r));
	if (go == GO_ON && (d->attention & PY_HANDLERS)) {
		deliver_attended(d, PY_HANDLERS);
		d->calling = NULL;
		go = handlers_update(r) < 0 ? GO_FAILED : GO_ON;
	}
	if (go == GO_ON && r->answers && answers_changed(r))
		handlers_want(r);
	return go != GO_ON ? go : d->attention & (PY_STOP | PY_FORKED) ? GO_STOP : GO_ON;
}

/* All calls for the current event have been made. */
static inline enum go leave_event(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;

	d->ev = NULL;
	if (__builtin_expect(d->attention != 0, 0) || (r->answers && answers_changed(r)))
		return attend(r);
	return GO_ON;
}

/* Does the run end before the remaining calls of an event? */
static inline bool ends_within(const struct py_delivery *d)
{
	return __builtin_expect((d->attention & (PY_STOP | PY_FORKED)) != 0, 0);
}

/* ---------------------------------------------------------------- what comes before an event */

/* trace.when(): there is no current event for these. */
static __attribute__((noinline)) enum go give_timers(struct pyrun *r, const struct event *ev)
{
	struct py_delivery *d = &r->handlers->d;
	uint64_t ts = pyrun_ts(r, ev);
	PyObject *function, *at, *result;
	enum go go = GO_ON;

	r->ev = NULL;
	d->sub = "a function of when()";
	while (go == GO_ON && !ends_within(d) && (function = timers_take(&d->timers, ts))) {
		at = PyLong_FromUnsignedLongLong(ts);
		result = at ? PyObject_CallOneArg(function, at) : NULL;
		Py_XDECREF(at);
		Py_XDECREF(result);
		Py_DECREF(function);
		go = after(r, result ? 0 : -1);
		d->sub = "a function of when()";
	}
	if (go == GO_ON)
		d->sub = NULL;
	r->ev = ev;
	return go == GO_ON && ends_within(d) ? GO_STOP : go;
}

static inline enum go give_due(struct pyrun *r, const struct event *ev)
{
	if (__builtin_expect(pyrun_ts(r, ev) < r->handlers->d.timers.due, 1))
		return GO_ON;
	return give_timers(r, ev);
}

static __attribute__((noinline)) enum go give_interval(struct pyrun *r, const struct event *ev)
{
	enum go go;

	r->ev = NULL;
	go = after(r, py_interval_tell(r));
	r->ev = ev;
	return go == GO_ON && ends_within(&r->handlers->d) ? GO_STOP : go;
}

/* A type that appeared during the run. */
static inline int see_type(struct pyrun *r, const struct etype *t)
{
	if (__builtin_expect(t->idx < r->handlers->nbound, 1))
		return 0;
	return handlers_grow(r, t);
}

/* ---------------------------------------------------------------- events */

/* The calls from B on.  BEYOND: only those that follow what the choice leaves out. */
static inline enum go call_all(struct pyrun *r, struct py_binding *b, const struct event *ev,
			       bool beyond)
{
	for (; b; b = b->next) {
		const struct event *seen;
		enum go go;

		if (__builtin_expect(beyond, 0) && !(b->handler && b->handler->named->follows))
			continue;
		seen = py_binding_event(b, ev);
		if (!seen)
			continue;
		go = after(r, py_binding_call(r, r->handlers, b, seen));
		if (go != GO_ON)
			return go;
		if (ends_within(&r->handlers->d))
			return GO_STOP;
	}
	return GO_ON;
}

static enum go give_lost_before(struct pyrun *r, const struct event *ev)
{
	enum go go = after(r, py_losses_before(r, ev));

	return go == GO_ON && ends_within(&r->handlers->d) ? GO_STOP : go;
}

static inline enum go give_event(struct pyrun *r, const struct event *ev)
{
	struct py_handlers *h = r->handlers;
	enum go go;

	TRY(see_type(r, ev->type));
	if (__builtin_expect(h->d.interval.every != 0, 0) &&
	    interval_event(&h->d.interval, ev->ts) && (go = give_interval(r, ev)) != GO_ON)
		return go;
	go = give_due(r, ev);
	if (go != GO_ON)
		return go;
	if (r->answers)
		answers_take(r, ev);
	if (__builtin_expect(ev->lost != 0, 0) && (go = give_lost_before(r, ev)) != GO_ON)
		return go;
	go = call_all(r, h->bound[ev->type->idx], ev, false);
	return go == GO_ON ? leave_event(r) : go;
}

/* Losses before an event that is left out. */
static enum go give_lost(struct pyrun *r, const struct event *ev)
{
	enum go go = give_due(r, ev);

	if (go == GO_ON)
		go = give_lost_before(r, ev);
	return go == GO_ON ? leave_event(r) : go;
}

static enum go give_beyond(struct pyrun *r, const struct item *it)
{
	const struct event *ev = it->ev;
	enum go go;

	TRY(see_type(r, ev->type));
	go = give_due(r, ev);
	if (ev->lost && !it->counts)
		py_losses_beyond(r, ev);
	/* Losses that do not count are only for handlers that follow states. */
	if (go == GO_ON && ev->lost && (it->counts || r->handlers->follows))
		go = give_lost_before(r, ev);
	if (go == GO_ON && it->follow)
		go = call_all(r, r->handlers->bound[ev->type->idx], ev, true);
	return go == GO_ON ? leave_event(r) : go;
}

/* What has been printed so far is seen while there is nothing to do. */
static int flush_output(void)
{
	PyObject *out = PySys_GetObject("stdout"), *result;

	if (!out || out == Py_None)
		return 0;
	result = PyObject_CallMethod(out, "flush", NULL);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

/* Live: there is nothing to read. */
static enum go give_idle(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;
	enum go go = attend(r);

	if (go == GO_ON && interval_idle(&d->interval))
		go = after(r, py_interval_tell(r));
	if (go == GO_ON && flush_output() < 0)
		return GO_FAILED;
	return go == GO_ON ? attend(r) : go;
}

/* The item of r, except for events. */
static __attribute__((noinline)) enum go give(struct pyrun *r)
{
	/* --relative: it is known from the first record on. */
	r->values.base = r->pump->run.base;
	switch (r->got) {
	case NEXT_DUE:
		return give_due(r, r->item.ev);
	case NEXT_LOST:
		return give_lost(r, r->item.ev);
	case NEXT_BEYOND:
		return give_beyond(r, &r->item);
	case NEXT_IDLE:
		return give_idle(r);
	case NEXT_SIGNAL:
		return attend(r);
	case NEXT_SOURCE:
		/* Types and sources are read as their events come. */
		return GO_ON;
	case NEXT_FAILED:
		return GO_FAILED;
	default:
		return GO_STOP;
	}
}

/* 0; -1: an exception is set.  How the reading ended is in d.end. */
static int run_events(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;
	enum go go = GO_ON;

	while (go == GO_ON)
		go = __builtin_expect(pyrun_next(r) == NEXT_EVENT, 1) ? give_event(r, r->item.ev) :
									give(r);
	if (r->got == NEXT_END)
		d->end = r->item.end;
	else if (r->got == NEXT_FAILED && r->over)
		d->end = RUN_FAILED;
	return go == GO_FAILED ? -1 : 0;
}

/* ---------------------------------------------------------------- the run */

/* NAME of the script, without arguments, if there is one. */
static int call_script(struct pyrun *r, const char *name)
{
	PyObject *f = script_function(&r->handlers->script, name), *result;

	if (!f)
		return 0;
	Py_INCREF(f);
	r->handlers->d.sub = name;
	result = PyObject_CallNoArgs(f);
	Py_DECREF(f);
	Py_XDECREF(result);
	if (!result)
		return -1;
	r->handlers->d.sub = NULL;
	return 0;
}

static int start(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;

	d->phase = PY_PHASE_EVENTS;
	TRY(handlers_start(r));
	handlers_hint(r);
	deliver_attended(d, PY_HANDLERS);
	/* Handlers that follow states, and timers, get losses at other times, too. */
	r->pump->follows_losses = true;
	if (r->synthetic)
		synthetic_watch(r->synthetic, &r->pump->run.base, &d->timers.due);
	py_interval_begin(r);
	py_losses_watch(r);
	handlers_want(r);
	return 0;
}

/* Is EXCEPTION sys.exit()?  Nothing more of the script's is called then, but atexit functions. */
static bool is_exit(PyObject *exception)
{
	return exception && PyErr_GivenExceptionMatches(exception, PyExc_SystemExit);
}

/* A part of the run has returned RC: the first exception is the run's. */
static void keep_first(struct pyrun *r, int rc, PyObject **first)
{
	struct py_delivery *d = &r->handlers->d;
	PyObject *exception = rc < 0 ? py_error_take() : NULL;

	if (exception && (!*first || is_exit(exception)))
		Py_XSETREF(*first, Py_NewRef(exception));
	/* What the reader could not read is in R, for the program to say. */
	if (exception && d->reports && !(d->end == RUN_FAILED && d->phase == PY_PHASE_EVENTS)) {
		py_error_set(exception);
		deliver_report(r);
	} else if (exception) {
		d->died = true;
		Py_DECREF(exception);
	}
	d->ev = NULL;
	d->sub = NULL;
}

static bool leaves(const struct pyrun *r, PyObject *first)
{
	return is_exit(first) || (r->handlers->d.attention & PY_FORKED);
}

/* After the events, whatever has ended them: what is known of losses, then the script's end. */
static void end_run(struct pyrun *r, PyObject **first)
{
	struct py_delivery *d = &r->handlers->d;
	struct answers_interval told;
	bool part = false;
	int rc = 0;

	deliver_attended(d, ~PY_FORKED);
	r->ev = NULL;
	if (r->host)
		r->host->clear(r->host->arg);
	keep_first(r, py_losses_end(r), first);
	if (!leaves(r, *first)) {
		part = py_interval_end(r, &rc);
		told = py_interval_told(r);
		keep_first(r, rc, first);
	}
	d->phase = PY_PHASE_END;
	if (!leaves(r, *first))
		keep_first(r, call_script(r, "trace_end"), first);
	/* In python3 an answer is a value. */
	if (!leaves(r, *first) && r->host)
		keep_first(r, answers_print(r, part ? &told : NULL), first);
	if (!leaves(r, *first))
		py_losses_say(r, "def trace_lost(cpu, count)");
}

int deliver_run(struct pyrun *r)
{
	struct py_delivery *d = &handlers_of(r)->d;
	PyObject *first = NULL;
	bool reports;

	/* The script may close its Trace in a handler. */
	pyrun_hold(r);
	r->delivers = true;
	/* A child that the main program forked, and that continues, is a run of its own. */
	d->attention = 0;
	d->phase = PY_PHASE_BEGIN;
	keep_first(r, call_script(r, "trace_begin"), &first);
	if (!first && !ends_within(d)) {
		int rc = start(r) < 0 ? -1 : run_events(r);

		keep_first(r, rc, &first);
		pyrun_leave(r);
	}
	if (!leaves(r, first))
		end_run(r, &first);
	d->phase = PY_PHASE_OVER;
	handlers_end(r);
	r->delivers = false;
	reports = d->reports;
	pyrun_drop(r);
	if (first && reports)
		Py_CLEAR(first);
	else if (first)
		py_error_set(first);
	return first ? -1 : 0;
}

void deliver_end(struct pyrun *r)
{
	struct py_delivery *d = &handlers_of(r)->d;
	PyObject *first = NULL;

	d->reports = true;
	if (d->phase != PY_PHASE_LOAD)
		return;
	d->end = r->over && r->got == NEXT_END ? r->item.end : RUN_STOPPED;
	d->attention = 0;
	d->phase = PY_PHASE_END;
	keep_first(r, call_script(r, "trace_end"), &first);
	if (!leaves(r, first))
		keep_first(r, answers_print(r, NULL), &first);
	if (!leaves(r, first))
		py_losses_say(r, "ev.lost, trace.lost");
	d->phase = PY_PHASE_OVER;
	Py_XDECREF(first);
}
