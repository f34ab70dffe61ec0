/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_SQUARES_H
#define ZED_ANALYSIS_AGGREGATE_SQUARES_H

#include "analysis/aggregate/number.h"

/*
 * The squares of numbers, added up: exact for 2^62 of them, so that it does not matter in which
 * order or in how many groups they come.  The lowest word first.
 */
struct squares {
	uint64_t w[3];
};

/* A * B in two words. */
static inline void words_multiply(uint64_t a, uint64_t b, uint64_t *hi, uint64_t *lo)
{
	uint64_t low = (uint32_t)a * (uint64_t)(uint32_t)b;
	uint64_t left = (a >> 32) * (uint32_t)b + (low >> 32);
	uint64_t right = (uint32_t)a * (b >> 32) + (uint32_t)left;

	*hi = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
	*lo = right << 32 | (uint32_t)low;
}

static inline void squares_add(struct squares *q, struct number a)
{
	uint64_t amount = number_amount(a), hi, lo;

	words_multiply(amount, amount, &hi, &lo);
	q->w[0] += lo;
	/* The high word of a square has room for one more. */
	hi += q->w[0] < lo;
	q->w[1] += hi;
	q->w[2] += q->w[1] < hi;
}

/* Add those of T to Q. */
void squares_merge(struct squares *q, const struct squares *t);

/*
 * The variance of the N numbers (1 to 2^62) whose sum is S and whose squares are Q; below 0: there
 * are not such numbers.
 */
double squares_variance(const struct squares *q, const struct sum *s, uint64_t n);

#endif
