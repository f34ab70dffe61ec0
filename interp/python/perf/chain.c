// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain: the call chain of an event as perf gives it to scripts: a list of dicts, the innermost
 * frame first.
 */
#include "interp/python/perf/lazy.h"

#include "interp/common/perf_names.h"
#include "interp/python/perf/perf_words.h"
#include "interp/python/values.h"
#include "trace/chain_frame.h"

#include <string.h>

/* The linkage of its symbol, local or global, is not known: it is given as local. */
#define BINDING_LOCAL 0

static PyObject *symbol_of(const struct chain_frame *f)
{
	PyObject *sym = PyDict_New();

	if (sym && perf_put(sym, WORD_START, PyLong_FromUnsignedLongLong(f->start)) == 0 &&
	    perf_put(sym, WORD_END, PyLong_FromUnsignedLongLong(f->end)) == 0 &&
	    perf_put(sym, WORD_BINDING, PyLong_FromLong(BINDING_LOCAL)) == 0 &&
	    perf_put(sym, WORD_NAME, py_text(f->name, strlen(f->name))) == 0)
		return sym;
	Py_XDECREF(sym);
	return NULL;
}

/* Its function, if one is known; with --inline also the line. */
static int put_symbol(PyObject *frame, const struct chain_frame *f)
{
	char buf[CHAIN_TEXT_MAX];
	const char *line, *slash;

	if (!f->name)
		return 0;
	if (perf_put(frame, WORD_SYM, symbol_of(f)) < 0 ||
	    perf_put(frame, WORD_SYM_OFF, PyLong_FromUnsignedLongLong(f->off)) < 0)
		return -1;
	if (!f->source)
		return 0;
	/* perf gives the name of the file alone. */
	line = chain_source(f, buf, sizeof(buf));
	slash = strrchr(line, '/');
	line = slash ? slash + 1 : line;
	return perf_put(frame, WORD_SYM_SRCLINE, py_text(line, strlen(line)));
}

static int put_file(PyObject *frame, const struct chain_frame *f, bool kernel)
{
	char buf[PERF_FILE_BUF];
	const char *name = perf_file_name(f, kernel, buf);

	return name ? perf_put(frame, WORD_DSO, py_text(name, strlen(name))) : 0;
}

static PyObject *frame_of(const struct chain_walk *w, const struct chain_frame *f)
{
	PyObject *frame = PyDict_New();

	if (frame && perf_put(frame, WORD_IP, PyLong_FromUnsignedLongLong(w->address)) == 0 &&
	    put_symbol(frame, f) == 0 && put_file(frame, f, w->kernel) == 0)
		return frame;
	Py_XDECREF(frame);
	return NULL;
}

int perf_chain_append(PyObject *list, const struct perf_from *from)
{
	struct chain_walk w = { .ev = from->ev, .chain = chain_whole(from->ev) };
	struct chain_frame f;
	PyObject *frame;
	int rc = 0;

	while (rc == 0 && chain_walk_next(&w, &f)) {
		frame = frame_of(&w, &f);
		rc = frame ? PyList_Append(list, frame) : -1;
		Py_XDECREF(frame);
	}
	return rc;
}
