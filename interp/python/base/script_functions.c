// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_functions: may an event call this function of the script?  Decided by its name, by the def
 * that made it, and by the file that it was compiled from.
 */
#include "interp/python/base/script_functions.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "stable/systems.h"
#include "trace/lttng_event.h"

#include <stdlib.h>
#include <string.h>

void script_functions_init(struct script_functions *s, PyObject *module, PyObject *file,
			   const struct stable *stable)
{
	*s = (struct script_functions){
		.module = Py_NewRef(module),
		.file = Py_NewRef(file),
		.stable = stable,
	};
}

void script_functions_fini(struct script_functions *s)
{
	while (s->n)
		free(s->declared[--s->n]);
	free(s->declared);
	Py_CLEAR(s->module);
	Py_CLEAR(s->file);
	memset(s, 0, sizeof(*s));
}

/* Append S as part of a name, from LEN on; returns the length it needs. */
static size_t put_word(const char *s, bool lead, char *buf, size_t size, size_t len)
{
	if (lead && (ascii_digit(*s) || !*s)) {
		if (len < size)
			buf[len] = '_';
		len++;
	}
	for (; *s; s++, len++)
		if (len < size)
			buf[len] = ascii_word(*s) ? *s : '_';
	return len;
}

size_t py_event_name(const char *system, const char *event, char *buf, size_t size)
{
	size_t room = size - 1, len = put_word(system, true, buf, room, 0);

	len = put_word("__", false, buf, room, len);
	len = put_word(event, false, buf, room, len);
	buf[len < room ? len : room] = 0;
	return len;
}

/* The system's part of that name; false: it is too long. */
static bool system_name(const char *system, char *buf, size_t size)
{
	size_t len = put_word(system, true, buf, size - 1, 0);

	buf[len < size ? len : size - 1] = 0;
	return len < size;
}

bool script_functions_declare(struct script_functions *s, const char *system)
{
	char name[PY_EVENT_NAME];

	if (!*system || !system_name(system, name, sizeof(name)))
		return false;
	s->declared = mem_grow(s->declared, &s->cap, s->n + 1, sizeof(*s->declared));
	s->declared[s->n++] = mem_strdup(name);
	return true;
}

/* NAME: of a system, as part of a function's name. */
static bool is_declared(const struct script_functions *s, const char *name)
{
	if (systems_has(name))
		return true;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->declared[i], name))
			return true;
	for (unsigned i = 0; s->stable && i < stable_count(s->stable); i++)
		if (!strcmp(stable_at(s->stable, i)->system, name))
			return true;
	return false;
}

/* Is ATTRIBUTE of the code object CODE the text of WANTED? */
static bool is_text(PyObject *code, const char *attribute, PyObject *wanted)
{
	PyObject *v = PyObject_GetAttrString(code, attribute);
	bool same = v && PyUnicode_Check(v) && PyUnicode_Compare(v, wanted) == 0;

	Py_XDECREF(v);
	PyErr_Clear();
	return same;
}

/* Is F a function that a def of the script has made, under NAME? */
static bool is_own(const struct script_functions *s, PyObject *f, PyObject *name)
{
	PyObject *code;

	if (!PyFunction_Check(f) || PyFunction_GetGlobals(f) != s->module)
		return false;
	code = PyFunction_GetCode(f);
	return is_text(code, "co_filename", s->file) && is_text(code, "co_name", name);
}

/* What the module has under NAME; OWN: if a def of the script has made it, else any callable. */
static PyObject *find(const struct script_functions *s, const char *name, bool own)
{
	PyObject *key, *f = NULL;

	if (!s->module)
		return NULL;
	key = PyUnicode_FromString(name);
	if (key)
		f = PyDict_GetItemWithError(s->module, key);
	if (f && !(own ? is_own(s, f, key) : PyCallable_Check(f)))
		f = NULL;
	Py_XDECREF(key);
	PyErr_Clear();
	return f;
}

PyObject *script_function(const struct script_functions *s, const char *name)
{
	return find(s, name, false);
}

/* The function of an event that is called SYSTEM:EVENT. */
static PyObject *named(const struct script_functions *s, const char *system, const char *event,
		       bool *unsaid)
{
	char name[PY_EVENT_NAME], part[PY_EVENT_NAME];
	PyObject *f;

	if (!s->module || !system_name(system, part, sizeof(part)) ||
	    py_event_name(system, event, name, sizeof(name)) >= sizeof(name))
		return NULL;
	f = find(s, name, true);
	if (!f || is_declared(s, part))
		return f;
	*unsaid = true;
	return NULL;
}

PyObject *script_function_of(const struct script_functions *s, const struct etype *t, bool *unsaid)
{
	PyObject *f;

	*unsaid = false;
	f = named(s, t->system, t->name, unsaid);
	return f || !t->lttng ? f : named(s, LTTNG_SYSTEM, t->lttng->name, unsaid);
}

PyObject *script_function_of_stable(const struct script_functions *s, const struct stable_event *ev)
{
	bool unsaid;

	return named(s, ev->system, ev->name, &unsaid);
}

bool script_functions_may(const struct script_functions *s, const char *name)
{
	char part[PY_EVENT_NAME];

	for (const char *at = name; (at = strstr(at, "__")); at++) {
		size_t len = (size_t)(at - name);

		if (!len || len >= sizeof(part))
			continue;
		memcpy(part, name, len);
		part[len] = 0;
		if (is_declared(s, part))
			return true;
	}
	return false;
}

PyObject *script_function_names(const struct script_functions *s)
{
	PyObject *names = PyList_New(0), *key, *f;
	Py_ssize_t at = 0;

	while (names && s->module && PyDict_Next(s->module, &at, &key, &f))
		if (PyUnicode_Check(key) && is_own(s, f, key) && PyList_Append(names, key) < 0)
			Py_CLEAR(names);
	return names;
}
