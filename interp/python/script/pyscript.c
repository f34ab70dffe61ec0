// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pyscript: a script's run from Python's start to its end, which is an orderly one whatever the
 * script does.
 */
#include "interp/python/script/pyscript.h"

#include "interp/python/handlers.h"
#include "interp/python/script/main_program.h"
#include "interp/python/script/python_start.h"
#include "interp/python/trace_object.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* A run while Python is there. */
struct script {
	const struct host_opts *o;
	const struct py_line *line;
	PyObject *trace;  /* zed.trace, owned */
	PyObject *module; /* the dict of __main__, borrowed */
	PyObject *file;	  /* the name of the script's code, owned */
};

/* ---------------------------------------------------------------- before the script */

/* What the parent has not written yet would be written by the child, too. */
static PyObject *before_fork(PyObject *self, PyObject *unused)
{
	static const char *const files[] = { "stdout", "stderr" };

	(void)self;
	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		PyObject *f = PySys_GetObject(files[i]);
		PyObject *result = f && f != Py_None ? PyObject_CallMethod(f, "flush", NULL) : NULL;

		Py_XDECREF(result);
		PyErr_Clear();
	}
	Py_RETURN_NONE;
}

/* Only the process that has begun the run continues it. */
static PyObject *after_fork(PyObject *trace, PyObject *unused)
{
	struct pyrun *r = trace_run_of(trace);

	(void)unused;
	if (!r)
		return NULL;
	deliver_attend(&handlers_of(r)->d, PY_FORKED);
	Py_RETURN_NONE;
}

static PyMethodDef BEFORE_FORK = { "before_fork", before_fork, METH_NOARGS, NULL };
static PyMethodDef AFTER_FORK = { "after_fork", after_fork, METH_NOARGS, NULL };

static int watch_forks(PyObject *trace)
{
	PyObject *os = PyImport_ImportModule("os");
	PyObject *on = os ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
	PyObject *before = PyCFunction_New(&BEFORE_FORK, NULL);
	PyObject *after = PyCFunction_New(&AFTER_FORK, trace);
	PyObject *kwargs = before && after ? Py_BuildValue("{sOsO}", "before", before,
							   "after_in_child", after) :
					     NULL;
	PyObject *none = kwargs ? PyTuple_New(0) : NULL;
	PyObject *result = on && none ? PyObject_Call(on, none, kwargs) : NULL;

	Py_XDECREF(os);
	Py_XDECREF(on);
	Py_XDECREF(before);
	Py_XDECREF(after);
	Py_XDECREF(kwargs);
	Py_XDECREF(none);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

/* Systems of events that the user has named, not the trace: functions may handle them. */
static void declare_synthetic(struct script *s, struct py_handlers *h)
{
	const char *system;

	for (unsigned i = 0; s->o->synthetic && (system = synthetic_system(s->o->synthetic, i));
	     i++)
		script_functions_declare(&h->script, system);
}

/* The module zed, zed.trace, and __main__. */
static int prepare(struct script *s)
{
	PyObject *zed = PyImport_ImportModule("zed"), *main = PyImport_AddModule("__main__");
	struct py_handlers *h;

	Py_XDECREF(zed);
	s->trace = zed && main ? trace_object_new(s->o) : NULL;
	s->file = main_program_name(s->line);
	if (!s->trace || !s->file || python_set_path(s->line) < 0 || watch_forks(s->trace) < 0)
		return -1;
	s->module = PyModule_GetDict(main);
	if (python_is_file(s->line) && PyDict_SetItemString(s->module, "__file__", s->file) < 0)
		return -1;
	/* One line has it without an import, as sys.modules keeps it. */
	if (s->line->code && PyDict_SetItemString(s->module, "zed", zed) < 0)
		return -1;
	h = handlers_of(trace_run_of(s->trace));
	h->convention = s->line->convention;
	script_functions_init(&h->script, s->module, s->file, s->o->stable);
	declare_synthetic(s, h);
	return 0;
}

/* ---------------------------------------------------------------- the run */

static void run_all(struct script *s, struct script_result *result)
{
	struct pyrun *r = trace_run_of(s->trace);
	struct py_delivery *d = &handlers_of(r)->d;

	if (trace_was_read(s->trace)) {
		deliver_end(r);
	} else {
		d->reports = true;
		deliver_run(r);
	}
	result->end = d->end;
	if (d->end == RUN_FAILED)
		result->err = r->err;
	result->status = d->status;
	result->signal = d->signal;
	result->deaths = d->deaths;
}

/* The main program ended the script, by an exception or sys.exit(). */
static void end_main(struct script *s, struct script_result *result)
{
	struct pyrun *r = trace_run_of(s->trace);
	struct py_delivery *d = &handlers_of(r)->d;

	if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
		/* Its traceback shows where it hung. */
		PyErr_PrintEx(0);
		result->status = 128 + SIGINT;
		return;
	}
	deliver_report(r);
	result->status = d->signal == SIGPIPE ? 0 : d->status;
}

