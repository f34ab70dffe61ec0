/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_STABLEFILE_HEAD_LINE_H
#define ZED_READER_STABLEFILE_HEAD_LINE_H

#include "base/err.h"

/* One line of a text, read from left to right: for file_head.c. */
struct line {
	const char *p; /* len bytes, no newline */
	size_t len, pos;
	unsigned no; /* from 1, for errors */
};

/* Are only blanks or a comment left? */
bool line_ends(struct line *l);

/* The bytes up to the next blank: sets *W, returns their number, 0 at the end. */
size_t line_word(struct line *l, const char **w);

/* Is the next word W?  If so, consume it. */
bool line_take(struct line *l, const char *w);

/* A decimal number within LEAST and MOST, at most 32 bits long.  -1 with E. */
int line_number(struct line *l, int64_t least, int64_t most, int64_t *out, struct err *e);

/*
 * "TEXT", in which \" \\ \xHH mean a byte: at most MOST bytes, without NUL.  *OUT, NUL-terminated,
 * is to be freed; *OUT_LEN is its length.  -1 with E, nothing to free.
 */
int line_quoted(struct line *l, size_t most, char **out, size_t *out_len, struct err *e);

/* Are the N bytes at S a valid half of an event's name: letters, digits, _, no leading digit? */
bool is_event_word(const char *s, size_t n);

/* "line L, column C: WHAT"; AT counts from 0.  Returns -1. */
int line_complain(const struct line *l, size_t at, const char *what, struct err *e);
#define line_complain(...) err_minus(line_complain(__VA_ARGS__))

#endif
