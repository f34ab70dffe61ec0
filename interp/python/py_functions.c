/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_functions: methods of Trace about the current event and the times of the inputs; and the table
 * of those in py_names.c.
 */
#include "interp/python/py_functions_priv.h"

#include "base/mem.h"
#include "interp/python/base/open_options.h"
#include "interp/python/module.h"
#include "interp/python/trace_object.h"
#include "run/period.h"
#include "trace/chain_frame.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct py_functions *functions_of(struct pyrun *r)
{
	if (!r->functions)
		r->functions = mem_zalloc(sizeof(*r->functions));
	return r->functions;
}

void functions_free(struct pyrun *r)
{
	struct py_functions *f = r->functions;

	if (!f)
		return;
	engine_free(f->text);
	outbuf_fini(&f->buf);
	table_names_fini(&f->names);
	number_tables_free(f->numbers);
	free(f);
	r->functions = NULL;
}

/* ---------------------------------------------------------------- what is asked */

const struct event *function_event(struct pyrun *r, const char *fn)
{
	if (r->ev)
		return r->ev;
	return zed_raise_text(NULL, "%s: no current event (call it from a handler)", fn);
}

const struct event *function_record(const struct pyrun *r, const struct event *ev)
{
	return ev == r->ev && r->item.ev ? r->item.ev : ev;
}

