/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregation_find: the value of an aggregation that has a key, as Python writes keys: numbers,
 * texts, sets as "0,2-5", None; a tuple of several.
 */
#include "interp/python/aggregation_object.h"

#include "interp/common/answer_key.h"

#include <string.h>

/* Clears the exception that is set, if it says that a value is none that a key can have. */
static bool cannot_be(PyObject *error)
{
	if (PyErr_ExceptionMatches(error))
		PyErr_Clear();
	return false;
}

/* O as the next part of K; SET: a str as a set.  False: it is not one, and perhaps an exception. */
static bool add_part(struct key *k, PyObject *o, bool set)
{
	PyObject *bytes;
	long long v;
	int overflow;
	bool fits = true;

	if (o == Py_None) {
		key_undef(k);
		return !set;
	}
	if (PyLong_Check(o)) {
		v = PyLong_AsLongLongAndOverflow(o, &overflow);
		if (overflow <= 0)
			key_number(k, (uint64_t)v, true);
		else
			key_number(k, PyLong_AsUnsignedLongLong(o), false);
		return PyErr_Occurred() ? cannot_be(PyExc_OverflowError) : !set && overflow >= 0;
	}
	if (!PyUnicode_Check(o))
		return false;
	bytes = PyUnicode_AsEncodedString(o, "utf-8", "surrogateescape");
	if (!bytes)
		return cannot_be(PyExc_UnicodeError);
	if (set)
		fits = answer_key_set(k, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
	else
		key_text(k, PyBytes_AS_STRING(bytes),
			 PyBytes_GET_SIZE(bytes) <= UINT32_MAX ? (uint32_t)PyBytes_GET_SIZE(bytes) :
								 UINT32_MAX);
	Py_DECREF(bytes);
	return fits;
}

/* K has the parts before part I; those from it on are in PARTS. */
static void *find_from(const struct answer *v, PyObject *parts, unsigned i, const struct key *k)
{
	void *value = NULL;
	struct key with = *k;

	if (i == v->by.n) {
		unsigned words = key_end(&with);

		return agg_find(v->agg, with.w, words);
	}
	for (unsigned set = 0; set < 2 && !value && !PyErr_Occurred(); set++) {
		with = *k;
		if (add_part(&with, PyTuple_GET_ITEM(parts, i), set))
			value = find_from(v, parts, i + 1, &with);
	}
	return value;
}

/* KEY as a tuple of as many parts as V's keys have, or NULL: it cannot be one. */
static PyObject *parts_of(const struct answer *v, PyObject *key)
{
	if (PyTuple_Check(key) && PyTuple_GET_SIZE(key) == (Py_ssize_t)v->by.n)
		return Py_NewRef(key);
	return v->by.n == 1 && !PyTuple_Check(key) ? PyTuple_Pack(1, key) : NULL;
}

void *aggregation_find(const struct answer *v, PyObject *key)
{
	PyObject *parts = parts_of(v, key);
	struct key k;
	void *value;

	if (!parts)
		return NULL;
	memset(&k, 0, sizeof(k));
	key_begin(&k);
	value = v->agg->all ? v->agg->all : find_from(v, parts, 0, &k);
	Py_DECREF(parts);
	return PyErr_Occurred() ? NULL : value;
}
