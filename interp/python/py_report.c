// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_report: exceptions that nothing in the script has caught: what they ask for, and what is
 * printed of them.
 */
#include "interp/python/deliver.h"

#include "interp/python/handlers.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define NSEC UINT64_C(1000000000)

bool deliver_is_unread(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* The function that is called for the current event. */
static void name_function(const struct py_delivery *d, char *name, size_t size)
{
	const struct py_binding *b = d->calling;
	const struct etype *t = d->ev->type;

	if (d->sub)
		snprintf(name, size, "%s", d->sub);
	else if (!b)
		snprintf(name, size, "a handler of %s:%s", t->system, t->name);
	else if (b->kind == PY_UNHANDLED || b->kind == PY_PROCESS)
		snprintf(name, size, "%s (%s:%s)",
			 b->kind == PY_PROCESS ? "process_event" : "trace_unhandled", t->system,
			 t->name);
	else if (b->kind == PY_NAMED)
		snprintf(name, size, "zed.on '%s' of %s (%s:%s)", b->handler->named->text,
			 b->handler->named->at, t->system, t->name);
	else
		py_event_name(b->stable ? b->stable->system : t->system,
			      b->stable ? b->stable->name : t->name, name, size);
}

/* Where it happened, after Python's own message. */
static void say_where(const struct pyrun *r)
{
	const struct py_delivery *d = &r->handlers->d;
	const struct event *ev = d->ev;
	char text[1400], name[PY_EVENT_NAME + 200];
	uint64_t ts;

	if (!r->host || (!ev && !d->sub))
		return;
	if (ev) {
		name_function(d, name, sizeof(name));
		ts = pyrun_ts(r, ev);
		snprintf(text, sizeof(text),
			 "while in %s, cpu %d, %" PRIu64 ".%09" PRIu64 ", %s offset 0x%" PRIx64,
			 name, ev->cpu, ts / NSEC, ts % NSEC, ev->from->path, ev->off);
	} else {
		snprintf(text, sizeof(text), "while in %s", d->sub);
	}
	r->host->say(r->host->arg, text);
}

void deliver_print(struct pyrun *r)
{
	if (r->host)
		r->host->clear(r->host->arg);
	PyErr_PrintEx(0);
	say_where(r);
}

/* The status that sys.exit(CODE) asks for; a text is printed, as Python does. */
static int status_of(PyObject *exception)
{
	PyObject *code = PyObject_GetAttrString(exception, "code");
	int status = 1;

	if (!code || code == Py_None) {
		status = 0;
	} else if (PyLong_Check(code)) {
		status = (int)((unsigned long)PyLong_AsLong(code) & 0xff);
	} else {
		PyObject *err = PySys_GetObject("stderr");

		if (err && err != Py_None && PyFile_WriteObject(code, err, Py_PRINT_RAW) == 0)
			PyFile_WriteString("\n", err);
	}
	PyErr_Clear();
	Py_XDECREF(code);
	return status;
}

void deliver_report(struct pyrun *r)
{
	struct py_delivery *d = &r->handlers->d;

	if (PyErr_ExceptionMatches(PyExc_SystemExit)) {
		PyObject *exception = py_error_take();

		d->status = status_of(exception);
		d->stop = true;
		Py_DECREF(exception);
	} else if (PyErr_ExceptionMatches(PyExc_BrokenPipeError) && deliver_is_unread()) {
		PyErr_Clear();
		d->signal = SIGPIPE;
	} else if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
		PyErr_Clear();
		d->signal = SIGINT;
	} else {
		deliver_print(r);
		d->died = true;
		d->status = 255;
	}
}
