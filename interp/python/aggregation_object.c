/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregation_object: the type zed.Aggregation: its attributes and methods.
 */
#include "interp/python/aggregation_object.h"

#include "interp/python/module.h"

#include <string.h>

struct aggregation_object {
	PyObject_HEAD
	struct py_answer *of;
};

static PyTypeObject aggregation_object_type;

PyObject *aggregation_object_new(struct py_answer *a)
{
	struct aggregation_object *o = PyObject_New(struct aggregation_object,
						    &aggregation_object_type);

	if (!o) {
		answer_stop(a);
		answer_drop(a);
		return NULL;
	}
	o->of = a;
	return (PyObject *)o;
}

static void aggregation_dealloc(PyObject *self)
{
	answer_let_go(((struct aggregation_object *)self)->of);
	PyObject_Free(self);
}

/* The answer of SELF, which is looked at now. */
static struct py_answer *asked(PyObject *self)
{
	struct py_answer *a = ((struct aggregation_object *)self)->of;

	a->asked = true;
	return a;
}

/* ---------------------------------------------------------------- a mapping */

/* The iterator of LIST, a new reference or NULL. */
static PyObject *iterator_of(PyObject *list)
{
	PyObject *it = list ? PyObject_GetIter(list) : NULL;

	Py_XDECREF(list);
	return it;
}

static PyObject *aggregation_iter(PyObject *self)
{
	return iterator_of(aggregation_keys(&asked(self)->answer));
}

static Py_ssize_t aggregation_len(PyObject *self)
{
	return (Py_ssize_t)aggregation_count(&asked(self)->answer);
}

static PyObject *aggregation_subscript(PyObject *self, PyObject *key)
{
	PyObject *o = aggregation_get(&asked(self)->answer, key), *error;

	if (o || PyErr_Occurred())
		return o;
	/* PyErr_SetObject() alone takes a tuple for several arguments, and None for none. */
	error = PyObject_CallOneArg(PyExc_KeyError, key);
	if (error)
		PyErr_SetObject(PyExc_KeyError, error);
	Py_XDECREF(error);
	return NULL;
}

static int aggregation_contains(PyObject *self, PyObject *key)
{
	PyObject *o = aggregation_get(&asked(self)->answer, key);
	int found = o ? 1 : PyErr_Occurred() ? -1 : 0;

	Py_XDECREF(o);
	return found;
}

static PyObject *aggregation_keys_method(PyObject *self, PyObject *ignored)
{
	(void)ignored;
	return aggregation_keys(&asked(self)->answer);
}

static PyObject *aggregation_items_method(PyObject *self, PyObject *ignored)
{
	(void)ignored;
	return aggregation_items(&asked(self)->answer);
}

static PyObject *aggregation_values_method(PyObject *self, PyObject *ignored)
{
	PyObject *items = aggregation_items(&asked(self)->answer), *list;
	Py_ssize_t i;

	(void)ignored;
	list = items ? PyList_New(PyList_GET_SIZE(items)) : NULL;
	for (i = 0; list && i < PyList_GET_SIZE(items); i++)
		PyList_SET_ITEM(list, i, Py_NewRef(PyTuple_GET_ITEM(PyList_GET_ITEM(items, i), 1)));
	Py_XDECREF(items);
	return list;
}

static PyObject *aggregation_get_method(PyObject *self, PyObject *args)
{
	PyObject *key, *otherwise = Py_None, *o;

	if (!PyArg_ParseTuple(args, "O|O:get", &key, &otherwise))
		return NULL;
	o = aggregation_get(&asked(self)->answer, key);
	return o || PyErr_Occurred() ? o : Py_NewRef(otherwise);
}

/* ---------------------------------------------------------------- texts */

/* What was written to O, which is freed, as a str. */
static PyObject *text_of(struct outbuf *o)
{
	PyObject *text = py_text(o->p, o->len);

	outbuf_fini(o);
	return text;
}

static PyObject *table_text(PyObject *self, size_t limit)
{
	struct py_answer *a = asked(self);
	struct losses lost = answer_lost(a);
	struct outbuf o = { 0 };

	answer_print(&a->answer, &lost, limit, &o);
	return text_of(&o);
}

static PyObject *aggregation_str(PyObject *self)
{
	PyObject *text = table_text(self, SIZE_MAX), *cut;
	Py_ssize_t len = text ? PyUnicode_GET_LENGTH(text) : 0;

	/* print(n) ends the last line. */
	if (!len)
		return text;
	cut = PyUnicode_Substring(text, 0, len - 1);
	Py_DECREF(text);
	return cut;
}

