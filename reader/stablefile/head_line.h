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

/* Is nothing left but blanks or a comment? */
bool line_ends(struct line *l);

/* The bytes up to the next blank: *W and their number, 0 at the end. */
size_t line_word(struct line *l, const char **w);

/* Is the next word W?  Then it is taken. */
bool line_take(struct line *l, const char *w);

/* A decimal number within LEAST and MOST, at most 32 bits long.  -1 with E. */
int line_number(struct line *l, int64_t least, int64_t most, int64_t *out, struct err *e);

/*
 * "TEXT", in which \" \\ \xHH stand for a byte: at most MOST of them, and no NUL.  *OUT, ended by a
 * NUL, is to be freed, *OUT_LEN its length.  -1 with E, and nothing to be freed.
 */
int line_quoted(struct line *l, size_t most, char **out, size_t *out_len, struct err *e);

/* Are the N bytes at S one half of an event's name: letters, digits, _, no digit first? */
bool is_event_word(const char *s, size_t n);

/* "line L, column C: WHAT"; AT counts from 0.  Returns -1. */
int line_complain(const struct line *l, size_t at, const char *what, struct err *e);
#define line_complain(...) err_minus(line_complain(__VA_ARGS__))

#endif