int function_source_number(PyObject *o, long *number)
{
	*number = o == Py_None ? SOURCE_CURRENT : PyLong_AsLong(o);
	return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

struct source *function_source(const struct pyrun *r, long number)
{
	if (number == SOURCE_CURRENT)
		number = r->ev ? (long)r->ev->from->source : 0;
	return number >= 0 && number <= INT_MAX ? pump_source(r->pump, (unsigned)number) : NULL;
}

int function_words(PyObject *args, PyObject *kwargs, const char *format, const char *const *words,
		   PyObject **a, PyObject **b, PyObject **c)
{
	char *names[4] = { NULL };

	/* The declaration of Python lacks a const. */
	for (unsigned i = 0; words[i]; i++)
		memcpy(&names[i], &words[i], sizeof(names[i]));
	return PyArg_ParseTupleAndKeywords(args, kwargs, format, names, a, b, c) ? 0 : -1;
}

PyObject *function_str(const char *s)
{
	if (!s)
		Py_RETURN_NONE;
	return py_text(s, strlen(s));
}

/* ---------------------------------------------------------------- the event */

/* The walk over PART of EV's chain. */
static struct chain_walk walk_of(const struct event *ev, const char *part)
{
	bool of_kernel = part && !strcmp(part, "kernel"), of_user = part && !strcmp(part, "user");
	struct chain_walk w = { .ev = ev, .no_kernel = of_user, .no_user = of_kernel };

	w.chain = of_kernel ? (struct chain){ .v = ev->chain, .n = ev->nchain } : chain_whole(ev);
	return w;
}

/* LIST with O, a new reference or NULL; NULL: an exception is set, and LIST is freed. */
static PyObject *with(PyObject *list, PyObject *o)
{
	int rc = list && o ? PyList_Append(list, o) : -1;

	Py_XDECREF(o);
	if (rc < 0)
		Py_CLEAR(list);
	return list;
}

PyObject *functions_stack(const struct event *ev, const char *part)
{
	struct chain_walk w = walk_of(ev, part);
	PyObject *list = PyList_New(0);

	while (list && chain_next(&w.chain, &w.i, &w.address, &w.kernel))
		if (!(w.kernel ? w.no_kernel : w.no_user))
			list = with(list, PyLong_FromUnsignedLongLong(w.address));
	return list;
}

PyObject *functions_stack_symbols(const struct event *ev, const char *part)
{
	struct chain_walk w = walk_of(ev, part);
	PyObject *list = PyList_New(0);
	char text[CHAIN_TEXT_MAX];
	struct chain_frame f;

	while (list && chain_walk_next(&w, &f))
		list = with(list, function_str(chain_text(&f, w.address, text, sizeof(text))));
	return list;
}

PyObject *functions_text(struct pyrun *r, const struct event *ev)
{
	struct py_functions *f = functions_of(r);

	if (!f->text)
		f->text = engine_new(DIALECT_KERNEL, r->notes);
	f->buf.len = 0;
	engine_put(f->text, function_record(r, ev), &f->buf, false);
	return py_text(f->buf.p ? f->buf.p : "", f->buf.len);
}

/* stack() and stack_symbols(): of the current event. */
static PyObject *stack_of(PyObject *trace, PyObject *args, PyObject *kwargs, const char *fn,
			  PyObject *(*make)(const struct event *, const char *))
{
	static const char *const words[] = { "part", NULL };
	PyObject *part = Py_None;
	const struct event *ev;
	const char *text = NULL;
	struct pyrun *r;

	if (function_words(args, kwargs, "|O", words, &part, NULL, NULL) < 0)
		return NULL;
	r = trace_run_of(trace);
	ev = r ? function_event(r, fn) : NULL;
	if (!ev)
		return NULL;
	if (part != Py_None)
		text = PyUnicode_Check(part) ? PyUnicode_AsUTF8(part) : "";
	if (text && strcmp(text, "kernel") != 0 && strcmp(text, "user") != 0)
		return PyErr_Format(PyExc_ValueError, "%s: part must be 'kernel' or 'user'", fn);
	return PyErr_Occurred() ? NULL : make(ev, text);
}

static PyObject *function_stack(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	return stack_of(trace, args, kwargs, "stack", functions_stack);
}

static PyObject *function_stack_symbols(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	return stack_of(trace, args, kwargs, "stack_symbols", functions_stack_symbols);
}

static PyObject *function_text(PyObject *trace, PyObject *ignored)
{
	struct pyrun *r = trace_run_of(trace);
	const struct event *ev = r ? function_event(r, "text") : NULL;

	(void)ignored;
	return ev ? functions_text(r, ev) : NULL;
}

static PyObject *function_inlined(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	static const char *const words[] = { "address", "caller", NULL };
	PyObject *address = NULL, *caller = Py_False, *list;
	const struct code_line *lines = NULL;
	const struct event *ev;
	struct pyrun *r;
	int is_caller;
	uint64_t at;
	unsigned n;

	if (function_words(args, kwargs, "O|O", words, &address, &caller, NULL) < 0)
		return NULL;
	at = PyLong_AsUnsignedLongLongMask(address);
	is_caller = PyErr_Occurred() ? -1 : PyObject_IsTrue(caller);
	if (is_caller < 0)
		return NULL;
	r = trace_run_of(trace);
	ev = r ? function_event(r, "inlined") : NULL;
	if (!ev)
		return NULL;
	n = chain_lines(ev, at, at >> 63, is_caller && !chain_whole(ev).found, &lines);
	list = PyList_New(0);
	/* The last one is the function itself. */
	for (unsigned i = 0; list && i + 1 < n; i++)
		list = with(list, function_str(*lines[i].function ? lines[i].function : "?"));
	return list;
}

/* ns as the script sees times; None: not known. */
static PyObject *time_value(const struct pyrun *r, uint64_t ts)
{
	if (ts == TS_UNKNOWN)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(ts - r->values.base);
}

static PyObject *function_lost_since(PyObject *trace, PyObject *ignored)
{
	struct pyrun *r = trace_run_of(trace);
	const struct event *ev = r ? function_event(r, "lost_since") : NULL;

	(void)ignored;
	return ev ? time_value(r, ev->lost ? ev->lost_since : TS_UNKNOWN) : NULL;
}

static PyObject *function_pid_since(PyObject *trace, PyObject *ignored)
{
	struct pyrun *r = trace_run_of(trace);
	const struct event *ev = r ? function_event(r, "pid_since") : NULL;
	const struct trail *t = ev ? ev->trail : NULL;

	(void)ignored;
	if (!ev)
		return NULL;
	if (!t)
		Py_RETURN_NONE;
	if (t->before == TS_UNKNOWN)
		return Py_BuildValue("(NOO)", time_value(r, t->since), Py_None, Py_None);
	return Py_BuildValue("(NNi)", time_value(r, t->since), time_value(r, t->before),
			     (int)t->before_pid);
}

/* ---------------------------------------------------------------- times */

static PyObject *function_window(PyObject *trace, PyObject *ignored)
{
	struct pyrun *r = trace_run_of(trace);
	struct period p;
	struct err e;

	(void)ignored;
	if (!r)
		return NULL;
	if (period_common(r->pump, &p, NULL, &e) < 0 || !period_any(&p))
		Py_RETURN_NONE;
	return Py_BuildValue("(NN)", time_value(r, p.first), time_value(r, p.last));
}

static PyObject *span_value(const struct pyrun *r, const struct origin *from,
			    const struct period *p)
{
	return Py_BuildValue("{sisNsNsN}", "cpu", from->cpu, "instance",
			     function_str(from->instance), "start", time_value(r, p->first), "end",
			     time_value(r, p->last));
}

static PyObject *function_spans(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	static const char *const words[] = { "source", NULL };
	PyObject *source = Py_None, *list;
	const struct period *v = NULL;
	struct source *s;
	struct pyrun *r;
	struct err e;
	long number;

	if (function_words(args, kwargs, "|O:spans", words, &source, NULL, NULL) < 0 ||
	    function_source_number(source, &number) < 0 || !(r = trace_run_of(trace)))
		return NULL;
	s = function_source(r, number);
	list = PyList_New(0);
	if (!s || period_streams(r->pump, s->num, &v, &e) < 0)
		return list;
	for (unsigned i = 0; list && i < s->nstreams; i++)
		if (period_any(&v[i]))
			list = with(list, span_value(r, s->streams[i]->from, &v[i]));
	return list;
}

/* ---------------------------------------------------------------- again */

/* The words of zedperl for what the program was given. */
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
			rc = open_option(list, words[i], "");
		free(words[i]);
	}
	free(words);
	return rc;
}

