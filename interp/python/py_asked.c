/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_asked: the user's choice of events, for an answer to a part of a trace: times, CPUs, tasks.
 */
#include "interp/python/py_functions_priv.h"

#include "base/cpulist.h"
#include "interp/python/base/opened.h"
#include "interp/python/trace_object.h"

/* Put V, a new reference or NULL, into DICT.  -1: an exception is set. */
static int put(PyObject *dict, const char *name, PyObject *v)
{
	int rc = v ? PyDict_SetItemString(dict, name, v) : -1;

	Py_XDECREF(v);
	return rc;
}

static PyObject *none(void)
{
	Py_RETURN_NONE;
}

/* A time of events as the script sees it; None: OPEN. */
static PyObject *time_or_none(const struct pyrun *r, uint64_t ts, uint64_t open)
{
	uint64_t base = r->values.base;

	return ts == open ? none() : PyLong_FromUnsignedLongLong(ts > base ? ts - base : 0);
}

/* LIST with V, a new reference or NULL; NULL: an exception is set, and LIST is freed. */
static PyObject *with(PyObject *list, PyObject *v)
{
	if (list && (!v || PyList_Append(list, v) < 0))
		Py_CLEAR(list);
	Py_XDECREF(v);
	return list;
}

static PyObject *cpus_of(const struct filter *f)
{
	PyObject *list;

	if (!f || !filter_has_cpus(f))
		return none();
	list = PyList_New(0);
	for (int cpu = 0; list && cpu < CPULIST_MAX; cpu++)
		if (filter_takes_cpu(f, cpu))
			list = with(list, PyLong_FromLong(cpu));
	return list;
}

static PyObject *pids_of(const struct filter *f)
{
	PyObject *list;
	int32_t pid;

	if (!f || !filter_pid(f, 0, &pid))
		return none();
	list = PyList_New(0);
	for (size_t i = 0; list && filter_pid(f, i, &pid); i++)
		list = with(list, PyLong_FromLong(pid));
	return list;
}

/* The texts that TEXT gives by number; ANY: there are some. */
static PyObject *texts_of(const struct filter *f, bool any,
			  const char *(*text)(const struct filter *f, size_t i))
{
	PyObject *list;
	const char *s;

	if (!any)
		return none();
	list = PyList_New(0);
	for (size_t i = 0; list && (s = text(f, i)); i++)
		list = with(list, function_str(s));
	return list;
}

static int put_filter(PyObject *d, const struct filter *f)
{
	if (put(d, "cpus", cpus_of(f)) < 0 || put(d, "pids", pids_of(f)) < 0 ||
	    put(d, "comms", texts_of(f, f && filter_has_comms(f), filter_comm)) < 0)
		return -1;
	return put(d, "cgroups", texts_of(f, f && filter_has_cgroups(f), filter_cgroup_at));
}

/* The times of the first and the last event that were given so far. */
static int put_met(PyObject *d, struct pyrun *r)
{
	const struct pump_stats *st = pump_count(r->pump);
	bool any = st->first_ts != UINT64_MAX;

	if (put(d, "first", any ? time_or_none(r, st->first_ts, UINT64_MAX) : none()) < 0)
		return -1;
	return put(d, "seen", any ? time_or_none(r, st->last_ts, UINT64_MAX) : none());
}

PyObject *function_asked(PyObject *trace, PyObject *ignored)
{
	struct pyrun *r = trace_run_of(trace);
	struct asked a = { .end = UINT64_MAX };
	PyObject *d = r ? PyDict_New() : NULL;

	(void)ignored;
	if (!d)
		return NULL;
	if (r->host) {
		a = r->host->asked;
	} else {
		a.start = r->opened->start;
		a.end = r->opened->end;
		a.filter = r->pump->filter;
	}
	if (put(d, "start", time_or_none(r, a.start, 0)) < 0 ||
	    put(d, "end", time_or_none(r, a.end, UINT64_MAX)) < 0 || put_filter(d, a.filter) < 0 ||
	    put(d, "head", PyBool_FromLong(a.head)) < 0 ||
	    put(d, "tail", PyBool_FromLong(a.tail)) < 0 ||
	    put(d, "every", PyBool_FromLong(r->host && r->host->every)) < 0 ||
	    put(d, "starves", function_str(a.starves)) < 0 || put_met(d, r) < 0)
		Py_CLEAR(d);
	return d;
}
