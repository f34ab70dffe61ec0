// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * taken: streams that end early, piece by piece, and sub-buffers made by hand.  Without it a report
 * counts what its reader never got.
 */
#include "record/taken.h"
#include "t/lib/tap.h"

static void test_pieces(void)
{
	struct taken t = { 0 };

	taken_add(&t, 1, 10, 100);
	taken_add(&t, 0, 5, 250);
	taken_add(&t, 1, 7, 300);
	is_u64(taken_events(&t, 1), 17, "pieces of one CPU add up");
	is_u64(taken_events(&t, 9), 0, "a CPU that had none");
	taken_settle(&t, 299);
	is_u64(taken_events(&t, 1), 10, "a piece that lacks a byte does not count");
	is_u64(taken_events(&t, 0), 5, "what was read before it does");
	taken_forget(&t, 250);
	taken_settle(&t, 0);
	is_u64(taken_events(&t, 0), 5, "what is known to be read is not taken back");
	taken_fini(&t);
}

/* Many pieces, few of them waiting at a time: the memory of those that are read is used again. */
static void test_many(void)
{
	struct taken t = { 0 };

	for (unsigned i = 1; i <= 100000; i++) {
		taken_add(&t, (int)(i & 1), 1, i);
		taken_forget(&t, i > 100 ? i - 100 : 0);
	}
	ok(t.cap < 1000, "what was read is forgotten (else: a long recording grows without bound)");
	taken_settle(&t, 99950);
	is_u64(taken_events(&t, 0) + taken_events(&t, 1), 99950, "and the last of them still go");
	taken_fini(&t);
}

static void test_page(void)
{
	/* Its time, its commit word (8 bytes of data, a missed flag), two records without data. */
	uint8_t page[64] = { 0 };
	const uint64_t commit = 16 | UINT64_C(1) << 31;
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const uint32_t record = big ? 1u << 27 : 1; /* type_len 1: four bytes of data */

	memcpy(page + 8, &commit, 8);
	memcpy(page + 16, &record, 4);
	memcpy(page + 24, &record, 4);
	is_u64(taken_in_page(page, sizeof(page), 16), 2, "the records of a sub-buffer");
	is_u64(taken_in_page(page, 24, 16), 1, "of one that was cut: those that are there");
	is_u64(taken_in_page(page, 12, 16), 0, "and none, where not even its head is");
	memset(page, 0, sizeof(page));
	is_u64(taken_in_page(page, sizeof(page), 16), 0, "zeros are no records");
}

int main(void)
{
	test_pieces();
	test_many();
	test_page();
	return tap_done();
}
