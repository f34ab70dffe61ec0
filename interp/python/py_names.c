/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * py_names: methods of Trace about the machines that the inputs were recorded on: symbols, names of
 * tasks, of numbers and of values; and plain().
 */
#include "interp/python/py_functions_priv.h"

#include "base/mem.h"
#include "interp/common/duration_text.h"
#include "interp/common/symbol_at.h"
#include "interp/python/base/py_words.h"
#include "interp/python/trace_object.h"
#include "trace/field.h"
#include "trace/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The machine of the input S; that of the current event, if it is from it. */
static struct machine *machine_of(const struct pyrun *r, struct source *s)
{
	return r->ev && r->ev->from->source == s->num ? r->ev->type->machine : &s->machine;
}

/* ---------------------------------------------------------------- symbols */

/* The kernel's symbol at ADDR outside of events: of the first input. */
static void symbol_of_first(struct pyrun *r, uint64_t addr, struct symbol_at *out)
{
	struct source *s = pump_source(r->pump, 0);
	uint64_t start = 0;

	*out = (struct symbol_at){ .name = NULL };
	if (s)
		out->name = machine_symbol(&s->machine, addr, &start, &out->module);
	out->off = addr - start;
}

/* What is at the address O.  -1: an exception is set. */
static int look_up(PyObject *trace, PyObject *o, struct symbol_at *at)
{
	uint64_t addr = PyLong_AsUnsignedLongLongMask(o);
	struct pyrun *r = PyErr_Occurred() ? NULL : trace_run_of(trace);

	if (!r)
		return -1;
	if (r->ev)
		symbol_at(r->ev, addr, at);
	else
		symbol_of_first(r, addr, at);
	return 0;
}

PyObject *function_symbol(PyObject *trace, PyObject *address)
{
	struct outbuf o = { 0 };
	struct symbol_at at;
	PyObject *text;

	if (look_up(trace, address, &at) < 0)
		return NULL;
	if (!at.name || !at.off)
		return function_str(at.name);
	out_printf(&o, "%s+0x%" PRIx64, at.name, at.off);
	text = py_text(o.p, o.len);
	outbuf_fini(&o);
	return text;
}

PyObject *function_symbol_at(PyObject *trace, PyObject *address)
{
	struct symbol_at at;

	if (look_up(trace, address, &at) < 0)
		return NULL;
	if (!at.name)
		Py_RETURN_NONE;
	return Py_BuildValue("(NKN)", function_str(at.name), (unsigned long long)at.off,
			     function_str(at.module));
}

/* ---------------------------------------------------------------- tasks */

/* The arguments (pid, source=None), and the machine that has that task; NULL: there is none. */
static int task_of(PyObject *trace, PyObject *args, PyObject *kwargs, const char *format,
		   struct machine **m, int32_t *pid)
{
	static const char *const words[] = { "pid", "source", NULL };
	PyObject *number = NULL, *source = Py_None;
	struct source *s;
	struct pyrun *r;
	long input;

	if (function_words(args, kwargs, format, words, &number, &source, NULL) < 0)
		return -1;
	*pid = (int32_t)PyLong_AsLong(number);
	if (PyErr_Occurred() || function_source_number(source, &input) < 0 ||
	    !(r = trace_run_of(trace)))
		return -1;
	s = function_source(r, input);
	*m = r->ev && source == Py_None ? r->ev->type->machine : s ? &s->machine : NULL;
	return 0;
}

PyObject *function_comm(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	struct machine *m;
	int32_t pid;

	if (task_of(trace, args, kwargs, "O|O:comm", &m, &pid) < 0)
		return NULL;
	return function_str(m ? comms_name(m->comms, pid) : NULL);
}

PyObject *function_cgroup(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	struct machine *m;
	int32_t pid;

	if (task_of(trace, args, kwargs, "O|O:cgroup", &m, &pid) < 0)
		return NULL;
	return function_str(m ? machine_cgroup(m, m->comms->now, pid) : NULL);
}

/* ---------------------------------------------------------------- numbers */

/* The arguments (number, source=None).  -1: an exception is set. */
static int number_of_input(PyObject *args, PyObject *kwargs, const char *format, PyObject **number,
			   long *input)
{
	static const char *const words[] = { "number", "source", NULL };
	PyObject *source = Py_None;

	if (function_words(args, kwargs, format, words, number, &source, NULL) < 0)
		return -1;
	return function_source_number(source, input);
}

PyObject *function_errno(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	PyObject *number;
	struct source *s;
	struct pyrun *r;
	long long v;
	int overflow;
	long input;

	if (number_of_input(args, kwargs, "O|O:errno", &number, &input) < 0)
		return NULL;
	v = PyLong_AsLongLongAndOverflow(number, &overflow);
	if (PyErr_Occurred() || !(r = trace_run_of(trace)))
		return NULL;
	s = function_source(r, input);
	/* Results of system calls are negative. */
	return function_str(number_tables_errno(&functions_of(r)->numbers, s,
						s ? machine_of(r, s) : NULL,
						overflow ? UINT64_MAX :
						v < 0	 ? -(uint64_t)v :
							   (uint64_t)v));
}

