// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_losses: the losses of a run, for trace_lost.
 */
#include "interp/python/py_losses.h"

#include "interp/python/handlers.h"
#include "interp/python/py_answers.h"
#include "trace/loss.h"

#include <inttypes.h>
#include <signal.h>

static int call(struct pyrun *r, int cpu, uint64_t count, bool known)
{
	PyObject *result = NULL, *args[3] = { NULL };

	args[1] = PyLong_FromLong(cpu);
	args[2] = known ? PyLong_FromUnsignedLongLong(count) : Py_NewRef(Py_None);
	r->handlers->d.sub = "trace_lost";
	if (args[1] && args[2])
		result = PyObject_Vectorcall(r->handlers->lost, args + 1,
					     2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
	Py_XDECREF(args[1]);
	Py_XDECREF(args[2]);
	Py_XDECREF(result);
	if (!result)
		return -1;
	r->handlers->d.sub = NULL;
	return 0;
}

int py_losses_before(struct pyrun *r, const struct event *ev)
{
	if (!ev->lost || !r->handlers->lost)
		return 0;
	r->handlers->d.ev = ev;
	return call(r, ev->cpu, ev->lost, ev->lost != LOST_UNKNOWN);
}

static int tell(struct pyrun *r, const struct losses_rest *rest, bool counts)
{
	if (counts)
		losses_rest(&r->lost, rest);
	return r->handlers->lost ? call(r, rest->cpu, rest->events, true) : 0;
}

/* ---------------------------------------------------------------- live */

/* Called by the pump, also while the GIL is not held: nothing of Python. */
static void look(void *arg)
{
	struct pyrun *r = arg;

	for (unsigned i = 0; i < r->pump->nsources; i++)
		if (losses_has_next_rest(r->pump->sources[i]))
			deliver_attend(&r->handlers->d, PY_LOSSES);
}

static int no_fds(void *arg, struct pollfd *fds, int room, int *ms)
{
	(void)arg;
	(void)fds;
	(void)room;
	(void)ms;
	return 0;
}

/* Was a part of the time asked for?  Then losses without a place may be outside of it. */
static bool is_part(const struct pyrun *r)
{
	const struct asked *a = r->host ? &r->host->asked : NULL;

	return a && (a->all_start || a->all_end != UINT64_MAX);
}

void py_losses_watch(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;

	if (d->hook.look || is_part(r) || !(pump_is_live(r->pump) || r->pump->ncontainers))
		return;
	d->hook = (struct poll_hook){ .look = look, .fds = no_fds, .arg = r };
	pump_guest(r->pump, &d->hook);
}

int py_losses_tell(struct pyrun *r)
{
	struct losses_rest rest;

	deliver_attended(&r->handlers->d, PY_LOSSES);
	r->handlers->d.ev = NULL;
	for (unsigned i = 0; i < r->pump->nsources; i++)
		while (losses_next_rest(r->pump->sources[i], &rest))
			TRY(tell(r, &rest, true));
	return 0;
}

/* ---------------------------------------------------------------- at the end */

struct untold_losses {
	struct pyrun *r;
	bool perhaps;	 /* a time was asked for: they may be in it */
	uint64_t untold; /* events of these that trace_lost was not called for */
	int rc;
};

static void tell_timeless(void *arg, const struct losses_rest *rest)
{
	struct untold_losses *t = arg;
	const struct pyrun *r = t->r;

	/* From a CPU without a stream the run had nothing to leave out. */
	if (t->rc < 0 || (!rest->of && !filter_takes_cpu(r->pump->filter, rest->cpu)))
		return;
	if (t->perhaps)
		t->untold += rest->events;
	else
		t->rc = tell(t->r, rest, false); /* pump.rest counts them */
}

void py_losses_beyond(struct pyrun *r, const struct event *ev)
{
	if (r->host)
		beyond_see(&r->handlers->d.beyond, ev, r->host->asked.all_end);
}

/* Did an exception or a signal end the run?  Not a closed pipe: nobody reads the answer. */
static bool is_broken_off(const struct py_delivery *d)
{
	return d->signal != SIGPIPE && (d->died || d->signal || d->end == RUN_SIGNALLED);
}

/* ... or --head, and not the script? */
static bool is_cut_short(const struct pyrun *r)
{
	const struct py_delivery *d = &r->handlers->d;

	return d->end != RUN_DONE && (is_broken_off(d) || (d->signal != SIGPIPE && r->host &&
							   r->host->asked.head && !d->stop));
}

/* What may be in the time that was asked for. */
static void say_perhaps(struct pyrun *r, uint64_t untold, bool cut)
{
	const struct py_delivery *d = &r->handlers->d;
	const char *time = is_broken_off(d) ? "read" : "asked for";

	if (!r->host || (!r->handlers->lost && !answers_any(r)))
		return;
	beyond_say(&d->beyond, r->pump, r->host->asked.all_end, is_broken_off(d), r->notes);
	if (untold)
		note_say(r->notes, NOTE_WARN,
			 "%s%" PRIu64 " event%s of the whole trace %s lost at unknown times (the "
			 "recorder's statistics): some may be in the time that was %s",
			 cut ? "up to " : "", untold, plural(untold), untold == 1 ? "was" : "were",
			 time);
}

int py_losses_end(struct pyrun *r)
{
	bool cut = is_cut_short(r);
	struct untold_losses t = { .r = r, .perhaps = is_part(r) || cut };

	r->handlers->d.ev = NULL;
	if (!cut && r->handlers->d.end != RUN_DONE)
		return 0;
	for (unsigned i = 0; i < r->pump->nsources; i++)
		losses_each_rest(r->pump->sources[i], tell_timeless, &t);
	if (cut)
		beyond_see_ahead(&r->handlers->d.beyond, r->pump);
	say_perhaps(r, t.untold, cut);
	return t.rc;
}

void py_losses_say(struct pyrun *r, const char *how)
{
	const struct py_handlers *h = r->handlers;
	char text[LOSSES_TEXT];
	struct losses l;

	if (!r->host || h->lost || r->lost_seen || h->d.signal == SIGPIPE)
		return;
	pyrun_losses(r, &l);
	if (l.events || l.places)
		note_say(r->notes, NOTE_WARN,
			 "%s: the script does not handle lost events (%s): what it joins across a "
			 "gap may be wrong",
			 losses_text(&l, " lost", text), how);
}
