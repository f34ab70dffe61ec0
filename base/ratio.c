// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ratio: multiplies a count of cycles by a ratio.  Uses integers: a double loses the nanoseconds
 * after a few weeks of uptime.
 */
#include "base/ratio.h"

/*
 * (A * B + MORE) / DEN, with a product of up to 128 bits, for which 32-bit machines have no type.
 * UINT64_MAX if the quotient has more than 64 bits.  Bit by bit, as ratio() seldom needs it.
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
uint64_t ratio(uint64_t ticks, uint64_t num, uint64_t den, bool up)
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
