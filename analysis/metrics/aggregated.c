/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregated: the samples of a metric that is made from an aggregation: its current rows.
 */
#include "analysis/metrics/metrics_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG2_LIMITS 40 /* of Zed::hist: up to 2^40 - 1, of nanoseconds 18 minutes */

static struct metric_value value_of_number(struct number n)
{
	struct metric_value v = { .part = 0 };

	sum_add(&v.whole, n);
	return v;
}

/*
 * Sums of values that may be negative can fall: then the last reported value stays.  The address of
 * a value can serve as its key, as values never move.
 */
static struct metric_value not_below_told(struct metric *m, const void *at, struct metric_value v)
{
	uint64_t key = (uintptr_t)at;
	uint32_t hash = table_hash(&m->told, &key, 1);
	struct metric_value *told = table_find(&m->told, &key, 1, hash);

	if (!told)
		told = table_add(&m->told, &key, 1, hash);
	if (!told)
		return v;
	if (value_less(&v, told)) {
		if (!m->full)
			note_say(m->all->notes, NOTE_WARN,
				 "metric %s: negative numbers made the sum decrease: the counter "
				 "keeps its last value (use a gauge for a sum that decreases)",
				 m->name);
		m->full = true;
		return *told;
	}
	*told = v;
	return v;
}

static struct metric_value mean_of(const struct sum *s, uint64_t n)
{
	return value_of_double(n ? sum_double(s) / (double)n : NAN);
}

/* The number that PART selects from VALUE. */
static struct metric_value part_of(const struct aggregate *a, enum metric_part part,
				   const void *value)
{
	const struct agg_extreme *x = value;
	const struct agg_stats *stats = value;
	const struct agg_spread *spread = value;
	const struct agg_sum *sum = value;

	if (part == PART_COUNT || a->spec.kind == AGG_COUNT)
		return value_of_number((struct number){ .v = agg_n(a, value) });
	switch (a->spec.kind) {
	case AGG_SUM:
		return value_of_sum(&sum->sum);
	case AGG_AVG:
		return mean_of(&sum->sum, sum->n);
	case AGG_MIN:
	case AGG_MAX:
		return value_of_number((struct number){ x->v, x->neg });
	case AGG_STATS:
		return part == PART_SUM ?
			       value_of_sum(&stats->sum) :
		       part == PART_MIN ?
			       value_of_number((struct number){ stats->min, stats->min_neg }) :
		       part == PART_MAX ?
			       value_of_number((struct number){ stats->max, stats->max_neg }) :
		       part == PART_MEAN ? mean_of(&stats->sum, stats->n) :
					   value_of_double(sqrt(agg_variance(stats)));
	default:
		return part == PART_MIN ?
			       value_of_number((struct number){ spread->min, spread->min_neg }) :
			       value_of_number((struct number){ spread->max, spread->max_neg });
	}
}

static void write_number(struct writer *w, struct metric *m, const struct metric_row *row,
			 const void *value)
{
	struct metric_value v = part_of(m->agg, m->part, value);
	bool counts = m->part == PART_COUNT || m->agg->spec.kind == AGG_COUNT;

	if (m->type == METRIC_COUNTER && !counts)
		v = not_below_told(m, value, v);
	write_sample(w, row, "", NULL, 0, &v, counts ? 0 : m->scale);
}

/* Sum and count, of a histogram or a summary; a sum that may fall is left out. */
static void write_totals(struct writer *w, struct metric *m, const struct metric_row *row,
			 const void *value)
{
	const struct agg_stats *stats = value;
	const struct agg_spread *spread = value;
	struct metric_value sum;

	if (m->agg->spec.kind == AGG_STATS && !stats->min_neg) {
		sum = value_of_sum(&stats->sum);
		write_sample(w, row, "_sum", NULL, 0, &sum, m->scale);
	} else if (m->agg->spec.kind != AGG_STATS && !spread->min_neg && !m->agg->sumless) {
		sum = value_of_number((struct number){ .v = spread->sum });
		write_sample(w, row, "_sum", NULL, 0, &sum, m->scale);
	}
	write_count(w, row, "_count", NULL, 0, agg_n(m->agg, value));
}

