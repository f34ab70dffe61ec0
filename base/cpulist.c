// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpulist: parses a list of CPUs as people and the kernel write it, "0,2-5".
 */
#include "base/cpulist.h"

#include "base/ascii.h"


int cpulist_parse(const char *text, size_t len, uint64_t *bits, size_t *bad)
{
	size_t i = 0;

	for (;;) {
		unsigned long lo, hi;
		size_t at = i;

		for (lo = 0; i < len && ascii_digit(text[i]) && lo < CPULIST_MAX; i++)
			lo = lo * 10 + (text[i] - '0');
		hi = lo;
		*bad = at;
		if (i == at || lo >= CPULIST_MAX)
			return -1;
		if (i < len && text[i] == '-') {
			at = ++i;
			for (hi = 0; i < len && ascii_digit(text[i]) && hi < CPULIST_MAX; i++)
				hi = hi * 10 + (text[i] - '0');
			if (i == at || hi >= CPULIST_MAX || hi < lo)
				return -1;
		}
		for (; lo <= hi; lo++)
			bits[lo / 64] |= 1ull << lo % 64;
		if (i == len)
			return 0;
		*bad = i;
		if (text[i++] != ',')
			return -1;
	}
}