/* The title as a str; BEFORE and AFTER it. */
static PyObject *title_text(PyObject *self, const char *before, const char *after)
{
	struct outbuf o = { 0 };

	out_str(&o, before);
	answer_title(&((struct aggregation_object *)self)->of->answer, &o);
	out_plain(&o, 0, 0);
	out_str(&o, after);
	return text_of(&o);
}

static PyObject *aggregation_repr(PyObject *self)
{
	return title_text(self, "<zed.Aggregation ", ">");
}

static PyObject *aggregation_print(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static const char *const words[] = { "limit", "file", NULL };
	PyObject *limit = Py_None, *file = Py_None, *text;
	char *names[3];
	Py_ssize_t rows = PY_SSIZE_T_MAX;
	int rc = 0;

	/* The declaration of Python lacks a const. */
	memcpy(names, words, sizeof(names));
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:print", names, &limit, &file))
		return NULL;
	if (limit != Py_None)
		rows = PyNumber_AsSsize_t(limit, NULL);
	if (rows == -1 && PyErr_Occurred())
		return NULL;
	if (file == Py_None)
		file = PySys_GetObject("stdout");
	text = table_text(self, rows > 0 ? (size_t)rows : 0);
	if (text && file && file != Py_None)
		rc = PyFile_WriteObject(text, file, Py_PRINT_RAW);
	if (!text || rc < 0) {
		Py_XDECREF(text);
		return NULL;
	}
	Py_DECREF(text);
	Py_RETURN_NONE;
}

/* ---------------------------------------------------------------- attributes */

static PyObject *get_rows(PyObject *self, void *closure)
{
	(void)closure;
	return aggregation_rows(&asked(self)->answer);
}

static PyObject *get_total(PyObject *self, void *closure)
{
	(void)closure;
	return aggregation_total(&asked(self)->answer);
}

static PyObject *get_columns(PyObject *self, void *closure)
{
	(void)closure;
	return aggregation_columns(&((struct aggregation_object *)self)->of->answer);
}

static PyObject *get_title(PyObject *self, void *closure)
{
	(void)closure;
	return title_text(self, "", "");
}

static PyObject *get_lost(PyObject *self, void *closure)
{
	struct losses l = answer_lost(asked(self));

	(void)closure;
	return PyLong_FromUnsignedLongLong(l.events);
}

static PyObject *get_lost_places(PyObject *self, void *closure)
{
	struct losses l = answer_lost(asked(self));

	(void)closure;
	return PyLong_FromUnsignedLongLong(losses_unknown(&l));
}

/* The rows as a zed.Table. */
static PyObject *get_table(PyObject *self, void *closure)
{
	PyObject *type = zed_part("Table"), *columns, *rows, *title, *table = NULL;

	columns = type ? get_columns(self, closure) : NULL;
	rows = columns ? get_rows(self, closure) : NULL;
	title = rows ? get_title(self, closure) : NULL;
	if (title)
		table = PyObject_CallFunctionObjArgs(type, columns, rows, title, NULL);
	Py_XDECREF(title);
	Py_XDECREF(rows);
	Py_XDECREF(columns);
	return table;
}

/* What the Table of SELF says to the method NAME. */
static PyObject *of_table(PyObject *self, const char *name)
{
	PyObject *table = get_table(self, NULL), *o;

	o = table ? PyObject_CallMethod(table, name, NULL) : NULL;
	Py_XDECREF(table);
	return o;
}

static PyObject *aggregation_to_arrow(PyObject *self, PyObject *ignored)
{
	(void)ignored;
	return of_table(self, "to_arrow");
}

static PyObject *aggregation_to_pandas(PyObject *self, PyObject *ignored)
{
	(void)ignored;
	return of_table(self, "to_pandas");
}

static PyObject *aggregation_html(PyObject *self, PyObject *ignored)
{
	(void)ignored;
	return of_table(self, "_repr_html_");
}

/* ---------------------------------------------------------------- changes */

static PyObject *aggregation_clear(PyObject *self, PyObject *ignored)
{
	(void)ignored;
	answer_clear(asked(self));
	Py_RETURN_NONE;
}

static PyObject *aggregation_stop(PyObject *self, PyObject *ignored)
{
	(void)ignored;
	answer_stop(asked(self));
	Py_RETURN_NONE;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_names(const struct arg_names *a, const struct arg_names *b)
{
	for (unsigned i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->v[i], b->v[i]) != 0)
			return false;
	return a->n == b->n;
}

