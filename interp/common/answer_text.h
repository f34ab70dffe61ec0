/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_ANSWER_TEXT_H
#define ZED_INTERP_COMMON_ANSWER_TEXT_H

#include "analysis/aggregate/aggregate.h"
#include "base/outbuf.h"
#include "interp/common/arg_names.h"
#include "trace/loss.h"

/*
 * An aggregation as text, the same for every language: a table, or histograms with bars; and the
 * names that its parts have there.
 */

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

/*
 * Append what is counted, of which event, in which unit, for which keys, as it was written: make it
 * plain (plain.h) before it is shown.
 */
void answer_title(const struct answer *v, struct outbuf *o);

/*
 * Append the first LIMIT rows as lines; how many more there are; what was LOST while they were
 * counted.  Plain.
 */
void answer_print(const struct answer *v, const struct losses *lost, size_t limit,
		  struct outbuf *o);

/* The title as a line, if it is not a part of what answer_print() gives; and then that. */
void answer_print_titled(const struct answer *v, const struct losses *lost, struct outbuf *o);

/*
 * Append the heading of the interval FROM to TO (ns; KNOWN: they are), or, TOTAL, of everything up
 * to TO: a line.
 */
void answer_heading(uint64_t from, uint64_t to, bool known, bool total, struct outbuf *o);

#endif
