/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_FACILITY_FACILITY_LEX_H
#define ZED_READER_LTT_FACILITY_FACILITY_LEX_H

#include "base/err.h"

/*
 * The tokens of LTT's facility descriptions.  They are separated by white space and comments, of C
 * and of XML; <?...?> and <!...>, in the real XML files of 2006, count as comments.
 */
enum ltt_token {
	LTT_END, /* of the text */
	LTT_LESS,
	LTT_GREATER,
	LTT_SLASH,
	LTT_EQUAL,
	LTT_QUOTED, /* the bytes between the quotation marks, backslashes kept */
	LTT_NUMBER, /* a digit, then digits and letters; the parser checks it */
	LTT_NAME,   /* letters, digits, _ and -, not beginning with a digit */
};

#define LTT_MAX_TOKEN 1023

struct lttlex {
	const char *p, *end;
	unsigned line, column; /* of p, from 1 */
	enum ltt_token token;  /* the current one */
	const char *text;      /* its bytes, LEN of them */
	size_t len;
	unsigned at_line, at_column; /* where it begins */
};

void lttlex_init(struct lttlex *l, const char *text, size_t len);

/*
 * Make the next token current.  -1 with E: a byte that cannot begin a token, or an unterminated
 * string or comment.
 */
int lttlex_next(struct lttlex *l, struct err *e);

/*
 * With '>' current: skip raw text up to the tag that follows, and make its '<' current.  A '<' that
 * does not begin a tag is text.
 */
int lttlex_raw(struct lttlex *l, struct err *e);

/* Fill E with "line L, column C: ..." of the current token.  Returns -1. */
int lttlex_err(const struct lttlex *l, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define lttlex_err(...) err_minus(lttlex_err(__VA_ARGS__))

#endif
