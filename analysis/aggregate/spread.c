/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spread: from the number of a bucket back to its values.
 */
#include "analysis/aggregate/spread.h"

/* LOW ... HIGH, or for a bucket below 0 the same negated. */
static struct bounds between(uint64_t low, uint64_t high, bool neg)
{
	if (!neg)
		return (struct bounds){ .low = { .v = low }, .high = { .v = high } };
	/* Nothing is below the least signed number. */
	if (high > 1ull << 63)
		high = 1ull << 63;
	return (struct bounds){ .low = { .v = ~high + 1, .neg = true },
				.high = { .v = ~low + 1, .neg = true } };
}

struct bounds spread_log2_bounds(int32_t i)
{
	unsigned k = i < 0 ? -(unsigned)i : (unsigned)i;
	uint64_t low = k ? 1ull << (k - 1) : 0;

	return between(low, k ? low + (low - 1) : 0, i < 0);
}

struct bounds spread_fine_bounds(int32_t i)
{
	unsigned k = i < 0 ? -(unsigned)i : (unsigned)i, e;
	uint64_t low;

	if (k < FINE_EXACT)
		return between(k, k, i < 0);
	/* k = e * FINE_STEPS + the value from bit e on, which is FINE_STEPS to FINE_EXACT - 1 */
	e = k / FINE_STEPS - 1;
	low = (uint64_t)(k - e * FINE_STEPS) << e;
	return between(low, low + ((1ull << e) - 1), i < 0);
}

struct bounds spread_steps_bounds(const struct lhist_steps *s, int32_t i)
{
	uint64_t low = (uint64_t)s->from + (uint64_t)i * s->step;

	if (i == SPREAD_BELOW)
		return (struct bounds){ .low = number_of(1ull << 63, true),
					.high = number_of((uint64_t)s->from - 1, true) };
	if (i == SPREAD_ABOVE)
		return (struct bounds){ .low = number_of((uint64_t)s->to, true),
					.high = number_of(UINT64_MAX, false) };
	return (struct bounds){ .low = number_of(low, true),
				.high = number_of(low + s->step - 1, true) };
}

struct number bounds_middle(const struct bounds *b)
{
	/* Both ends have the same sign. */
	return (struct number){ .v = b->low.v + (b->high.v - b->low.v) / 2, .neg = b->low.neg };
}