static PyObject *aggregation_merge(PyObject *self, PyObject *other)
{
	struct py_answer *a = asked(self), *b;
	struct losses lost;
	struct err e;

	if (Py_TYPE(other) != &aggregation_object_type) {
		PyErr_SetString(PyExc_TypeError, "merge: expected an Aggregation");
		return NULL;
	}
	b = asked(other);
	if (a == b)
		return zed_raise_text(NULL, "merge: an aggregation cannot be merged into itself");
	if (!same_text(a->answer.field, b->answer.field) ||
	    !same_names(&a->answer.by, &b->answer.by) ||
	    !same_names(&a->answer.fields, &b->answer.fields))
		return zed_raise_text(NULL, "merge: the two differ in of, by or fields");
	/* It may have to say that there is no room: messages are for the thread that reads. */
	if (a->run && a->run->apart)
		return zed_raise_text(NULL, "merge: another thread waits for events of this trace");
	if (agg_merge(a->answer.agg, b->answer.agg, &e) < 0)
		return zed_raise(&e);
	lost = answer_lost(b);
	losses_add(&a->merged, &lost);
	return Py_NewRef(self);
}

/* ---------------------------------------------------------------- the type */

static PyMethodDef methods[] = {
	{ "keys", aggregation_keys_method, METH_NOARGS,
	  PyDoc_STR("keys($self, /)\n--\n\nThe keys, of the greatest answer first.") },
	{ "values", aggregation_values_method, METH_NOARGS,
	  PyDoc_STR("values($self, /)\n--\n\nThe answers, in the order of keys().") },
	{ "items", aggregation_items_method, METH_NOARGS,
	  PyDoc_STR("items($self, /)\n--\n\nA list of (key, answer).") },
	{ "get", aggregation_get_method, METH_VARARGS,
	  PyDoc_STR(
		  "get($self, key, default=None, /)\n--\n\nThe answer for key, if it is there.") },
	{ "print", (PyCFunction)(void (*)(void))aggregation_print, METH_VARARGS | METH_KEYWORDS,
	  PyDoc_STR("print($self, limit=None, file=None)\n--\n\n"
		    "Print the table, of at most limit rows.") },
	{ "clear", aggregation_clear, METH_NOARGS,
	  PyDoc_STR("clear($self, /)\n--\n\nForget all events and losses.") },
	{ "stop", aggregation_stop, METH_NOARGS,
	  PyDoc_STR("stop($self, /)\n--\n\nCount no further events.") },
	{ "merge", aggregation_merge, METH_O,
	  PyDoc_STR("merge($self, other, /)\n--\n\n"
		    "Add the answer of another one of the same kind; returns itself.") },
	{ "to_arrow", aggregation_to_arrow, METH_NOARGS,
	  PyDoc_STR("to_arrow($self, /)\n--\n\nThe rows as a pyarrow.Table.") },
	{ "to_pandas", aggregation_to_pandas, METH_NOARGS,
	  PyDoc_STR("to_pandas($self, /)\n--\n\nThe rows as a pandas.DataFrame.") },
	{ "_repr_html_", aggregation_html, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef attributes[] = {
	{ "rows", get_rows, NULL,
	  PyDoc_STR("The rows as a list of dicts, the greatest first; what had no room comes last, "
		    "with 'other': True."),
	  NULL },
	{ "total", get_total, NULL, PyDoc_STR("The answer for all keys together."), NULL },
	{ "columns", get_columns, NULL, PyDoc_STR("The names in a row, in their order."), NULL },
	{ "title", get_title, NULL, PyDoc_STR("What is counted, of which event, by what."), NULL },
	{ "table", get_table, NULL, PyDoc_STR("The rows as a Table."), NULL },
	{ "lost", get_lost, NULL, PyDoc_STR("How many events were lost meanwhile."), NULL },
	{ "lost_places", get_lost_places, NULL,
	  PyDoc_STR("At how many places a number of events was lost that is not known."), NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMappingMethods mapping = {
	.mp_length = aggregation_len,
	.mp_subscript = aggregation_subscript,
};

static PySequenceMethods sequence = {
	.sq_contains = aggregation_contains,
};

static PyTypeObject aggregation_object_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zed.Aggregation",
	.tp_basicsize = sizeof(struct aggregation_object),
	.tp_dealloc = aggregation_dealloc,
	.tp_repr = aggregation_repr,
	.tp_str = aggregation_str,
	.tp_as_mapping = &mapping,
	.tp_as_sequence = &sequence,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_MAPPING,
	.tp_doc = PyDoc_STR("Counts, sums, extremes, distributions or the greatest of events, by "
			    "keys: what count() and its kind return. A mapping from keys to "
			    "answers."),
	.tp_iter = aggregation_iter,
	.tp_methods = methods,
	.tp_getset = attributes,
};

int aggregation_object_init(PyObject *module)
{
	return PyModule_AddType(module, &aggregation_object_type);
}
