/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BATCH_TYPES_H
#define ZED_INTERP_PYTHON_BATCH_TYPES_H

#include "interp/python/base/opened.h"
#include "interp/python/values.h"
#include "run/choose/words.h"

struct pyrun;

/* How a type fills a column. */
struct batch_step {
	struct py_step step; /* .op: PY_... */
	uint8_t size;	     /* bytes of the field, if it is a number of the record */
	bool is_signed, is_float;
	bool plain; /* the column has these very bytes */
};

enum batch_state { BATCH_NEW, BATCH_TAKEN, BATCH_LEFT_OUT };

struct batch_plan {
	uint8_t state;		  /* enum batch_state */
	struct batch_step *steps; /* one for each column; NULL unless taken */
};

/* Of the columns `names`.  The first three are set by the user; batch_types_fini() frees. */
struct batch_types {
	struct pyrun *run;	  /* borrowed */
	struct words *events;	  /* bound; NULL: all that the run chooses */
	struct open_texts names;  /* of the columns */
	char *formats;		  /* of each column's numbers (column_object.h); 'O': a list */
	struct batch_plan *plans; /* by type idx */
	size_t nplans;
	/* Which types the run has to give, by idx; NULL: all that it gives are taken. */
	uint8_t *want;
	unsigned nwant;
};

/*
 * Before the first event: looks at all types that are chosen.  The columns are as wide as all of
 * them need.  -1: none has all columns, or it is an error that some of those named have not; an
 * exception is set.
 */
int batch_types_find(struct batch_types *b);

/*
 * T (resolved) came during the run (a pipe): it is taken if it needs no other columns.  Nothing of
 * Python's is made or called.  The plan is valid until the next call.
 */
struct batch_plan *batch_types_late(struct batch_types *b, const struct etype *t);

void batch_types_fini(struct batch_types *b);

#endif
