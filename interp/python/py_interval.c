// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_interval: what is called when an interval of --every ends.
 */
#include "interp/python/py_interval.h"

#include "interp/python/handlers.h"

void py_interval_begin(struct pyrun *r)
{
	struct interval *i = &r->handlers->d.interval;

	/* Once, if run() is called again after a stop(). */
	if (!i->every)
		interval_begin(i, r->pump, r->host ? r->host->every : 0);
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
	const struct interval *i = &r->handlers->d.interval;

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
	*rc = 0;
	if (!interval_rest(&r->handlers->d.interval))
		return false;
	*rc = call_script(r);
	return true;
}
