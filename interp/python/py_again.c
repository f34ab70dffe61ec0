/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_again: the inputs of a Trace and its choice of events as options of zedperl, for answer().
 */
#include "interp/python/py_functions_priv.h"

#include "base/outbuf.h"
#include "interp/python/module.h"
#include "interp/python/base/opened.h"
#include "interp/python/trace_object.h"

#include <inttypes.h>
#include <stdlib.h>

#define NSEC UINT64_C(1000000000)

/* Append the word BEFORE and TEXT to LIST. */
static int push(PyObject *list, const char *before, const char *text)
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
		if (push(list, option, t->v[i]) < 0)
			return -1;
	return 0;
}

static int push_one(PyObject *list, const char *option, const char *text)
{
	return text ? push(list, option, text) : 0;
}

static int push_time(PyObject *list, const char *option, const struct open_time *t)
{
	char text[40];

	if (t->text || !t->given)
		return push_one(list, option, t->text);
	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, t->ns / NSEC, t->ns % NSEC);
	return push(list, option, text);
}

/* What zed.open() was given. */
static int push_opened(PyObject *list, const struct open_words *w)
{
	if (push_all(list, "--event=", &w->events) < 0 || push_all(list, "-F", &w->where) < 0 ||
	    push_all(list, "--stable=", &w->stable) < 0 ||
	    push_time(list, "--start=", &w->start) < 0 || push_time(list, "--end=", &w->end) < 0 ||
	    push_one(list, "--cpu=", w->cpus) < 0 || push_one(list, "--pid=", w->pids) < 0 ||
	    push_one(list, "--comm=", w->tasks) < 0 ||
	    (w->relative && push(list, "--relative", "") < 0) ||
	    (w->strict && push(list, "--strict", "") < 0))
		return -1;
	for (size_t i = 0; i < w->paths.n; i++)
		if (push(list, "-i", "") < 0 || push(list, w->paths.v[i], "") < 0)
			return -1;
	return 0;
}

/* What the program was given. */
static int push_program(PyObject *list, const struct pyrun *r)
{
	char **words;
	struct err e;
	int rc = 0;

	if (!r->host->again) {
		zed_raise_text(NULL, "answer: give it the file of the trace: "
				     "zed.answer(\"waits\", \"trace.dat\")");
		return -1;
	}
	words = r->host->again(r->host->arg, &e);
	if (!words) {
		err_within(&e, "answer");
		zed_raise(&e);
		return -1;
	}
	for (size_t i = 0; words[i]; i++) {
		if (rc == 0)
			rc = push(list, words[i], "");
		free(words[i]);
	}
	free(words);
	return rc;
}

PyObject *function_again(PyObject *trace, PyObject *ignored)
{
	struct pyrun *r = trace_run_of(trace);
	const struct open_words *w = r ? trace_words_of(trace) : NULL;
	PyObject *list = r ? PyList_New(0) : NULL;

	(void)ignored;
	if (list && (w ? push_opened(list, w) : push_program(list, r)) < 0)
		Py_CLEAR(list);
	return list;
}
