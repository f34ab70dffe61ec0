/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_OPEN_OPTIONS_H
#define ZED_INTERP_PYTHON_BASE_OPEN_OPTIONS_H

#include "interp/python/base/python_inc.h"
#include "interp/python/base/opened.h"

/*
 * Append to LIST the words by which zedperl reads what W says: options, then -i and a path for each
 * input.  -1: an exception is set.
 */
int open_options(PyObject *list, const struct open_words *w);

/* Append the word that BEFORE and TEXT, bytes in the locale's encoding, are together. */
int open_option(PyObject *list, const char *before, const char *text);

#endif
