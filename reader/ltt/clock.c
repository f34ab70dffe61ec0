// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock: computes ns from a CPU's cycle counter.  In integers: a double loses the nanoseconds of a
 * machine that has been up for some weeks.
 */
#include "reader/ltt/clock.h"

static uint64_t scale(uint64_t ticks, uint64_t num, uint64_t den, bool up)
{
	uint64_t n, more = up ? den - 1 : 0;
	unsigned __int128 wide;

	if (!__builtin_mul_overflow(ticks, num, &n) && !__builtin_add_overflow(n, more, &n)) {
		n /= den;
		return n > INT64_MAX ? INT64_MAX : n;
	}
	wide = ((unsigned __int128)ticks * num + more) / den;
	return wide > INT64_MAX ? INT64_MAX : (uint64_t)wide;
}

uint64_t ltt_scale(uint64_t ticks, uint64_t num, uint64_t den)
{
	return scale(ticks, num, den, false);
}

uint64_t ltt_clock_ns(const struct ltt_clock *c, uint64_t tsc)
{
	uint64_t ns;

	if (!c->den)
		return tsc;
	if (tsc >= c->zero) {
		ns = c->base + scale(tsc - c->zero, c->num, c->den, false);
		return ns > INT64_MAX ? INT64_MAX : ns;
	}
	ns = scale(c->zero - tsc, c->num, c->den, true);
	return ns > c->base ? 0 : c->base - ns;
}
