// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock: what DATE, OFFSET, TIME_SHIFT and TSC2NSEC make of a stamp (format.md 1.9), with figures
 * worked out by hand.  Without it times are off by a unit, a sign or an order.
 *
 * of: ring/clock.c
 */
#include "ring/clock.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* A payload under construction, in a byte order. */
static uint8_t buf[4096];
static size_t len;
static bool big;

static void add(uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		buf[len + (big ? size - 1 - i : i)] = v >> (8 * i);
	len += size;
}

/* The payload so far, in a block that ends where it does. */
static struct cursor payload(void)
{
	static uint8_t *block;
	struct cursor c;

	free(block);
	block = malloc(len ? len : 1);
	memcpy(block, buf, len);
	cursor_init(&c, block, len, 0x500, big);
	return c;
}

static struct cursor cut_text(const char *s, size_t n)
{
	len = n;
	memcpy(buf, s, len);
	return payload();
}

static struct cursor text(const char *s)
{
	return cut_text(s, strlen(s) + 1);
}

static void test_offsets(void)
{
	struct clock c = { 0 };
	struct err e;

	is_u64(clock_apply(&c, 0, 123), 123, "no option, no change");
	ok(clock_is_offset(&c, 0), "and that is told");
	ok(clock_date(&c, text("0x10"), &e) == 0 && clock_apply(&c, 0, 5) == 16005,
	   "DATE is microseconds");
	ok(clock_offset(&c, text("-6005"), &e) == 0 && clock_apply(&c, 0, 5) == 10000,
	   "OFFSET is nanoseconds, signed, and adds");
	c.raw = true;
	is_u64(clock_apply(&c, 0, 5), 5, "--raw-ts leaves all out");

	memset(&c, 0, sizeof(c));
	clock_date(&c, text("0x8000000000000000"), &e);
	is_u64(c.offset, 0x8000000000000000ull * 1000, "a DATE of 2^63 is read whole");
	memset(&c, 0, sizeof(c));
	ok(clock_offset(&c, text("010"), &e) == 0 && c.offset == 8, "a leading 0 is octal");
	ok(clock_offset(&c, text("oops"), &e) < 0 && c.offset == 8 && e.kind == ERR_FORMAT,
	   "no number is damage without effect");
	len = 0;
	ok(clock_offset(&c, payload(), &e) < 0 && clock_date(&c, payload(), &e) < 0,
	   "nor is nothing");
	ok(clock_offset(&c, cut_text("123", 3), &e) == 0 && c.offset == 131,
	   "a number without its NUL is bounded");
	clock_date(&c, cut_text("0x", 2), &e);
	ok(clock_date(&c, cut_text("-", 1), &e) < 0, "a sign alone is none");
	clock_fini(&c);
}

static void test_tsc(void)
{
	struct clock c = { 0 };
	struct err e;

	for (int order = 0; order < 2; order++) {
		big = order;
		memset(&c, 0, sizeof(c));
		len = 0;
		add(0x80000000u, 4);
		add(32, 4);
		add(999, 8);
		ok(clock_tsc2nsec(&c, payload(), &e) == 0 && !clock_is_offset(&c, 0), "TSC2NSEC");
		is_u64(clock_apply(&c, 0, 1000), 500, "times mult, shifted");
		is_u64(clock_apply(&c, 0, 0x500000003), 0x280000001, "also above 32 bits");
		c.offset = 7;
		is_u64(clock_apply(&c, 0, 1000), 507, "the offset is added after it");
	}
	big = false;
	len = 0;
	add(1, 4);
	add(33, 4);
	add(0, 8);
	ok(clock_tsc2nsec(&c, payload(), &e) < 0 && c.mult == 0x80000000u && e.off == 0x500,
	   "a shift of 33 is damage without effect");
	len = 0;
	add(5, 4);
	add(0, 4);
	add(0, 4);
	ok(clock_tsc2nsec(&c, payload(), &e) == 0 && c.mult == 5, "the 12 bytes of the RFC");
	len = 7;
	ok(clock_tsc2nsec(&c, payload(), &e) < 0, "7 bytes are none");
}

/* A TIME_SHIFT of NCPU CPUs with N samples each: times 1000 apart. */
static void time_shift(uint32_t flags, uint32_t ncpu, uint32_t n, int64_t scaling,
		       uint32_t fraction)
{
	len = 0;
	add(0x77, 8);
	add(flags, 4);
	add(ncpu, 4);
	for (unsigned cpu = 0; cpu < ncpu; cpu++) {
		add(n, 4);
		for (unsigned i = 0; i < n; i++)
			add(1000 * (i + 1), 8);
		for (unsigned i = 0; i < n; i++)
			add(100 * (int64_t)(i + 1) * (cpu ? -1 : 1), 8);
		for (unsigned i = 0; i < n; i++)
			add(scaling, 8);
	}
	for (unsigned i = 0; i < ncpu * n; i++)
		add(fraction, 8);
}

