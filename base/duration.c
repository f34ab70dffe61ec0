// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * duration: reads spans of time with their units, exactly, without floating point.
 */
#include "base/duration.h"

#include "base/ascii.h"

#include <stddef.h>
#include <string.h>

#define NSEC 1000000000ull

bool duration_parse(const char *text, bool bare, uint64_t *out)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} UNITS[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", NSEC }, { "", NSEC } };
	size_t n = sizeof(UNITS) / sizeof(UNITS[0]) - !bare;
	uint64_t whole = 0, part = 0, scale;
	const char *s = text;

	for (; ascii_digit(*s); s++)
		if (__builtin_mul_overflow(whole, 10ull, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
			return false;
	if (s == text && *s != '.')
		return false;
	if (*s == '.') {
		const char *from = ++s;

		for (scale = NSEC / 10; ascii_digit(*s) && scale; s++, scale /= 10)
			part += scale * (uint64_t)(*s - '0');
		if (s == from || ascii_digit(*s))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t ns = UNITS[i].ns;

		if (!strcmp(s, UNITS[i].unit))
			return part % (NSEC / ns) == 0 &&
			       !__builtin_mul_overflow(whole, ns, &whole) &&
			       !__builtin_add_overflow(whole, part / (NSEC / ns), out);
	}
	return false;
}