/* _again(): the words by which zedperl reads the same events, up to a script, as a list. */
static PyObject *function_again(PyObject *trace, PyObject *ignored)
{
	struct pyrun *r = trace_run_of(trace);
	const struct open_words *w = r ? trace_words_of(trace) : NULL;
	PyObject *list;

	(void)ignored;
	if (!r)
		return NULL;
	if (w && !opened_again(r->opened))
		return zed_raise_text(w->paths.v[0], "answer() cannot read it again: it can be "
						     "read only once");
	list = PyList_New(0);
	if (list && (w ? open_options(list, w) : push_program(list, r)) < 0)
		Py_CLEAR(list);
	return list;
}

/* ---------------------------------------------------------------- methods */

#define METHOD(name, text) \
	{ \
#name, (PyCFunction)(void (*)(void))function_##name, METH_VARARGS | METH_KEYWORDS, \
			PyDoc_STR(#name text) \
	}

PyMethodDef functions_methods[] = {
	METHOD(stack, "($self, part=None)\n--\n\n"
		      "The stack of the current event: addresses, innermost first; part: "
		      "'kernel' or 'user' only."),
	METHOD(stack_symbols, "($self, part=None)\n--\n\n"
			      "The same addresses, resolved: 'schedule+0x2b'."),
	METHOD(inlined, "($self, address, caller=False)\n--\n\n"
			"The functions that the compiler put into the code at an address "
			"of the current event, with --inline."),
	{ "text", function_text, METH_NOARGS,
	  PyDoc_STR("text($self, /)\n--\n\n"
		    "The current event as the kernel's trace file shows it.") },
	{ "lost_since", function_lost_since, METH_NOARGS,
	  PyDoc_STR("lost_since($self, /)\n--\n\n"
		    "The time, in ns, of the last record before the loss before the current event, "
		    "or None.") },
	{ "pid_since", function_pid_since, METH_NOARGS,
	  PyDoc_STR("pid_since($self, /)\n--\n\n"
		    "(since, before, pid): since when all records of this CPU belong to the "
		    "current task; the time and task of the record before, or None; None: the "
		    "input does not record tasks.") },
	{ "symbol", function_symbol, METH_O,
	  PyDoc_STR("symbol($self, address, /)\n--\n\n"
		    "The function at an address, 'name' or 'name+0x1f', or None.") },
	{ "symbol_at", function_symbol_at, METH_O,
	  PyDoc_STR("symbol_at($self, address, /)\n--\n\n"
		    "(name, offset in bytes, module or None) of an address, or None.") },
	METHOD(comm, "($self, pid, source=None)\n--\n\n"
		     "The name of the task pid at this time."),
	METHOD(cgroup, "($self, pid, source=None)\n--\n\n"
		       "The cgroup that the task pid is in at this time."),
	METHOD(errno, "($self, number, source=None)\n--\n\n"
		      "The name of an error number, negative or not, on the traced machine: "
		      "'ENOENT'; None: it has none."),
	METHOD(syscall, "($self, number, source=None)\n--\n\n"
			"The name of a system call's number on the traced machine: "
			"'openat'; None: it has none."),
	{ "dev", function_dev, METH_O | METH_STATIC,
	  PyDoc_STR("dev(number, /)\n--\n\nThe dev of an event as 'major:minor': '8:0'.") },
	{ "duration", function_duration, METH_O,
	  PyDoc_STR("duration($self, ns, /)\n--\n\n"
		    "A span of time with three digits and a unit: '12.3 ms'; ticks, if the "
		    "trace's clock counts these.") },
	{ "plain", function_plain, METH_O | METH_STATIC,
	  PyDoc_STR("plain(text, /)\n--\n\n"
		    "text made safe for a terminal: \\n and \\xNN for control characters.") },
	METHOD(flag_str, "($self, field, value=None, event=None)\n--\n\n"
			 "The names of the bits in value by the event's print format; None: "
			 "it has no table for the field."),
	METHOD(symbol_str, "($self, field, value=None, event=None)\n--\n\n"
			   "The name of value by the event's print format; None: it has "
			   "none."),
	{ "window", function_window, METH_NOARGS,
	  PyDoc_STR("window($self, /)\n--\n\n"
		    "(start, end) in ns of the time in which all CPUs have data; None: there is "
		    "none, or the input is read as it comes.") },
	METHOD(spans, "($self, source=None)\n--\n\n"
		      "For each CPU of an input a dict with cpu, instance, start and end."),
	{ "asked", function_asked, METH_NOARGS,
	  PyDoc_STR(
		  "asked($self, /)\n--\n\n"
		  "The user's choice of events, a dict: start and end (ns), cpus, pids, comms and "
		  "cgroups (lists), None where all are; head, tail, every: these options were "
		  "given; starves: an option that leaves out kinds of events; first and seen: the "
		  "times of the first and the last event so far.") },
	{ "_again", function_again, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
