// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * numbers: the variance of numbers, from their exact sum and that of their squares: (n * Q - S * S)
 * / (n * n), in words of 64 bits, as nothing may be lost before the difference.
 */
#include "analysis/aggregate/numbers.h"

#include <string.h>

#define WORDS 4 /* n * Q and S * S have less than 252 bits */

/* Add A, as the word number AT and what is carried from it. */
static void add_at(uint64_t *to, unsigned at, uint64_t a)
{
	for (; a && at < WORDS; at++) {
		to[at] += a;
		a = to[at] < a;
	}
}

/* Add A * B, from the word number AT on. */
static void add_product(uint64_t *to, unsigned at, uint64_t a, uint64_t b)
{
	uint64_t hi, lo;

	words_multiply(a, b, &hi, &lo);
	add_at(to, at, lo);
	add_at(to, at + 1, hi);
}

void squares_merge(struct squares *q, const struct squares *t)
{
	uint64_t sum[WORDS] = { q->w[0], q->w[1], q->w[2] };

	for (unsigned i = 0; i < 3; i++)
		add_at(sum, i, t->w[i]);
	memcpy(q->w, sum, sizeof(q->w));
}

/* TO -= A.  False: A is more. */
static bool subtract(uint64_t *to, const uint64_t *a)
{
	bool borrow = false;

	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t had = to[i];

		to[i] = had - a[i] - borrow;
		borrow = borrow ? had <= a[i] : had < a[i];
	}
	return !borrow;
}

double squares_variance(const struct squares *q, const struct sum *s, uint64_t n)
{
	uint64_t all[WORDS] = { 0 }, square[WORDS] = { 0 }, lo = s->lo, hi = (uint64_t)s->hi;
	double d = 0;

	if (s->hi < 0) {
		lo = ~lo + 1;
		hi = ~hi + !lo;
	}
	for (unsigned i = 0; i < 3; i++)
		add_product(all, i, q->w[i], n);
	add_product(square, 0, lo, lo);
	add_product(square, 1, lo, hi);
	add_product(square, 1, lo, hi);
	add_product(square, 2, hi, hi);
	if (!subtract(all, square))
		return -1;
	for (unsigned i = WORDS; i--;)
		d = d * 0x1p64 + (double)all[i];
	return d / (double)n / (double)n;
}