PyObject *function_syscall(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	PyObject *number;
	struct source *s;
	struct pyrun *r;
	uint64_t nr;
	long input;

	if (number_of_input(args, kwargs, "O|O:syscall", &number, &input) < 0)
		return NULL;
	nr = PyLong_AsUnsignedLongLongMask(number);
	if (PyErr_Occurred() || !(r = trace_run_of(trace)))
		return NULL;
	s = function_source(r, input);
	return function_str(
		s ? number_tables_syscall(&functions_of(r)->numbers, s, machine_of(r, s), nr) :
		    NULL);
}

/* The kernel's own dev_t: 12 bits of major, 20 of minor (include/linux/kdev_t.h). */
#define DEV_MINOR_BITS 20

PyObject *function_dev(PyObject *ignored, PyObject *number)
{
	unsigned long long dev;

	(void)ignored;
	if (number == Py_None)
		Py_RETURN_NONE;
	dev = PyLong_AsUnsignedLongLongMask(number);
	if (PyErr_Occurred())
		return NULL;
	return PyUnicode_FromFormat("%llu:%llu", dev >> DEV_MINOR_BITS,
				    dev & ((1u << DEV_MINOR_BITS) - 1));
}

PyObject *function_duration(PyObject *trace, PyObject *ns)
{
	bool none = ns == Py_None;
	double time = none ? 0 : PyFloat_AsDouble(ns);
	struct pyrun *r = PyErr_Occurred() ? NULL : trace_run_of(trace);
	char text[DURATION_TEXT];

	if (!r)
		return NULL;
	if (none)
		Py_RETURN_NONE;
	return function_str(
		isfinite(time) ? duration_text(time, !duration_counts_ns(r->pump), text) : NULL);
}

PyObject *function_plain(PyObject *ignored, PyObject *o)
{
	PyObject *bytes, *text;
	struct outbuf buf = { 0 };

	(void)ignored;
	if (o == Py_None)
		Py_RETURN_NONE;
	if (PyBytes_Check(o)) {
		bytes = Py_NewRef(o);
	} else if (PyUnicode_Check(o)) {
		bytes = PyUnicode_AsEncodedString(o, "utf-8", "surrogateescape");
	} else {
		return PyErr_Format(PyExc_TypeError, "plain: expected a str or bytes, not %.100s",
				    Py_TYPE(o)->tp_name);
	}
	if (!bytes)
		return NULL;
	out_bytes(&buf, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
	out_end(&buf);
	out_plain(&buf, 0, 0);
	text = py_text(buf.p, buf.len);
	outbuf_fini(&buf);
	Py_DECREF(bytes);
	return text;
}

/* ---------------------------------------------------------------- names of values */

/* The type that flag_str() and symbol_str() are about.  NULL: none, perhaps an exception. */
static const struct etype *type_asked(struct pyrun *r, PyObject *event)
{
	const struct event *ev = r->ev ? function_record(r, r->ev) : NULL;
	const struct etype *t;
	char *name;

	if (event == Py_None)
		return function_event(r, "flag_str, symbol_str") && ev ? ev->type : NULL;
	name = py_words_text(event, "event");
	if (!name)
		return NULL;
	t = table_names_type(r->pump->catalog, ev ? ev->type : NULL, name);
	free(name);
	return t;
}

static const struct field *field_asked(const struct etype *t, PyObject *name)
{
	char *text = t ? py_words_text(name, "field") : NULL;
	const struct field *f = text ? field_find(t, text) : NULL;

	free(text);
	return f;
}

/* (field, value=None, event=None): the value is that of the current event, if not given. */
static PyObject *value_name(PyObject *trace, PyObject *args, PyObject *kwargs, bool flags)
{
	static const char *const words[] = { "field", "value", "event", NULL };
	PyObject *name = NULL, *value = Py_None, *event = Py_None, *text;
	const struct etype *t;
	const struct field *f;
	struct outbuf o = { 0 };
	struct pyrun *r;
	uint64_t v = 0;

	if (function_words(args, kwargs, "O|OO", words, &name, &value, &event) < 0)
		return NULL;
	if (value != Py_None)
		v = PyLong_AsUnsignedLongLongMask(value);
	if (PyErr_Occurred() || !(r = trace_run_of(trace)))
		return NULL;
	t = type_asked(r, event);
	f = field_asked(t, name);
	if (f && value == Py_None && r->ev && function_record(r, r->ev)->type == t &&
	    field_is_int(f))
		v = field_scalar(f, function_record(r, r->ev));
	else if (value == Py_None)
		f = NULL;
	if (PyErr_Occurred())
		return NULL;
	if (!f || !table_names_put(&functions_of(r)->names, t, f, v, flags, &o))
		text = Py_NewRef(Py_None);
	else
		text = py_text(out_end(&o), o.len);
	outbuf_fini(&o);
	return text;
}

PyObject *function_flag_str(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	return value_name(trace, args, kwargs, true);
}

PyObject *function_symbol_str(PyObject *trace, PyObject *args, PyObject *kwargs)
{
	return value_name(trace, args, kwargs, false);
}
