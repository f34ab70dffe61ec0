/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_COLUMN_OBJECT_H
#define ZED_INTERP_PYTHON_BASE_COLUMN_OBJECT_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * zed.Column: numbers of one width, one after the other, with the buffer protocol: numpy.asarray()
 * and memoryview() take it without a copy.
 */
struct column_object {
	PyObject_HEAD
	void *p; /* owned: n numbers */
	Py_ssize_t n;
	Py_ssize_t size; /* bytes of one: 1, 2, 4, 8 */
	char format[2];	 /* of the module struct: "q", "d" */
};

extern PyTypeObject column_object_type;

/*
 * A column of the N numbers of FORMAT at P, which is taken over (free()), in every case.  NULL: an
 * exception is set.
 */
PyObject *column_object_new(void *p, Py_ssize_t n, char format);

/* Is FORMAT that of floats? */
static inline bool column_object_is_float(char format)
{
	return format == 'f' || format == 'd';
}

/* Bytes of a number of FORMAT: b B h H i I q Q f d; 0: none of these. */
unsigned column_object_size(char format);

int column_object_init(PyObject *module);

#endif
