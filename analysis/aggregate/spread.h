/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_SPREAD_H
#define ZED_ANALYSIS_AGGREGATE_SPREAD_H

#include "analysis/aggregate/numbers.h"

/*
 * Which bucket of a histogram a number is in, and which numbers are in a bucket.
 *
 *	log2	bucket 0 is 0; bucket i from 1 on 2^(i-1) ... 2^i - 1; bucket -i these negated
 *	fine	bucket i below FINE_EXACT is i alone; above, each power of two has FINE_STEPS
 *		buckets; bucket -i these negated.  The middle of a bucket is at most 1/128 from
 *		what is in it: an error of at most 0.79 %
 *	steps	bucket i is from + i * step ... the next less 1; SPREAD_BELOW what is less than
 *		from, and SPREAD_ABOVE what is to or more
 */
#define FINE_STEPS 64
#define FINE_EXACT (2 * FINE_STEPS)
#define FINE_MOST 3775 /* the bucket of UINT64_MAX */
#define SPREAD_BELOW INT32_MIN
#define SPREAD_ABOVE INT32_MAX
#define SPREAD_STEPS 1000000 /* buckets between from and to, at most */

struct lhist_steps {
	int64_t from, to; /* from < to, to - from a multiple of step */
	uint64_t step;
};

/* The lowest and highest number of a bucket. */
struct bounds {
	struct number low, high;
};

static inline unsigned number_log2(uint64_t v)
{
	return 63 - (unsigned)__builtin_clzll(v);
}

static inline int32_t spread_log2(struct number a)
{
	uint64_t m = number_amount(a);
	int32_t i = m ? (int32_t)number_log2(m) + 1 : 0;

	return a.neg ? -i : i;
}

static inline int32_t spread_fine(struct number a)
{
	uint64_t m = number_amount(a);
	unsigned e;
	int32_t i;

	if (m < FINE_EXACT) {
		i = (int32_t)m;
	} else {
		e = number_log2(m) - 6;
		i = (int32_t)(e * FINE_STEPS + (unsigned)(m >> e));
	}
	return a.neg ? -i : i;
}

static inline int32_t spread_steps(const struct lhist_steps *s, struct number a)
{
	if (number_less(a, number_of((uint64_t)s->from, true)))
		return SPREAD_BELOW;
	if (!number_less(a, number_of((uint64_t)s->to, true)))
		return SPREAD_ABOVE;
	return (int32_t)((a.v - (uint64_t)s->from) / s->step);
}

struct bounds spread_log2_bounds(int32_t i);
struct bounds spread_fine_bounds(int32_t i);
/*
 * For SPREAD_BELOW the lowest, and for SPREAD_ABOVE the highest number means that there is no end.
 */
struct bounds spread_steps_bounds(const struct lhist_steps *s, int32_t i);

/* The number in the middle of B. */
struct number bounds_middle(const struct bounds *b);

#endif
