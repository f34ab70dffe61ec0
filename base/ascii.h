/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_ASCII_H
#define ZED_BASE_ASCII_H

#include <stdbool.h>
#include <stdint.h>

/*
 * ASCII character classes for formats and languages.  Unlike ctype.h, they ignore the locale that
 * perl or the user has set.
 */
static inline bool ascii_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_letter(unsigned char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline bool ascii_alnum(unsigned char c)
{
	return ascii_letter(c) || ascii_digit(c);
}

/* Part of an identifier: a letter, a digit or '_'. */
static inline bool ascii_word(unsigned char c)
{
	return ascii_alnum(c) || c == '_';
}

static inline bool ascii_hex(unsigned char c)
{
	return ascii_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* isspace() of the C locale. */
static inline bool ascii_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A blank within a line. */
static inline bool ascii_blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

/* A printable character, space included. */
static inline bool ascii_print(unsigned char c)
{
	return c >= ' ' && c <= '~';
}

/* S as a decimal number, digits alone; -1: it is not one, or is more than MOST. */
static inline int ascii_number(const char *s, int most)
{
	int64_t n = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		n = n * 10 + (*s - '0');
		if (!ascii_digit(*s) || n > most)
			return -1;
	}
	return (int)n;
}

#endif
