/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_METRICS_METRICS_H
#define ZED_ANALYSIS_METRICS_METRICS_H

#include "base/err.h"
#include "analysis/metrics/metric_value.h"
#include "analysis/aggregate/aggregate.h"

/*
 * The metrics of a run, by the model of OpenMetrics 1.0 (prometheus.io/docs/specs/om): a metric has
 * a name, a type and label names; each combination of label values that occurs is a series of it.
 * An event allocates only if it is the first of its series.
 *
 * A metric is updated by a script, or made from an aggregation, which is read when the metrics are
 * asked for.  Either way max_series limits the number of series: beyond it, counters and histograms
 * are kept together in one additional series, whose labels are "(other)", gauges are dropped, and a
 * notice and metrics_dropped() report that.
 */
enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_SUMMARY };

#define METRIC_SERIES 10000	     /* of a metric, unless the user says otherwise */
#define METRIC_SERIES_MAX 1000000    /* and at most */
#define METRIC_KEY_BYTES (64u << 20) /* of the labels of all series of a metric */
#define METRIC_LIMITS 200	     /* buckets of a histogram, that of +Inf not counted */
#define METRICS_MAX 1000	     /* metrics of a run */

/* The part of an aggregation's row that a metric shows. */
enum metric_part {
	PART_OWN, /* the main number of the kind: the count, the sum, the minimum ... */
	PART_COUNT,
	PART_SUM,
	PART_MIN,
	PART_MAX,
	PART_MEAN,
	PART_STDDEV,
};

/* The definition of a metric; all of it is copied. */
struct metric_spec {
	enum metric_type type;
	const char *name; /* a counter's ends in _total */
	const char *help; /* NULL: none */
	const char *const *labels;
	unsigned nlabels; /* up to KEY_PARTS */
	int scale;	  /* values are written times this power of ten */
	uint32_t max_series;
	const double *limits; /* METRIC_HISTOGRAM of a script: upper limits as written */
	unsigned nlimits;
};

struct metrics;
struct metric;

/* NOTES, which may be NULL, gets one notice for each metric that has no more room. */
struct metrics *metrics_new(struct notes *notes);
void metrics_free(struct metrics *all); /* NULL is fine */

/*
 * Add a metric.  NULL with E: the name or a label is invalid, or in use; the limits do not rise;
 * there are too many metrics.
 */
struct metric *metric_add(struct metrics *all, const struct metric_spec *spec, struct err *e);

/*
 * Add a metric that shows PART of A, to which a reference is taken; SPEC's labels name the parts of
 * its keys.  From here on A keeps max_series keys at most.  PERCENTS: the N of a summary of
 * AGG_QUANTILES.  NULL with E, also if such a metric cannot be made from A's kind.
 */
struct metric *metric_add_aggregate(struct metrics *all, const struct metric_spec *spec,
				    struct aggregate *a, enum metric_part part,
				    const double *percents, unsigned n, struct err *e);

/* TELL is called before the metrics are written: it may set the metrics it has added. */
void metrics_ask(struct metrics *all, void (*tell)(void *arg), void *arg);

enum metric_type metric_type(const struct metric *m);
const char *metric_name(const struct metric *m);
unsigned metric_nlabels(const struct metric *m);
const char *metric_label(const struct metric *m, unsigned i);

/* Is this name in the expositions? */
bool metric_is_aggregate(const struct metric *m);

/*
 * The series of a packed key (key.h) of nlabels parts, made if it is not there; stays where it is.
 * NULL: a gauge without room for it, which is counted.
 */
struct series;
struct series *metric_series(struct metric *m, const struct key *k, unsigned words);

/* Counters, gauges.  A counter's amount is not negative. */
void series_add(struct series *s, const struct quantity *a);
/* Gauges. */
void series_sub(struct series *s, const struct quantity *a);
void series_set(struct series *s, const struct quantity *a);
/* Histograms: one observation, not NaN. */
void series_observe(struct metric *m, struct series *s, const struct quantity *a);

/* Updates that found no room, of all metrics, and how many series there are. */
uint64_t metrics_dropped(const struct metrics *all);
uint64_t metrics_count(const struct metrics *all);

/* The format of the metrics. */
enum metrics_form {
	FORM_OPENMETRICS, /* OpenMetrics 1.0, with its # EOF */
	FORM_PROMETHEUS,  /* text format 0.0.4: what node-exporter's textfile collector reads */
};

/* All metrics in the order in which they were added. */
void metrics_text(struct metrics *all, enum metrics_form form, struct outbuf *o);

#endif
