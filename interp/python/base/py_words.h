/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_PY_WORDS_H
#define ZED_INTERP_PYTHON_BASE_PY_WORDS_H

#include "interp/python/base/python_inc.h"
#include "interp/common/arg_names.h"

/* The texts that a script gives: names, expressions; and where it is. */

/*
 * The str O as bytes in UTF-8 (surrogateescape), from mem_alloc(): the caller's.  NULL: TypeError
 * or ValueError (a NUL) is set, "WHAT must be a str".
 */
char *py_words_text(PyObject *o, const char *what);

/* Add the str O, or the items of the list or tuple O, to L.  -1: an exception is set. */
int py_words_list(struct arg_names *l, PyObject *o, const char *what);

/*
 * "wake.py line 12": the place of the statement that calls us; from mem_alloc(): the caller's.
 */
char *py_words_place(void);

#endif
