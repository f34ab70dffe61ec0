/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_LAZY_H
#define ZED_INTERP_PYTHON_PERF_LAZY_H

#include "interp/python/base/python_inc.h"

#include <stdbool.h>

struct event;
struct pyrun;

/*
 * common_callchain and perf_sample_dict, which most handlers never look at: a list and a dict
 * (subclasses of these) that are filled when the script first touches them.  Of a dict one key, by
 * [], get() or `in`, costs the value of that key alone; everything else fills it.  One that the
 * script keeps is filled when its event goes; one that it does not keep is used again.
 */
struct perf_from {
	struct pyrun *run;
	const struct event *ev;
	PyObject *chain; /* of a dict: the list that is its call chain, borrowed */
};

/* Prepare the types.  -1: an exception is set. */
int perf_lazy_init(void);

/*
 * *O, which begins as NULL and is owned by the caller, becomes the list, or dict, of the event
 * FROM.  -1: an exception is set.
 */
int perf_list_begin(PyObject **o, const struct perf_from *from);
int perf_dict_begin(PyObject **o, const struct perf_from *from);

/*
 * The event goes: the script's copies are filled.  An exception that is set stays set.  -1: filling
 * failed; an exception is set.
 */
int perf_list_end(PyObject **o);
int perf_dict_end(PyObject **o);

/* Fill the list now.  -1: an exception is set. */
int perf_list_fill(PyObject *o);

/* ---- what they are filled with ---- */

/* Append the frames of FROM's call chain to LIST (chain.c).  -1: an exception is set. */
int perf_chain_append(PyObject *list, const struct perf_from *from);

/*
 * The keys of perf_sample_dict in perf's order (sample_dict.c), at most 32 of them, and the
 * value of the I-th one: a new reference; NULL: the event has none, or an exception is set.
 */
extern const char *const perf_sample_keys[];
extern const unsigned perf_sample_nkeys;
PyObject *perf_sample_value(const struct perf_from *from, unsigned i);

#endif
