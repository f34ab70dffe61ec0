// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * delivered: streams that end early, piece by piece.  Without it a report counts what its reader
 * never got.
 *
 * of: record/delivered.c record/delivered.h
 */
#include "record/delivered.h"
#include "t/lib/c/tap.h"

static void test_pieces(void)
{
	struct delivered t = { 0 };

	delivered_add(&t, 1, 10, 100);
	delivered_add(&t, 0, 5, 250);
	delivered_add(&t, 1, 7, 300);
	is_u64(delivered_events(&t, 1), 17, "pieces of one CPU add up");
	is_u64(delivered_events(&t, 9), 0, "a CPU that had none");
	delivered_settle(&t, 299);
	is_u64(delivered_events(&t, 1), 10, "a piece that lacks a byte does not count");
	is_u64(delivered_events(&t, 0), 5, "what was read before it does");
	delivered_forget(&t, 250);
	delivered_settle(&t, 0);
	is_u64(delivered_events(&t, 0), 5, "what is known to be read is not taken back");
	delivered_fini(&t);
}

/* Many pieces, few of them waiting at a time: the memory of those that are read is used again. */
static void test_many(void)
{
	struct delivered t = { 0 };

	for (unsigned i = 1; i <= 100000; i++) {
		delivered_add(&t, (int)(i & 1), 1, i);
		delivered_forget(&t, i > 100 ? i - 100 : 0);
	}
	ok(t.cap < 1000, "what was read is forgotten (else: a long recording grows without bound)");
	delivered_settle(&t, 99950);
	is_u64(delivered_events(&t, 0) + delivered_events(&t, 1), 99950,
	       "and the last of them still go");
	delivered_fini(&t);
}

int main(void)
{
	test_pieces();
	test_many();
	return tap_done();
}
