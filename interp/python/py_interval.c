// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_interval: when an interval of --every ends, and what is called then.
 */
#include "interp/python/py_interval.h"

#include "base/mono.h"
#include "interp/python/py_answers.h"
#include "interp/python/handlers.h"

/* poll_hook.fds: the wait lasts no longer than the interval. */
static int interval_wait(void *arg, struct pollfd *fds, int room, int *ms)
{
	const struct py_interval *i = arg;
	uint64_t gone = mono_ns() - i->wall, left = gone < i->every ? i->every - gone : 0;

	(void)fds;
	(void)room;
	left = left / 1000000 + 1;
	if (left < (uint64_t)*ms)
		*ms = (int)left;
	return 0;
}

void py_interval_begin(struct pyrun *r)
{
	struct py_interval *i = &r->handlers->d.interval;

	/* Once, if run() is called again after a stop(). */
	if (i->every)
		return;
	*i = (struct py_interval){ .every = r->host ? r->host->every : 0, .wall = mono_ns() };
	if (!i->every)
		return;
	i->hook = (struct poll_hook){ .fds = interval_wait, .arg = i };
	pump_guest(r->pump, &i->hook);
}

/* Saturating, as a time may be any number. */
static uint64_t later(uint64_t ts, uint64_t by)
{
	return ts < UINT64_MAX - by ? ts + by : UINT64_MAX;
}

/* The first event: live, some of the interval may have passed without any. */
static void start(struct py_interval *i, uint64_t ts)
{
	uint64_t gone = i->idle ? mono_ns() - i->wall : 0;

	i->from = ts;
	i->to = later(ts, gone < i->every ? i->every - gone : 1);
	i->known = true;
}

/* The interval has ended, at END. */
static void pass(struct py_interval *i, uint64_t end)
{
	i->told_from = i->from;
	i->told_to = i->from = end;
	i->to = later(end, i->every);
}

bool py_interval_event(struct py_interval *i, uint64_t ts)
{
	bool over = i->known && ts >= i->to;

	if (!i->known)
		start(i, ts);
	/* Time without events is part of the interval that has ended. */
	if (over) {
		pass(i, i->to + (ts - i->to) / i->every * i->every);
		i->wall = mono_ns();
	}
	i->last = ts;
	i->any = true;
	return over;
}

bool py_interval_idle(struct py_interval *i)
{
	if (!i->every)
		return false;
	i->idle = true;
	if (mono_ns() - i->wall < i->every)
		return false;
	i->wall += i->every;
	if (i->known)
		pass(i, i->to);
	i->any = false;
	return true;
}

static PyObject *shown(const struct pyrun *r, uint64_t ts)
{
	if (!r->handlers->d.interval.known)
		return Py_NewRef(Py_None);
	return PyLong_FromUnsignedLongLong(ts - r->values.base);
}

/* trace_interval(from_ts, to_ts) */
static int call_script(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;
	PyObject *result = NULL, *args[3] = { NULL };

	if (!r->handlers->interval)
		return 0;
	d->sub = "trace_interval";
	args[1] = shown(r, d->interval.told_from);
	args[2] = args[1] ? shown(r, d->interval.told_to) : NULL;
	if (args[2])
		result = PyObject_Vectorcall(r->handlers->interval, args + 1,
					     2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
	Py_XDECREF(args[1]);
	Py_XDECREF(args[2]);
	Py_XDECREF(result);
	if (!result)
		return -1;
	d->sub = NULL;
	return 0;
}

struct answers_interval py_interval_told(const struct pyrun *r)
{
	const struct py_interval *i = &r->handlers->d.interval;

	return (struct answers_interval){
		.from = i->told_from - r->values.base,
		.to = i->told_to - r->values.base,
		.known = i->known,
		.total = r->host && r->host->every_total,
	};
}

int py_interval_tell(struct pyrun *r)
{
	struct answers_interval told = py_interval_told(r);

	if (r->host)
		r->host->clear(r->host->arg);
	if (call_script(r) < 0)
		return -1;
	return answers_print_interval(r, &told);
}

bool py_interval_end(struct pyrun *r, int *rc)
{
	struct py_interval *i = &r->handlers->d.interval;

	*rc = 0;
	if (!i->every || !i->any)
		return false;
	i->told_from = i->from;
	i->told_to = i->last > i->from ? i->last : i->from;
	*rc = call_script(r);
	return true;
}