/* ---------------------------------------------------------------- the end */

/* The errno of the exception that is set, which is cleared; 0: it has none. */
static int take_errno(void)
{
	PyObject *exception = py_error_take(), *number;
	long n = 0;

	number = exception ? PyObject_GetAttrString(exception, "errno") : NULL;
	if (number && PyLong_Check(number))
		n = PyLong_AsLong(number);
	Py_XDECREF(number);
	Py_XDECREF(exception);
	PyErr_Clear();
	return (int)n;
}

/* Write what the script has printed. */
static void write_output(struct script *s, struct script_result *result)
{
	PyObject *out = PySys_GetObject("stdout"), *done;
	bool forked = result->forked;
	char said[200];
	int code;

	Py_XINCREF(out);
	done = out && out != Py_None ? PyObject_CallMethod(out, "flush", NULL) : Py_NewRef(Py_None);
	Py_XDECREF(done);
	Py_XDECREF(out);
	if (done)
		return;
	code = take_errno();
	if (code == EPIPE && deliver_is_unread()) {
		result->signal = result->signal ? result->signal : SIGPIPE;
	} else if (!forked) {
		snprintf(said, sizeof(said), "cannot write the script's output: %s",
			 code ? strerror(code) : "an earlier write failed");
		s->o->say(s->o->arg, said);
		result->status = result->status < 0 ? 1 : result->status;
	}
	/* Python would try again at its end, and complain. */
	PySys_SetObject("stdout", Py_None);
}

/* All between Python's start and end. */
static int run(struct script *s, struct script_result *result)
{
	int rc = prepare(s);

	if (rc < 0) {
		PyErr_PrintEx(0);
		result->status = 255;
	} else {
		rc = main_program_run(s->o, s->line, s->module, s->file);
		if (rc == 0)
			run_all(s, result);
		else
			end_main(s, result);
		result->forked = handlers_of(trace_run_of(s->trace))->d.attention & PY_FORKED;
	}
	if (result->forked && result->status < 0)
		result->status = 0;
	write_output(s, result);
	Py_CLEAR(s->trace);
	Py_CLEAR(s->file);
	return rc;
}

int pyscript_run(const struct host_opts *o, const struct py_line *line, struct script_result *r)
{
	struct script s = { .o = o, .line = line };
	const char *why;
	char said[300];
	int rc;

	*r = (struct script_result){ .end = RUN_STOPPED, .status = -1 };
	if (!python_start(line, &why)) {
		snprintf(said, sizeof(said), "python cannot start: %s", why);
		o->say(o->arg, said);
		r->status = 1;
		return -1;
	}
	rc = run(&s, r);
	if (Py_FinalizeEx() < 0 && r->status < 0 && !r->forked)
		r->status = 1;
	return rc;
}

/* ---------------------------------------------------------------- for the program's signals */

void pyscript_interrupt(void)
{
	PyErr_SetInterruptEx(SIGINT);
}

bool pyscript_handles(int sig)
{
	PyObject *module = PyImport_ImportModule("signal");
	PyObject *handler = module ? PyObject_CallMethod(module, "getsignal", "i", sig) : NULL;
	PyObject *usual = module ? PyObject_GetAttrString(module, "default_int_handler") : NULL;
	bool own = handler && usual && PyCallable_Check(handler) && handler != usual;

	Py_XDECREF(module);
	Py_XDECREF(handler);
	Py_XDECREF(usual);
	PyErr_Clear();
	return own;
}

const char *pyscript_version(char *buf, unsigned size)
{
	const char *version = Py_GetVersion();

	snprintf(buf, size, "python %.*s", (int)strcspn(version, " "), version);
	return buf;
}
