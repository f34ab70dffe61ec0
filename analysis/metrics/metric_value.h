/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_METRICS_METRIC_VALUE_H
#define ZED_ANALYSIS_METRICS_METRIC_VALUE_H

#include "base/outbuf.h"
#include "analysis/aggregate/numbers.h"

/*
 * What a metric holds: whole numbers exactly, in 128 bits, and the sum of other numbers beside
 * them.  A scale is a power of ten that is applied when the value is written: -9 shows nanoseconds
 * as seconds, without losing a digit.
 */
struct metric_value {
	struct sum whole;
	double part; /* the sum of what was not a whole number; may be NaN or infinite */
};

/* A number of a script: a whole one of 64 bits, or a double. */
struct quantity {
	bool real;
	struct number n; /* !real */
	double d;	 /* real */
};

#define VALUE_SCALE 18 /* powers of ten, up and down */

static inline struct quantity quantity_of(struct number n)
{
	return (struct quantity){ .n = n };
}

double quantity_double(const struct quantity *a);

void value_add(struct metric_value *v, const struct quantity *a);
void value_sub(struct metric_value *v, const struct quantity *a);
void value_set(struct metric_value *v, const struct quantity *a);
struct metric_value value_of_sum(const struct sum *s);
struct metric_value value_of_double(double d);
bool value_less(const struct metric_value *v, const struct metric_value *w);

/* As a sample: "17", "0.000001234", "+Inf". */
void value_text(struct outbuf *o, const struct metric_value *v, int scale);

/*
 * As the label `le` or `quantile`, in the form that OpenMetrics calls canonical: "0.001", "1.0",
 * "1e+06", "+Inf".
 */
void value_label(struct outbuf *o, double d);

#endif
