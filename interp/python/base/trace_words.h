/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_TRACE_WORDS_H
#define ZED_INTERP_PYTHON_BASE_TRACE_WORDS_H

#include "interp/python/base/python_inc.h"
#include "interp/python/base/opened.h"

/* The arguments of zed.open() into W, which is zeroed.  -1: an exception is set. */
int trace_words_read(struct open_words *w, PyObject *args, PyObject *kwargs);

/*
 * What VALUE, the argument NAME, names: a str, or an iterable of str, each added to T.  None: none.
 * -1: an exception is set.
 */
int trace_words_texts(struct open_texts *t, PyObject *value, const char *name);

/* The same of what chooses: an empty list is an error, by ValueError. */
int trace_words_some(struct open_texts *t, PyObject *value, const char *name);

extern const char trace_words_doc[];

#endif
