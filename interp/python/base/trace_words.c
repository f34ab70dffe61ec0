/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_words: the arguments of zed.open(), as the words that the options of zedperl are.
 */
#include "interp/python/base/trace_words.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char trace_words_doc[] =
	"open(paths, *, events=None, start=None, end=None, cpus=None, pids=None, tasks=None,\n"
	"     where=None, stable=None, relative=False, strict=False) -> Trace\n\n"
	"Open one input, or several, whose events are merged by time: trace.dat, perf.data, CTF,\n"
	"LTT, zed streams; \"-\": standard input.\n\n"
	"events    only these: \"sched:*,irq\", or a list; stable ones, too (\"sched:switch\")\n"
	"start     only from this time on: ns (int), or as zedperl --start takes it: \"12.5\"\n"
	"          (seconds), \"+250ms\" (from the first record), \"-1s\" (before the last one)\n"
	"end       only up to this time\n"
	"cpus      only these CPUs: \"0,2-5\", 3, or a list\n"
	"pids      only events of these tasks: \"12,34\", 12, or a list\n"
	"tasks     only events of tasks of these names at that time: \"sh,kworker*\", or a list\n"
	"where     conditions, as -F of zedperl: \"sched: prio < 100\", or a list\n"
	"stable    files of further stable events, or a folder of them, or a list\n"
	"relative  count times from the first record\n"
	"strict    end at the first damage, by zed.Error, in place of a zed.TraceWarning for it\n\n"
	"Raises zed.Error if an input cannot be opened, or has nothing of what is named.";

/* ---- texts ---- */

static int add_text(struct open_texts *t, PyObject *value, const char *name)
{
	PyObject *bytes;

	if (!PyUnicode_Check(value)) {
		PyErr_Format(PyExc_TypeError, "%s: expected a str or a list of str, not %.100s",
			     name, Py_TYPE(value)->tp_name);
		return -1;
	}
	bytes = PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape");
	if (!bytes)
		return -1;
	if (strlen(PyBytes_AS_STRING(bytes)) == (size_t)PyBytes_GET_SIZE(bytes))
		open_texts_add(t, PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes));
	else
		PyErr_Format(PyExc_ValueError, "%s: a text with a null character", name);
	Py_DECREF(bytes);
	return PyErr_Occurred() ? -1 : 0;
}

/* ADD for VALUE, or for each item of it, if it is a list or the like. */
static int each(struct open_texts *t, PyObject *value, const char *name,
		int (*add)(struct open_texts *t, PyObject *value, const char *name))
{
	PyObject *iter, *item;
	int rc = 0;

	if (PyUnicode_Check(value) || !Py_TYPE(value)->tp_iter)
		return add(t, value, name);
	iter = PyObject_GetIter(value);
	while (iter && rc == 0 && (item = PyIter_Next(iter))) {
		rc = add(t, item, name);
		Py_DECREF(item);
	}
	Py_XDECREF(iter);
	return rc < 0 || PyErr_Occurred() ? -1 : 0;
}

int trace_words_texts(struct open_texts *t, PyObject *value, const char *name)
{
	return value == Py_None ? 0 : each(t, value, name, add_text);
}

/* Nothing that is chosen would be all, or nothing: a list that came out empty is a mistake. */
static int check_some(const struct open_texts *t, PyObject *value, const char *name)
{
	if (t->n || value == Py_None)
		return 0;
	PyErr_Format(PyExc_ValueError, "%s: the list is empty: None means all", name);
	return -1;
}

int trace_words_some(struct open_texts *t, PyObject *value, const char *name)
{
	int rc = trace_words_texts(t, value, name);

	return rc < 0 ? rc : check_some(t, value, name);
}

static int add_path(struct open_texts *t, PyObject *value, const char *name)
{
	PyObject *bytes;

	if (!PyUnicode_FSConverter(value, &bytes))
		return -1;
	open_texts_add(t, PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes));
	Py_DECREF(bytes);
	return 0;
}

static int read_paths(struct open_texts *t, PyObject *value, const char *name)
{
	if (value == Py_None)
		return 0;
	if (PyBytes_Check(value))
		return add_path(t, value, name);
	return each(t, value, name, add_path);
}

static int add_number(struct open_texts *t, PyObject *value, const char *name)
{
	PyObject *text;
	int rc;

	if (!PyLong_Check(value))
		return add_text(t, value, name);
	text = PyObject_Str(value);
	rc = text ? add_text(t, text, name) : -1;
	Py_XDECREF(text);
	return rc;
}

/* The texts with commas between, to be freed. */
static char *joined(const struct open_texts *t)
{
	size_t len = 1;
	char *text, *to;

	for (size_t i = 0; i < t->n; i++)
		len += strlen(t->v[i]) + 1;
	text = to = mem_zalloc(len);
	for (size_t i = 0; i < t->n; i++)
		to += snprintf(to, len - (to - text), "%s%s", i ? "," : "", t->v[i]);
	return text;
}

/* VALUE as one text in *OUT, of numbers, ranges or names; None leaves it NULL. */
static int read_list(char **out, PyObject *value, const char *name)
{
	struct open_words all = { .relative = false };
	int rc = value == Py_None ? 0 : each(&all.events, value, name, add_number);

	if (rc == 0)
		rc = check_some(&all.events, value, name);
	if (rc == 0 && value != Py_None)
		*out = joined(&all.events);
	open_words_fini(&all);
	return rc;
}

/* ---- times ---- */

static int read_time(struct open_time *t, PyObject *value, const char *name)
{
	struct open_texts text = { .n = 0 };

	if (value == Py_None)
		return 0;
	t->given = true;
	if (PyLong_Check(value)) {
		t->ns = PyLong_AsUnsignedLongLong(value);
		return PyErr_Occurred() ? -1 : 0;
	}
	if (!PyUnicode_Check(value)) {
		PyErr_Format(PyExc_TypeError,
			     "%s: expected seconds as text (\"12.5\"), or ns as int, not %.100s",
			     name, Py_TYPE(value)->tp_name);
		return -1;
	}
	if (add_text(&text, value, name) < 0)
		return -1;
	t->text = text.v[0];
	free(text.v);
	return 0;
}

int trace_words_read(struct open_words *w, PyObject *args, PyObject *kwargs)
{
	static const char *const names[] = { "paths",  "events",   "start",  "end",
					     "cpus",   "pids",	   "tasks",  "where",
					     "stable", "relative", "strict", NULL };
	PyObject *paths, *events = Py_None, *start = Py_None, *end = Py_None, *cpus = Py_None;
	PyObject *pids = Py_None, *tasks = Py_None, *where = Py_None, *stable = Py_None;
	int relative = 0, strict = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOOOOOOOpp:open", (char **)names, &paths,
					 &events, &start, &end, &cpus, &pids, &tasks, &where,
					 &stable, &relative, &strict))
		return -1;
	w->relative = relative;
	w->strict = strict;
	if (read_paths(&w->paths, paths, "paths") < 0 ||
	    trace_words_some(&w->events, events, "events") < 0 ||
	    trace_words_texts(&w->where, where, "where") < 0 ||
	    read_paths(&w->stable, stable, "stable") < 0 || read_list(&w->cpus, cpus, "cpus") < 0 ||
	    read_list(&w->pids, pids, "pids") < 0 || read_list(&w->tasks, tasks, "tasks") < 0 ||
	    read_time(&w->start, start, "start") < 0 || read_time(&w->end, end, "end") < 0)
		return -1;
	if (w->paths.n)
		return 0;
	PyErr_SetString(PyExc_ValueError, "open: no input is named");
	return -1;
}
