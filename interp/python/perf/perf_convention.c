// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_convention: is a script written for perf, and which of its functions do events call?
 */
#include "interp/python/perf/perf_convention.h"

#include "interp/python/perf/call.h"
#include "interp/python/perf/modules.h"
#include "interp/python/perf/reads.h"
#include "interp/python/py_convention.h"
#include "interp/python/pyrun.h"

#include <string.h>

/* process_event is for counters alone, and trace_unhandled for tracepoints. */
static bool accepts(const struct etype *t, enum py_kind kind, bool handled)
{
	bool counter = !t->format_len;

	(void)handled;
	switch (kind) {
	case PY_PROCESS:
		return counter;
	case PY_UNHANDLED:
		return !counter;
	default:
		return true;
	}
}

static bool is_one_of(PyObject *name, const char *const *words)
{
	for (; *words; words++)
		if (PyUnicode_CompareWithASCIIString(name, *words) == 0)
			return true;
	return false;
}

/* Do the parameters of a function that an event calls begin as perf's? */
static bool begins_as_perfs(const struct py_signature *s)
{
	static const char *const second[] = { "context", "ctxt", "ctx", NULL };
	static const char *const third[] = { "common_cpu", NULL };

	return (s->n > 1 && is_one_of(s->v[1].name, second)) ||
	       (s->n > 2 && is_one_of(s->v[2].name, third));
}

/* May events call a function called NAME, in perf's convention or in zed's? */
static bool is_called(const struct script_functions *script, const char *name)
{
	return !strcmp(name, "trace_unhandled") || script_functions_may(script, name);
}

/* Is FUNCTION, which the script has under NAME, one that takes what perf passes? */
static bool is_perfs(const struct script_functions *script, const char *name, PyObject *function)
{
	bool process = !strcmp(name, "process_event"), yes = false;
	struct py_signature s = { 0 };

	if (!process && !is_called(script, name))
		return false;
	if (py_signature_of(function, &s) == 0) {
		yes = process ? s.n == 1 : begins_as_perfs(&s);
		py_signature_fini(&s);
	}
	return yes;
}

static void say_chosen(struct pyrun *r, const char *name)
{
	note_say(r->notes, NOTE_WARN,
		 "function %s takes what perf passes: the script is run as perf does; --perf "
		 "confirms this, --zed turns it off",
		 name);
}

/* Does the function that the script has under NAME show it? */
static bool shown_by(struct pyrun *r, const struct script_functions *script, const char *name)
{
	PyObject *function = script_function(script, name);

	if (!function || !is_perfs(script, name, function))
		return false;
	say_chosen(r, name);
	return true;
}

static bool shown_by_functions(struct pyrun *r)
{
	const struct script_functions *script = &handlers_of(r)->script;
	PyObject *names;
	bool yes;

	if (!script->module)
		return false;
	/* It may be a method of an object, which is not among the names of the defs. */
	yes = shown_by(r, script, "process_event");
	names = yes ? NULL : script_function_names(script);
	for (Py_ssize_t i = 0; names && !yes && i < PyList_GET_SIZE(names); i++) {
		const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));

		yes = name && shown_by(r, script, name);
	}
	Py_XDECREF(names);
	PyErr_Clear();
	return yes;
}

static bool shown(struct pyrun *r)
{
	enum host_args args = r->host ? r->host->args : ARGS_ZED;

	if (args != ARGS_AS_SCRIPT)
		return args == ARGS_PERF;
	return perf_modules_loaded() || shown_by_functions(r);
}

static bool is_chosen(struct pyrun *r)
{
	if (!shown(r))
		return false;
	/* If it cannot be loaded, the first call says so. */
	if (perf_reads_init() < 0)
		PyErr_Clear();
	return true;
}

const struct py_convention PERF_CONVENTION = {
	.init = perf_modules_init,
	.start = perf_modules_start,
	.is_chosen = is_chosen,
	.accepts = accepts,
	.call_new = perf_call_new,
};
