// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare: arrays are in order after qsort().  Without it numbers far from each other are sorted by
 * the sign of an overflow, and a binary search misses them.
 *
 * of: base/compare.h
 */
#include "base/compare.h"
#include "t/lib/c/tap.h"

int main(void)
{
	int32_t n[] = { INT32_MAX, 0, INT32_MIN, -1, 1, INT32_MIN, 7 }, key = 7;
	const char *s[] = { "b", "", "abc", "ab", "B" };
	bool sorted = true;

	qsort(n, 7, sizeof(*n), compare_i32);
	for (unsigned i = 1; i < 7; i++)
		sorted = sorted && n[i - 1] <= n[i];
	ok(sorted && n[0] == INT32_MIN && n[6] == INT32_MAX, "numbers from one end to the other");
	ok(bsearch(&key, n, 7, sizeof(*n), compare_i32) == &n[5], "and each is found");
	qsort(s, 5, sizeof(*s), compare_text);
	ok(!strcmp(s[0], "") && !strcmp(s[1], "B") && !strcmp(s[2], "ab") && !strcmp(s[3], "abc") &&
		   !strcmp(s[4], "b"),
	   "strings, by their bytes");
	return tap_done();
}
