/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_PYTHON_INC_H
#define ZED_INTERP_PYTHON_BASE_PYTHON_INC_H

/*
 * Python.h, which must come before all other headers: included here only.  Public API of Python
 * 3.11 alone.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/*
 * The exception that is set, as one object; Python 3.12 has functions for that, and deprecates
 * those of before.
 */

/* Clears it; new reference, with its traceback.  NULL: none is set. */
static inline PyObject *py_error_take(void)
{
#if PY_VERSION_HEX >= 0x030c0000
	return PyErr_GetRaisedException();
#else
	PyObject *type, *value, *trace;

	PyErr_Fetch(&type, &value, &trace);
	if (!type)
		return NULL;
	PyErr_NormalizeException(&type, &value, &trace);
	if (trace)
		PyException_SetTraceback(value, trace);
	Py_DECREF(type);
	Py_XDECREF(trace);
	return value;
#endif
}

/* Sets it again: takes the reference.  NULL: clears. */
static inline void py_error_set(PyObject *exception)
{
#if PY_VERSION_HEX >= 0x030c0000
	PyErr_SetRaisedException(exception);
#else
	if (exception)
		PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
	else
		PyErr_Clear();
	Py_XDECREF(exception);
#endif
}

#endif
