/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_names: the names of an aggregation's kind, columns and keys.
 */
#include "interp/common/answer_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = {
	[AGG_COUNT] = "count", [AGG_SUM] = "sum",     [AGG_MIN] = "min",
	[AGG_MAX] = "max",     [AGG_AVG] = "avg",     [AGG_STATS] = "stats",
	[AGG_HIST] = "hist",   [AGG_LHIST] = "lhist", [AGG_QUANTILES] = "quantiles",
	[AGG_TOP] = "top",
};

#define COLUMNS_MOST 6

static const char *const COLUMNS[][COLUMNS_MOST + 1] = {
	[AGG_COUNT] = { "count" },
	[AGG_SUM] = { "count", "sum" },
	[AGG_MIN] = { "count", "min" },
	[AGG_MAX] = { "count", "max" },
	[AGG_AVG] = { "count", "avg" },
	[AGG_STATS] = { "count", "sum", "min", "max", "mean", "stddev" },
	[AGG_HIST] = { "count", "min", "max", "buckets" },
	[AGG_LHIST] = { "count", "min", "max", "buckets" },
	[AGG_QUANTILES] = { "count", "min", "max", "buckets" },
	[AGG_TOP] = { "count", "records" },
};

void answer_fini(struct answer *v)
{
	agg_put(v->agg);
	free(v->event);
	free(v->field);
	free(v->where);
	free(v->percents);
	arg_names_fini(&v->by);
	arg_names_fini(&v->fields);
}

const char *answer_kind(enum agg_kind kind)
{
	return KINDS[kind];
}

const char *const *answer_columns(enum agg_kind kind)
{
	return COLUMNS[kind];
}

const char *answer_percent(double p, char buf[ANSWER_PERCENT])
{
	snprintf(buf, ANSWER_PERCENT, "p%.15g", p);
	return buf;
}

bool answer_by_taken(const struct answer *v, unsigned i)
{
	const char *const *column = answer_columns(v->agg->spec.kind), *name = v->by.v[i];
	char percent[ANSWER_PERCENT];
	unsigned k;

	if (!strcmp(name, "other"))
		return true;
	for (; *column; column++)
		if (!strcmp(name, *column))
			return true;
	for (k = 0; k < v->npercents; k++)
		if (!strcmp(name, answer_percent(v->percents[k], percent)))
			return true;
	return false;
}
