/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_ANSWER_NAMES_H
#define ZED_INTERP_COMMON_ANSWER_NAMES_H

#include "analysis/aggregate/aggregate.h"
#include "interp/common/arg_names.h"

/* An aggregation as scripts know it, and the names that its parts have in every language. */

/* An aggregation and what was asked for; all owned. */
struct answer {
	struct aggregate *agg; /* holds a reference */
	char *event;
	char *field;		 /* NULL: AGG_COUNT */
	char *where;		 /* or NULL */
	struct arg_names by;	 /* the parts of the key */
	struct arg_names fields; /* AGG_TOP: those kept of a record */
	double *percents;	 /* AGG_QUANTILES */
	unsigned npercents;
};

void answer_fini(struct answer *v);

/* "count", "lhist": the kind's name. */
const char *answer_kind(enum agg_kind kind);

/* The columns that a row has after its key, ends with NULL; without those of percents. */
const char *const *answer_columns(enum agg_kind kind);

/* The column of the percent P, "p99.9", into BUF; returned. */
#define ANSWER_PERCENT 32
const char *answer_percent(double p, char buf[ANSWER_PERCENT]);

/* Has another column the name of part I of the key?  Then it is called by_NAME. */
bool answer_by_taken(const struct answer *v, unsigned i);

#endif
