/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_AGGREGATION_OBJECT_H
#define ZED_INTERP_PYTHON_AGGREGATION_OBJECT_H

#include "interp/python/pyrun.h"
#include "interp/common/answer_text.h"
#include "interp/common/named.h"

/*
 * zed.Aggregation, the object of trace.count() and its kind: a mapping from keys to answers, with
 * rows, a table, and what was lost.  It keeps its answer after its run has ended.
 */

/* An aggregation, which its run (py_answers.c) and its object each have a reference to. */
struct py_answer {
	unsigned refs;
	struct answer answer;
	struct pyrun *run;   /* borrowed; NULL: it has ended */
	struct named *named; /* what it takes; owned; NULL: nothing any more */
	bool stopped;
	bool held;	      /* by an object of Python */
	bool asked;	      /* somebody has looked at its answer */
	bool kept;	      /* its object went before the first event: it is printed at the end */
	struct losses before; /* of the run, when it began */
	struct losses during; /* when it was stopped */
	struct losses merged; /* of those that were merged into it */
};

void answer_drop(struct py_answer *a);

/*
 * py_answers.c: one of R's, which takes H and V over (V's aggregate is H's), and takes events from
 * now on; with a reference for its object.
 */
struct py_answer *answers_add(struct pyrun *r, struct named *h, const struct answer *v);
/* Is H the first one with this text at this place?  After more than 1000, never. */
bool answers_is_new(struct pyrun *r, const struct named *h);

/* py_answers.c: it takes no more events; may be called again. */
void answer_stop(struct py_answer *a);
/* py_answers.c: its object has gone. */
void answer_let_go(struct py_answer *a);

/* What was lost while A counted. */
struct losses answer_lost(const struct py_answer *a);

/* Forget all events and losses. */
void answer_clear(struct py_answer *a);

/*
 * aggregation_call.c: the run of TRACE whose events are still to come, also while they come; it is
 * opened again if need be.  NULL: zed.Error of FN is set.
 */
struct pyrun *trace_run_to_count(PyObject *trace, const char *fn);

/* Takes over a reference.  NULL: an exception is set, and it is dropped. */
PyObject *aggregation_object_new(struct py_answer *a);

/* Prepare the type, and add it to MODULE.  -1: an exception is set. */
int aggregation_object_init(PyObject *module);

/* aggregation_rows.c: new references; NULL: an exception is set. */

/* All rows, the greatest first, as a list of dicts. */
PyObject *aggregation_rows(const struct answer *v);
/* The keys in that order: a value, or a tuple of several; without `other`. */
PyObject *aggregation_keys(const struct answer *v);
/* How many these are. */
size_t aggregation_count(const struct answer *v);
/* A list of (key, answer). */
PyObject *aggregation_items(const struct answer *v);
/* aggregation_find.c: the value for KEY.  NULL without an exception: there is none. */
void *aggregation_find(const struct answer *v, PyObject *key);
/* The answer for KEY: a number, or a dict of a row without its key.  NULL without one: none. */
PyObject *aggregation_get(const struct answer *v, PyObject *key);
/* All keys together. */
PyObject *aggregation_total(const struct answer *v);
/* The names of a row's columns, as a list. */
PyObject *aggregation_columns(const struct answer *v);

#endif
