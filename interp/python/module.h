/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_MODULE_H
#define ZED_INTERP_PYTHON_MODULE_H

#include "interp/python/base/python_inc.h"
#include "interp/python/values.h"
#include "base/err.h"

/*
 * The module zed.  Its part in C is the same in zedpython, where it is built in, and in python3,
 * where it is an extension; its part in Python (zed_part.py) is embedded.
 */
PyMODINIT_FUNC PyInit_zed(void);

/* The module once it was imported, borrowed; NULL: it was not yet; no exception. */
PyObject *zed_module(void);

/* zed.Error and zed.TraceWarning, borrowed. */
PyObject *zed_error(void);
PyObject *zed_warning(void);

/* Set zed.Error from E: str() is "PATH: REASON", .path (or None) and .reason.  Returns NULL. */
void *zed_raise(const struct err *e);

/* The same from a text; PATH NULL: none. */
void *zed_raise_text(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * What the part in Python defines under NAME, kept: zed.Named, zed.Table.  Borrowed; NULL: an
 * exception is set.
 */
PyObject *zed_part(const char *name);

/* TYPE is an ABC ("Mapping") of collections.abc.  -1: an exception is set. */
int zed_register(PyTypeObject *type, const char *abc);

/*
 * Methods of Trace, of this and other files, joined when its type is made; each list ends with a
 * NULL.  Those of the program's Trace are the module's functions too; in python3 these say that no
 * trace is open, except the METH_STATIC ones.
 */
extern PyMethodDef trace_methods[], handlers_methods[], answers_methods[], functions_methods[],
	batches_methods[];

/* The I-th of all of them; NULL: no more. */
const PyMethodDef *zed_method(size_t i);

#endif