static double scaled(const struct metric *m, double d)
{
	return m->scale < 0 ? d / pow(10, -m->scale) : d * pow(10, m->scale);
}

/*
 * All series have the same buckets from the beginning, used or not: a rate needs them to start at
 * 0.  Values above the highest limit are only in the bucket of +Inf.
 */
static void write_buckets(struct writer *w, struct metric *m, const struct metric_row *row,
			  const void *value)
{
	const struct lhist_steps *s = &m->agg->spec.steps;
	bool steps = m->agg->spec.kind == AGG_LHIST;
	int32_t most = steps ? (int32_t)(((uint64_t)s->to - (uint64_t)s->from) / s->step) - 1 :
			       LOG2_LIMITS;
	size_t n, k = 0;
	const struct agg_bucket **b = agg_buckets(value, &n);
	uint64_t sum = 0;

	for (int32_t i = 0; i <= most; i++) {
		struct bounds in = agg_bounds(m->agg, i);

		while (k < n && b[k]->at <= i)
			sum += b[k++]->n;
		write_count(w, row, "_bucket", "le", scaled(m, number_double(in.high)), sum);
	}
	while (k < n)
		sum += b[k++]->n;
	write_count(w, row, "_bucket", "le", INFINITY, sum);
	free(b);
}

/* 99.9 of 100 is 0.999, and not the double next to it. */
static double share_of(double percent)
{
	char text[40];

	snprintf(text, sizeof(text), "%.14g", percent / 100);
	return strtod(text, NULL);
}

static void write_quantiles(struct writer *w, struct metric *m, const struct metric_row *row,
			    const void *value)
{
	size_t n;
	const struct agg_bucket **b = agg_buckets(value, &n);

	for (unsigned i = 0; i < m->npercents; i++) {
		double p = share_of(m->percents[i]);
		struct metric_value v = value_of_number(agg_quantile(m->agg, value, b, n, p));

		write_sample(w, row, "", "quantile", p, &v, m->scale);
	}
	free(b);
}

/* Which labels have values of more than one kind, including texts? */
static uint32_t mixed_labels(const struct aggregate *a, void *const *list, size_t n)
{
	uint32_t texts = 0, others = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *key = agg_key(a, list[i]);
		struct key_reader r;
		struct key_part part;

		if (!key)
			continue;
		key_first(&r, key);
		for (unsigned k = 0; k < a->spec.nby; k++) {
			key_next(&r, &part);
			if (part.kind == KEY_TEXT)
				texts |= 1u << k;
			else if (part.kind != KEY_UNDEF)
				others |= 1u << k;
		}
	}
	return texts & others;
}

void metric_write_aggregate(struct writer *w, struct metric *m)
{
	const struct aggregate *a = m->agg;
	size_t n;
	void **list = agg_list(a, &n);

	w->mixed = mixed_labels(a, list, n);
	/*
	 * Without keys there is a series from the beginning, except for a minimum or maximum of no
	 * values.
	 */
	if (!n && a->all && m->type != METRIC_GAUGE) {
		list[n++] = a->all;
	}
	for (size_t i = 0; i < n; i++) {
		struct metric_row row = { .key = agg_key(a, list[i]),
					  .other = list[i] == a->other };

		if (m->type == METRIC_HISTOGRAM)
			write_buckets(w, m, &row, list[i]);
		if (m->type == METRIC_SUMMARY && a->spec.kind == AGG_QUANTILES && agg_n(a, list[i]))
			write_quantiles(w, m, &row, list[i]);
		if (m->type == METRIC_HISTOGRAM || m->type == METRIC_SUMMARY)
			write_totals(w, m, &row, list[i]);
		else
			write_number(w, m, &row, list[i]);
	}
	free(list);
}
