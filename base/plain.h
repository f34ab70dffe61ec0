/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PLAIN_H
#define ZED_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Names and strings of a trace are anybody's: a task calls itself what it likes.  Made plain they
 * steer no terminal and never look like a line of their own.  There is one form, in everything that
 * is shown or written as text, but in JSON, which has its own:
 *
 *	\n	a newline
 *	\xNN	each byte of: other control characters (C0 with the tab, DEL, C1 alone or as UTF-8),
 *		the line and paragraph separators U+2028 and U+2029, and what turns the direction of
 *		writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)
 *
 * All else stays: letters in UTF-8, and bytes from 0xa0 on that are none.  A backslash is not
 * doubled, so text is plain once and for all, and that of other tools stays as it is.
 */
#define PLAIN_MOST 4 /* bytes that one becomes, at most */

/* What a format has of its own among these. */
enum {
	PLAIN_TABS = 1,	 /* tabs stay */
	PLAIN_LINES = 2, /* and newlines: a text of many lines */
	PLAIN_STACK = 4, /* a newline stays before blanks and "=> ": the lines of a stack */
};

/* The character of UTF-8 at S (RFC 3629): its length, 0 if there is none. */
unsigned utf8_len(const void *s, size_t len);

/* How many bytes at the end of S begin a character whose other bytes are not there: 0 to 3. */
unsigned utf8_unfinished(const void *s, size_t len);

/* May the character of N bytes at S, as utf8_len() has it (or 1), be shown as it is? */
bool plain_may(const void *s, unsigned n);

/* Is there nothing but printable ASCII in S?  Fast, and most of all text. */
bool plain_ascii(const void *s, size_t len);

/* How long S becomes. */
size_t plain_len(const char *s, size_t len, unsigned keep);

/* Write S to TO, which has room for the plain_len() bytes.  S may be the end of that room. */
void plain_write(char *to, const char *s, size_t len, unsigned keep);

/* S in BUF: always terminated, and cut between characters where it does not fit.  Returns BUF. */
char *plain_text(char *buf, size_t size, const char *s);

#endif
