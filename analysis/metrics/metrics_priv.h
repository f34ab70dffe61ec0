/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_METRICS_METRICS_PRIV_H
#define ZED_ANALYSIS_METRICS_METRICS_PRIV_H

#include "analysis/metrics/metrics.h"

/* What metrics.c keeps and openmetrics.c writes. */
struct series {
	struct metric_value value; /* METRIC_HISTOGRAM: the sum of all observations */
	uint64_t n;		   /* METRIC_HISTOGRAM: how many */
	bool negative;		   /* one of them was: its sum is not a counter */
	uint64_t buckets[];	   /* METRIC_HISTOGRAM: nlimits + 1, each for itself */
};

/* An upper limit of a bucket, in the unit of values before scaling. */
struct bucket_limit {
	double told; /* as the label has it */
	double real;
	struct number whole; /* the greatest whole number not above it ... */
	bool none;	     /* ... there is none */
};

struct metric {
	struct metrics *all;
	enum metric_type type;
	char *name, *help; /* help: "" for none */
	char **labels;
	unsigned nlabels;
	int scale;
	uint32_t max_series;
	bool full; /* said */

	/* A script's. */
	struct bucket_limit *limits;
	unsigned nlimits;
	struct agg_table table; /* packed labels -> struct series */
	struct series **series; /* in the order in which they came */
	size_t nseries, cap_series;
	struct series *only; /* the series, where there are no labels */
	struct series *other;
	uint64_t key_bytes;

	/* An aggregation's. */
	struct aggregate *agg;
	enum metric_part part;
	double *percents;
	unsigned npercents;
	struct agg_table told; /* METRIC_COUNTER of sums: where a value is -> what was told of it */
};

struct metrics {
	struct notes *notes;
	struct metric **v;
	size_t n, cap;
	uint64_t dropped;
	void (*tell)(void *arg); /* or NULL */
	void *tell_arg;
};

/* aggregated.c: the samples of a metric that has an aggregation. */
struct writer;
void metric_write_aggregate(struct writer *w, struct metric *m);

/*
 * openmetrics.c: for the samples of M; KEY: packed labels, or NULL: there are none; OTHER:
 * "(other)".
 */
struct writer {
	struct outbuf *o;
	enum metrics_form form;
	const struct metric *m;
	uint32_t mixed; /* label i has values of different kinds: bit i */
};

struct metric_row {
	const uint64_t *key;
	bool other;
};

/* A sample NAME SUFFIX {labels, EXTRA="VALUE"}; EXTRA NULL: none. */
void write_sample(struct writer *w, const struct metric_row *row, const char *suffix,
		  const char *extra, double of, const struct metric_value *v, int scale);
void write_count(struct writer *w, const struct metric_row *row, const char *suffix,
		 const char *extra, double of, uint64_t n);

#endif
