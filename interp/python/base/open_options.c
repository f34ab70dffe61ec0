/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open_options: what zed.open() was given, as options of the programs.
 */
#include "interp/python/base/open_options.h"

#include "base/outbuf.h"

#include <inttypes.h>

#define NSEC UINT64_C(1000000000)

int open_option(PyObject *list, const char *before, const char *text)
{
	struct outbuf word = { 0 };
	PyObject *o;
	int rc;

	out_str(&word, before);
	out_str(&word, text);
	/* As the script gave it, or as a name of a file is decoded. */
	o = PyUnicode_DecodeFSDefaultAndSize(word.p, (Py_ssize_t)word.len);
	outbuf_fini(&word);
	rc = o ? PyList_Append(list, o) : -1;
	Py_XDECREF(o);
	return rc;
}

static int push_all(PyObject *list, const char *option, const struct open_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (open_option(list, option, t->v[i]) < 0)
			return -1;
	return 0;
}

static int push_one(PyObject *list, const char *option, const char *text)
{
	return text ? open_option(list, option, text) : 0;
}

static int push_time(PyObject *list, const char *option, const struct open_time *t)
{
	char text[40];

	if (t->text || !t->given)
		return push_one(list, option, t->text);
	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, t->ns / NSEC, t->ns % NSEC);
	return open_option(list, option, text);
}

int open_options(PyObject *list, const struct open_words *w)
{
	if (push_all(list, "--event=", &w->events) < 0 || push_all(list, "-F", &w->where) < 0 ||
	    push_all(list, "--stable=", &w->stable) < 0 ||
	    push_time(list, "--start=", &w->start) < 0 || push_time(list, "--end=", &w->end) < 0 ||
	    push_one(list, "--cpu=", w->cpus) < 0 || push_one(list, "--pid=", w->pids) < 0 ||
	    push_one(list, "--comm=", w->tasks) < 0 ||
	    (w->relative && open_option(list, "--relative", "") < 0) ||
	    (w->strict && open_option(list, "--strict", "") < 0))
		return -1;
	for (size_t i = 0; i < w->paths.n; i++)
		if (open_option(list, "-i", "") < 0 || open_option(list, w->paths.v[i], "") < 0)
			return -1;
	return 0;
}
