/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_NUMBERS_H
#define ZED_ANALYSIS_AGGREGATE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Any number that a field can have, signed or not, and exact sums of them and of their squares.
 * 128 bits by hand: what compiles for 32-bit machines has no type for them.
 */
struct number {
	uint64_t v; /* in two's complement */
	bool neg;   /* below 0 */
};

struct sum {
	uint64_t lo;
	int64_t hi; /* both together in two's complement */
};

static inline struct number number_of(uint64_t v, bool is_signed)
{
	return (struct number){ .v = v, .neg = is_signed && (int64_t)v < 0 };
}

static inline bool number_less(struct number a, struct number b)
{
	return a.neg != b.neg ? a.neg : a.v < b.v;
}

static inline double number_double(struct number a)
{
	return a.neg ? (double)(int64_t)a.v : (double)a.v;
}

static inline uint64_t number_amount(struct number a)
{
	return a.neg ? ~a.v + 1 : a.v;
}

static inline void sum_add(struct sum *s, struct number a)
{
	s->lo += a.v;
	s->hi += (s->lo < a.v) - a.neg;
}

static inline void sum_merge(struct sum *s, const struct sum *t)
{
	s->lo += t->lo;
	/* Unsigned: what does not fit wraps instead of being undefined. */
	s->hi = (int64_t)((uint64_t)s->hi + (uint64_t)t->hi + (s->lo < t->lo));
}

static inline double sum_double(const struct sum *s)
{
	uint64_t lo = s->lo, hi = (uint64_t)s->hi;

	if (s->hi >= 0)
		return (double)hi * 0x1p64 + (double)lo;
	/* Of the amount, or a small negative sum would be the difference of two large numbers. */
	lo = ~lo + 1;
	hi = ~hi + !lo;
	return -((double)hi * 0x1p64 + (double)lo);
}

static inline bool sum_less(const struct sum *a, const struct sum *b)
{
	return a->hi != b->hi ? a->hi < b->hi : a->lo < b->lo;
}

/* ---- squares ---- */

/*
 * The squares of numbers, added up: exact for 2^62 of them, so that order and grouping do not
 * matter.  The lowest word first.
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
	/* The high word of a square has room for a carry. */
	hi += q->w[0] < lo;
	q->w[1] += hi;
	q->w[2] += q->w[1] < hi;
}

/* Add those of T to Q. */
void squares_merge(struct squares *q, const struct squares *t);

/*
 * The variance of the N numbers (1 to 2^62) whose sum is S and whose squares are Q; below 0: no
 * such numbers exist.
 */
double squares_variance(const struct squares *q, const struct sum *s, uint64_t n);

#endif