static void test_shift(void)
{
	struct clock c = { 0 };
	struct err e;

	for (int order = 0; order < 2; order++) {
		big = order;
		time_shift(0, 2, 3, 1, 0);
		if (!ok(clock_time_shift(&c, payload(), &e) == 0,
			"TIME_SHIFT of 2 CPUs, 3 samples"))
			diag("%s", e.msg);
		is_u64(clock_apply(&c, 0, 500), 600, "before the first sample: the first");
		is_u64(clock_apply(&c, 0, 1999), 2099, "between two: the lower");
		is_u64(clock_apply(&c, 0, 2000), 2200, "at one: that one");
		is_u64(clock_apply(&c, 0, 9000), 9200, "past the last: the last but one");
		is_u64(clock_apply(&c, 1, 2500), 2300,
		       "each CPU has its own, and offsets have a sign");
		is_u64(clock_apply(&c, 2, 2500), 2500, "a CPU without samples is not changed");
		is_u64(clock_apply(&c, -1, 2500), 2500, "nor is one of no number");
	}
	big = false;
	time_shift(1, 2, 3, 1, 0);
	clock_time_shift(&c, payload(), &e);
	is_u64(clock_apply(&c, 0, 1500), 1650, "interpolated: half-way between 100 and 200");
	is_u64(clock_apply(&c, 0, 1004), 1104, "rounded: 0.4 is nothing");
	is_u64(clock_apply(&c, 0, 1005), 1106, "rounded: 0.5 is one");
	time_shift(0, 1, 2, 3, 1);
	clock_time_shift(&c, payload(), &e);
	is_u64(clock_apply(&c, 0, 1500), 2350, "scaled by 3 / 2^1");
	len -= 16; /* a file of trace-cmd 2.9: no fractions */
	clock_time_shift(&c, payload(), &e);
	is_u64(clock_apply(&c, 0, 1500), 4600, "without fractions they are 0");
	time_shift(0, 1, 1, 3, 1);
	clock_time_shift(&c, payload(), &e);
	is_u64(clock_apply(&c, 0, 1500), 1600, "one sample: its offset and no scale");

	/* First TIME_SHIFT, then TSC2NSEC, then the offset. */
	c.mult = 2;
	c.shift = 0;
	c.offset = 7;
	is_u64(clock_apply(&c, 0, 1500), 3207, "the order of the three");
	c.mult = 0;
	c.offset = 0;

	time_shift(0, 1, 2, 1, 0);
	buf[20] = buf[28] = 0x10; /* the same time twice, unsorted offsets behind */
	clock_time_shift(&c, payload(), &e);
	ok(clock_apply(&c, 0, 99999) - 99999 == 100 || clock_apply(&c, 0, 99999) - 99999 == 200,
	   "two samples of one time are no division by zero");
	clock_fini(&c);
}

static void test_hostile(void)
{
	struct clock c = { 0 };
	uint64_t before;
	size_t whole;
	struct err e;
	bool all = true;

	time_shift(1, 2, 3, 1, 0);
	whole = len;
	/* Only the tail of fractions may be missing. */
	for (len = 0; len < whole; len++) {
		int rc = clock_time_shift(&c, payload(), &e);

		if (rc != (len < whole - 6 * 8 ? -1 : 0)) {
			diag("%zu bytes: %d", len, rc);
			all = false;
		}
		clock_apply(&c, 0, 1234);
	}
	ok(all, "every truncation but that of the fractions is damage");
	before = clock_apply(&c, 0, 77);
	len = 0;
	ok(clock_time_shift(&c, payload(), &e) < 0 && clock_apply(&c, 0, 77) == before &&
		   before != 77,
	   "a damaged option has no effect: what was known before stays");

	static const uint32_t huge[] = { 0x7fffffff, 0xffffffff, 0x10000000, 1000 };

	for (unsigned i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		time_shift(0, 1, 1, 1, 0);
		len = 12;
		add(huge[i], 4);
		len = 60;
		ok(clock_time_shift(&c, payload(), &e) < 0, "%u CPUs do not fit", huge[i]);
		time_shift(0, 1, 1, 1, 0);
		len = 16;
		add(huge[i], 4);
		len = 60;
		ok(clock_time_shift(&c, payload(), &e) < 0, "%u samples do not fit", huge[i]);
	}
	time_shift(1, 1, 0, 1, 0);
	ok(clock_time_shift(&c, payload(), &e) == 0 && clock_apply(&c, 0, 5) == 5,
	   "no samples, no change");
	time_shift(1, 1, 2, 1, 64);
	ok(clock_time_shift(&c, payload(), &e) < 0, "a fraction of 64 bits is damage");
	time_shift(1, 1, 2, INT64_MIN, 63);
	for (unsigned i = 0; i < 16; i++) /* the second offset and time at the ends of 64 bits */
		buf[28 + i] = i % 8 == 7 ? 0x7f : 0xff;
	if (clock_time_shift(&c, payload(), &e) == 0)
		clock_apply(&c, 0, UINT64_MAX - 5);
	ok(true, "extreme samples overflow nothing (the sanitizer watches)");
	clock_fini(&c);
}

int main(void)
{
	test_offsets();
	test_tsc();
	test_shift();
	test_hostile();
	return tap_done();
}
