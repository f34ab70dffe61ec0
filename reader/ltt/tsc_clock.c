// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsc_clock: computes ns from a CPU's cycle counter.  Uses integers: a double loses the nanoseconds
 * after a few weeks of uptime.
 */
#include "reader/ltt/tsc_clock.h"

/*
 * (A * B + MORE) / DEN, with a product of up to 128 bits, for which 32-bit machines have no type.
 * UINT64_MAX if the quotient has more than 64 bits.  Bit by bit, as scale() seldom needs it.
 */
static uint64_t divide_wide(uint64_t a, uint64_t b, uint64_t more, uint64_t den)
{
	uint64_t ah = a >> 32, al = (uint32_t)a, bh = b >> 32, bl = (uint32_t)b;
	uint64_t mid = ah * bl + (al * bl >> 32), cross = al * bh + (uint32_t)mid;
	uint64_t hi = ah * bh + (mid >> 32) + (cross >> 32);
	uint64_t lo = a * b, quotient = 0;

	hi += __builtin_add_overflow(lo, more, &lo);
	if (hi >= den)
		return UINT64_MAX;
	for (unsigned bit = 64; bit--;) {
		bool carry = hi >> 63;

		hi = hi << 1 | (lo >> bit & 1);
		quotient <<= 1;
		if (carry || hi >= den) {
			hi -= den;
			quotient |= 1;
		}
	}
	return quotient;
}

/* Whole multiples of DEN first, then the rest: its product nearly always fits in 64 bits. */
static uint64_t scale(uint64_t ticks, uint64_t num, uint64_t den, bool up)
{
	uint64_t n, part, rest = ticks % den, more = up ? den - 1 : 0;

	if (!__builtin_mul_overflow(rest, num, &part) && !__builtin_add_overflow(part, more, &part))
		part /= den;
	else
		part = divide_wide(rest, num, more, den);
	if (__builtin_mul_overflow(ticks / den, num, &n) || __builtin_add_overflow(n, part, &n))
		return INT64_MAX;
	return n > INT64_MAX ? INT64_MAX : n;
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
