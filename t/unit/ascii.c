// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ascii: numbers in names of files.  Without it "cpu", "cpu1x" or a number that overflows could be
 * taken for a CPU.
 *
 * of: base/ascii.h
 */
#include "base/ascii.h"
#include "t/lib/c/tap.h"

int main(void)
{
	ok(ascii_number("0", 9) == 0 && ascii_number("8191", 8191) == 8191 &&
		   ascii_number("007", 9) == 7,
	   "digits are a number");
	ok(ascii_number("8192", 8191) < 0 && ascii_number("2147483648", INT32_MAX) < 0 &&
		   ascii_number("99999999999999999999999999", INT32_MAX) < 0,
	   "not more than the most (else: it overflows)");
	ok(ascii_number("2147483647", INT32_MAX) == INT32_MAX, "the most itself is one");
	ok(ascii_number("", 9) < 0 && ascii_number("-1", 9) < 0 && ascii_number("1x", 9) < 0 &&
		   ascii_number(" 1", 9) < 0 && ascii_number("+1", 9) < 0,
	   "anything else is not");
	return tap_done();
}
