// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main_program: reads, compiles and runs the script itself.
 */
#include "interp/python/script/main_program.h"

#include "interp/python/py_convention.h"
#include "interp/python/script/python_start.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT_MOST (64u << 20) /* bytes */
#define UNREADABLE 2		/* exit status, as python3's */

PyObject *main_program_name(const struct py_line *line)
{
	if (!line->path)
		return PyUnicode_FromString("-e");
	return python_is_file(line) ? PyUnicode_DecodeFSDefault(line->path) :
				      PyUnicode_FromString("<stdin>");
}

static void say_unreadable(const struct host_opts *o, const char *path)
{
	char said[600];
	PyObject *status = PyLong_FromLong(UNREADABLE);

	snprintf(said, sizeof(said), "cannot read the script %.400s: %s", path, strerror(errno));
	o->say(o->arg, said);
	PyErr_SetObject(PyExc_SystemExit, status);
	Py_XDECREF(status);
}

/* The script's text, bytes; NULL: an exception is set. */
static PyObject *read_text(const struct host_opts *o, const struct py_line *line)
{
	PyObject *text;
	char *data;
	size_t len;

	if (!line->path)
		return PyBytes_FromString(line->code);
	data = io_text(python_is_file(line) ? open(line->path, O_RDONLY | O_CLOEXEC) :
					      dup(STDIN_FILENO),
		       SCRIPT_MOST, &len);
	if (!data) {
		say_unreadable(o, line->path);
		return NULL;
	}
	text = PyBytes_FromStringAndSize(data, (Py_ssize_t)len);
	free(data);
	return text;
}

/* For tracebacks: linecache gets the lines, which are in no file. */
static int show_lines(const char *code, PyObject *file)
{
	PyObject *linecache = PyImport_ImportModule("linecache");
	PyObject *cache = linecache ? PyObject_GetAttrString(linecache, "cache") : NULL;
	PyObject *text, *lines, *entry;
	int rc;

	text = cache ? PyUnicode_DecodeUTF8(code, (Py_ssize_t)strlen(code), "surrogateescape") :
		       NULL;
	lines = text ? PyUnicode_Splitlines(text, 1) : NULL;
	entry = lines ? Py_BuildValue("(nOOO)", PyUnicode_GET_LENGTH(text), Py_None, lines, file) :
			NULL;
	rc = entry ? PyObject_SetItem(cache, file, entry) : -1;
	Py_XDECREF(linecache);
	Py_XDECREF(cache);
	Py_XDECREF(text);
	Py_XDECREF(lines);
	Py_XDECREF(entry);
	return rc;
}

/* By the builtin compile(), which reads the encoding that the first lines declare. */
static PyObject *compile(PyObject *text, PyObject *file)
{
	PyObject *builtins = PyImport_ImportModule("builtins"), *code;

	code = builtins ?
		       PyObject_CallMethod(builtins, "compile", "OOsii", text, file, "exec", 0, 1) :
		       NULL;
	Py_XDECREF(builtins);
	return code;
}

int main_program_run(const struct host_opts *o, const struct py_line *line, PyObject *module,
		     PyObject *file)
{
	PyObject *text = read_text(o, line), *code = NULL, *result = NULL;

	if (text && (!line->convention || line->convention->start(PyBytes_AS_STRING(text)) == 0) &&
	    (python_is_file(line) || show_lines(PyBytes_AS_STRING(text), file) == 0))
		code = compile(text, file);
	if (code)
		result = PyEval_EvalCode(code, module, module);
	Py_XDECREF(text);
	Py_XDECREF(code);
	Py_XDECREF(result);
	return result ? 0 : -1;
}
