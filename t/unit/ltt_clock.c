// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_clock: cycles to ns with products of more than 64 bits, against figures worked out with
 * integers of any size.  Without it the times of a long trace, or of one that a 32-bit machine
 * reads, wrap.
 *
 * of: reader/ltt/tsc_clock.c
 */
#include "reader/ltt/tsc_clock.h"
#include "base/ratio.h"
#include "t/lib/c/tap.h"

static const struct {
	uint64_t ticks, num, den, ns;
	const char *what;
} scales[] = {
	{ 0xb2d05e00, 0x3b9aca00, 0xb2d05e00, 1000000000, "a second at 3 GHz" },
	{ 0x38d7ea4c68007, 0x3b9aca00, 0x8f0d1800, 416666666666669,
	  "5 days at 2.4 GHz (else: 64 bits wrap after 8 s)" },
	{ 0x16345785d8a0001, 0x3b9ac9c1, 0x8f0d17ef, 41666664336805539,
	  "a year, at a rate between two stamps" },
	{ 0x3fffffffffffffc6, 0x3b9aca00, 0x3fffffffffffffc7, 999999999,
	  "a rest whose product has 92 bits" },
	{ 0x123456789abcdef0, 0xfedcba987654321, 0x1fffffffffffffff, 652969192693086737,
	  "each of the four partial products counts" },
	{ 0xfedcba9876543210, 0x7fffffffffffffff, 0xffffffffffffffc5, 9182379272246532388,
	  "a remainder that needs a 65th bit" },
	{ 0xfffffffffffffffe, 0x7fffffffffffffff, 0xffffffffffffffff, 9223372036854775806,
	  "126 bits, carried through to INT64_MAX - 1" },
	{ 0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffffffffffff, 9223372036854775807,
	  "a rest that comes to more than INT64_MAX is that" },
	{ 0xffffffffffffffff, 0x4000000000000000, 0x8000000000000000, 9223372036854775807,
	  "and so are multiples of it" },
	{ 0x4000000000000001, 0x200000000, 0x2, 9223372036854775807, "whose product wraps" },
};

int main(void)
{
	struct ltt_clock c = { .zero = 4611686018427387904U,
			       .base = 4000000000000000000U,
			       .num = 2305843009213693951U,
			       .den = 4611686018427387847U };
	unsigned i;

	for (i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
		is_u64(ratio(scales[i].ticks, scales[i].num, scales[i].den, false), scales[i].ns,
		       scales[i].what);
	is_u64(ltt_clock_ns(&c, 11), 1694156990786306025,
	       "before the zero times are rounded down too, with wide products");
	is_u64(ltt_clock_ns(&c, c.zero + 2305843009213693955), 5152921504606846991, "after it");
	c.base = 1000;
	is_u64(ltt_clock_ns(&c, 11), 0, "and never below 0");
	return tap_done();
}
