// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_symbols: the tables of a print format, as perf tells them to a script before the first event
 * of the type, for flag_str and symbol_str.
 */
#include "interp/python/perf/perf_symbols.h"

#include "interp/python/values.h"
#include "text/printfmt/printfmt_parse.h"

#include <string.h>

/* The functions of the script that take them, borrowed; NULL: it has none. */
struct definers {
	PyObject *value, *field;
};

static PyObject *function_of(PyObject *module, const char *name)
{
	PyObject *f = PyDict_GetItemString(module, name);

	return f && PyCallable_Check(f) ? f : NULL;
}

/* The field that N is about: perf takes the last one that it has in it. */
static const struct field *field_of(const struct pf_node *n)
{
	const struct field *f;

	if (!n)
		return NULL;
	f = field_of(n->b);
	if (!f)
		f = field_of(n->a);
	return f ? f : n->kind == PF_FIELD ? n->field : NULL;
}

static int call(PyObject *function, PyObject *args)
{
	PyObject *result = args && function ? PyObject_CallObject(function, args) : NULL;

	Py_XDECREF(args);
	Py_XDECREF(result);
	return result || (args && !function) ? 0 : -1;
}

/* Texts of formats may be no UTF-8. */
static PyObject *text(const char *s)
{
	return py_text(s, strlen(s));
}

static PyObject *name_args(PyObject *event, const char *field, const struct flag_name *name)
{
	return Py_BuildValue("(ONKN)", event, text(field), (unsigned long long)name->value,
			     text(name->name));
}

static int tell_table(const struct definers *to, const struct flag_table *table, PyObject *event,
		      const char *field)
{
	for (unsigned i = 0; i < table->n; i++) {
		const struct flag_name *name = &table->names[i];

		if (name->known && call(to->value, name_args(event, field, name)) < 0)
			return -1;
	}
	return call(to->field,
		    table->delim ? Py_BuildValue("(ONN)", event, text(field), text(table->delim)) :
				   Py_BuildValue("(ON)", event, text(field)));
}

int perf_tell_symbols(PyObject *module, const struct etype *t, PyObject *event)
{
	struct definers flags = { function_of(module, "define_flag_value"),
				  function_of(module, "define_flag_field") };
	struct definers symbols = { function_of(module, "define_symbolic_value"),
				    function_of(module, "define_symbolic_field") };
	struct arena arena = { 0 };
	int rc = 0;

	if (!flags.value && !flags.field && !symbols.value && !symbols.field)
		return 0;
	for (const struct flag_table *table = printfmt_tables(t, &arena); table && rc == 0;
	     table = table->next) {
		const struct field *f = table->field ? table->field : field_of(table->of);

		if (f)
			rc = tell_table(table->delim ? &flags : &symbols, table, event, f->name);
	}
	arena_fini(&arena);
	return rc;
}
