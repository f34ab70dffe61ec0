// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * escape: characters of C strings as written in source.
 */
#include "text/steps/escape.h"

#include "base/ascii.h"

#include <string.h>

static unsigned octal(const char **p)
{
	unsigned v = 0;

	for (unsigned i = 0; i < 3 && **p >= '0' && **p <= '7'; i++, (*p)++)
		v = v * 8 + (**p - '0');
	return v & 255;
}

static unsigned hex(const char **p)
{
	unsigned v = 0;

	for (unsigned i = 0; i < 2 && ascii_hex(**p); i++, (*p)++)
		v = v * 16 + (ascii_digit(**p) ? **p - '0' : (**p | 32) - 'a' + 10);
	return v;
}

char escape_next(const char **p)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *at;
	char c = *(*p)++;

	if (c != '\\' || !**p)
		return c;
	c = **p;
	if (c >= '0' && c <= '7')
		return (char)octal(p);
	(*p)++;
	if (c == 'x')
		return (char)hex(p);
	at = strchr(from, c);
	return at ? to[at - from] : c;
}
