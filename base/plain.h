/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PLAIN_H
#define ZED_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Names and strings of a trace are untrusted: a task calls itself what it likes.  Made plain they
 * cannot steer a terminal or look like a line of their own.  All shown or written text uses one
 * form, except for JSON, which has its own:
 *
 *	\n	a newline
 *	\xNN	each byte of: other control characters (C0 with the tab, DEL, C1 alone or as UTF-8),
 *		the line and paragraph separators U+2028 and U+2029, and what turns the direction of
 *		writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)
 *
 * Everything else stays: characters in UTF-8, and bytes from 0xa0 on that are not UTF-8.  A
 * backslash is not doubled, so plain text stays as it is, and so does that of other tools.
 */
/* Which of these an output format keeps. */
enum {
	PLAIN_TABS = 1,	 /* tabs stay */
	PLAIN_LINES = 2, /* and newlines: a text of many lines */
	PLAIN_STACK = 4, /* a newline stays before blanks and "=> ": the lines of a stack */
};

/* The length of the UTF-8 character at S (RFC 3629); 0: the bytes there are not one. */
unsigned utf8_len(const void *s, size_t len);

/* How many bytes at the end of S begin a character whose other bytes are missing: 0 to 3. */
unsigned utf8_unfinished(const void *s, size_t len);

/* May the character of N bytes at S be shown unescaped?  N is utf8_len(), or 1 where that is 0. */
bool plain_may(const void *s, unsigned n);

/* Is S all printable ASCII?  Fast, as most text is. */
bool plain_ascii(const void *s, size_t len);

/* The length of S once it is plain. */
size_t plain_len(const char *s, size_t len, unsigned keep);

/*
 * Write S, made plain, to TO, which has room for plain_len() bytes.  S may be the end of that room.
 */
void plain_write(char *to, const char *s, size_t len, unsigned keep);

/*
 * S made plain in BUF: always terminated, and cut between characters where it does not fit.
 * Returns BUF.
 */
char *plain_text(char *buf, size_t size, const char *s);

#endif
