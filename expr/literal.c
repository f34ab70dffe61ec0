// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * literal: numbers of an expression: decimal, hexadecimal, octal, and times with a unit, in ns.
 */
#include "expr/literal.h"

#include "base/ascii.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

bool literal_is_word(char c)
{
	return ascii_word(c);
}

/* The unit that begins here, in ns; 0: none.  *LEN: its bytes. */
static uint64_t unit_of(const char *s, size_t *len)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} UNITS[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

	for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
		*len = strlen(UNITS[i].name);
		if (!strncmp(s, UNITS[i].name, *len) && !literal_is_word(s[*len]))
			return UNITS[i].ns;
	}
	*len = 0;
	return 0;
}

/* The digits at *S in BASE.  False: more than 64 bits. */
static bool digits(const char **s, unsigned base, uint64_t *v)
{
	for (*v = 0;; (*s)++) {
		unsigned char c = **s;
		unsigned d = ascii_digit(c) ? c - '0' : ascii_hex(c) ? tolower(c) - 'a' + 10 : 99;

		if (d >= base)
			return true;
		if (__builtin_mul_overflow(*v, (uint64_t)base, v) ||
		    __builtin_add_overflow(*v, (uint64_t)d, v))
			return false;
	}
}

/* The decimals after the point at *S: a fraction of a unit, exact in ns. */
static bool fraction(const char **s, uint64_t *ns)
{
	const char *from = ++*s;
	uint64_t scale = 1, part, unit;
	size_t len;

	if (!digits(s, 10, &part) || *s == from || *s - from > 9)
		return false;
	for (const char *c = from; c < *s; c++)
		scale *= 10;
	unit = unit_of(*s, &len);
	if (!unit || part * unit % scale)
		return false;
	*ns = part * unit / scale;
	return true;
}

/* A 0 makes a number octal, but a time (010ms) is decimal. */
static unsigned base_of(const char *s)
{
	size_t n = strspn(s, "0123456789"), len;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return 16;
	return s[0] == '0' && n > 1 && s[n] != '.' && !unit_of(s + n, &len) ? 8 : 10;
}

enum literal_end literal_number(const char **s, struct literal *out)
{
	unsigned base = base_of(*s);
	const char *from = *s += base == 16 ? 2 : 0;
	uint64_t unit, part = 0;
	bool fits;
	size_t len;

	*out = (struct literal){ .is_bits = base != 10 };
	fits = digits(s, base, &out->num);
	if (fits && **s == '.' && (base != 10 || !fraction(s, &part)))
		return LITERAL_FRACTION;
	unit = base == 10 ? unit_of(*s, &len) : 0;
	if (unit) {
		out->is_time = true;
		*s += len;
		fits = fits && !__builtin_mul_overflow(out->num, unit, &out->num) &&
		       !__builtin_add_overflow(out->num, part, &out->num);
	}
	if (!fits)
		return LITERAL_BIG;
	return *s == from || literal_is_word(**s) ? LITERAL_NONE : LITERAL_OK;
}
