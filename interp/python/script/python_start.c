// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * python_start: the start of Python in the program: the same library, packages and encodings as
 * python3 has.
 */
#include "interp/python/script/python_start.h"

#include "interp/python/module.h"
#include "interp/python/py_convention.h"
#include "base/mem.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define STDIN "-"
#define CODE "-e" /* sys.argv[0] */

bool python_is_file(const struct py_line *line)
{
	return line->path && strcmp(line->path, STDIN) != 0;
}

/* sys.argv, by Python's rules for the encoding of command lines. */
static PyStatus set_argv(PyConfig *config, const struct py_line *line)
{
	char **argv = mem_alloc((line->argc + 1) * sizeof(*argv));
	PyStatus status;

	argv[0] = (char *)(line->path ? line->path : CODE);
	for (int i = 0; i < line->argc; i++)
		argv[i + 1] = line->argv[i];
	status = PyConfig_SetBytesArgv(config, line->argc + 1, argv);
	free(argv);
	return status;
}

static PyStatus configure(PyConfig *config, const struct py_line *line)
{
	PyStatus status;
	wchar_t name[32];

	config->parse_argv = 0;
	/* Its folder leads to the library and, in a virtual environment, to its packages. */
	swprintf(name, sizeof(name) / sizeof(*name), L"python%d.%d", PY_MAJOR_VERSION,
		 PY_MINOR_VERSION);
	status = PyConfig_SetString(config, &config->program_name, name);
	if (PyStatus_Exception(status))
		return status;
	/* Bytes that are not in the locale's encoding, which traces have, stay as they are. */
	status = PyConfig_SetString(config, &config->stdio_errors, L"surrogateescape");
	if (PyStatus_Exception(status))
		return status;
	status = set_argv(config, line);
	return PyStatus_Exception(status) ? status : Py_InitializeFromConfig(config);
}

/*
 * A handler that the program has set before Python started (live: there is an instance to remove)
 * hides SIGINT from it, and KeyboardInterrupt could not be raised.
 */
static void take_interrupts(void)
{
	PyObject *module = PyImport_ImportModule("signal");
	PyObject *now = module ? PyObject_CallMethod(module, "getsignal", "i", SIGINT) : NULL;
	PyObject *usual = module ? PyObject_GetAttrString(module, "default_int_handler") : NULL;

	if (now == Py_None && usual)
		Py_XDECREF(PyObject_CallMethod(module, "signal", "iO", SIGINT, usual));
	Py_XDECREF(usual);
	Py_XDECREF(now);
	Py_XDECREF(module);
	PyErr_Clear();
}

bool python_start(const struct py_line *line, const char **why)
{
	PyPreConfig pre;
	PyConfig config;
	PyStatus status;

	if (line->convention)
		line->convention->init();
	PyImport_AppendInittab("zed", PyInit_zed);
	PyPreConfig_InitPythonConfig(&pre);
	/* The environment of what the script starts stays as it is. */
	pre.coerce_c_locale = 0;
	status = Py_PreInitialize(&pre);
	if (!PyStatus_Exception(status)) {
		PyConfig_InitPythonConfig(&config);
		status = configure(&config, line);
		PyConfig_Clear(&config);
	}
	*why = status.err_msg ? status.err_msg : "unknown reason";
	if (PyStatus_Exception(status))
		return false;
	take_interrupts();
	return true;
}

/* The folder of the script, links followed, as python3 has it; "": where we are. */
static PyObject *folder_of(const struct py_line *line)
{
	char *real = python_is_file(line) ? realpath(line->path, NULL) : NULL, *slash;
	PyObject *folder;

	slash = real ? strrchr(real, '/') : NULL;
	if (slash)
		slash[slash == real] = 0;
	folder = PyUnicode_DecodeFSDefault(slash ? real : "");
	free(real);
	return folder;
}

static int insert(PyObject *path, PyObject *folder)
{
	int rc = folder ? PyList_Insert(path, 0, folder) : -1;

	Py_XDECREF(folder);
	return rc;
}

int python_set_path(const struct py_line *line)
{
	PyObject *path = PySys_GetObject("path");

	if (!path || !PyList_Check(path)) {
		PyErr_SetString(PyExc_RuntimeError, "lost sys.path");
		return -1;
	}
	if (insert(path, folder_of(line)) < 0)
		return -1;
	for (unsigned i = line->nfolders; i--;)
		if (insert(path, PyUnicode_DecodeFSDefault(line->folders[i])) < 0)
			return -1;
	return 0;
}
