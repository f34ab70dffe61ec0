/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_TSDL_LEX_H
#define ZED_READER_CTF_METADATA_TSDL_LEX_H

#include "base/err.h"

/* The tokens of the metadata of CTF 1.8, whose words are those of C. */
enum tsdl_token {
	TSDL_END,
	TSDL_WORD,   /* an identifier or keyword */
	TSDL_NUMBER, /* value, negative: no; a suffix of C is skipped */
	TSDL_STRING, /* without its quotes, escapes as they stand */
	TSDL_ASSIGN, /* := */
	TSDL_RANGE,  /* ... */
	TSDL_ARROW,  /* -> */
	TSDL_MARK,   /* one of { } [ ] ( ) < > ; , = : . - + * */
};

#define TSDL_MAX_TOKEN 4096 /* bytes of a word or a string */

struct tsdl_lex {
	const char *p, *end;
	unsigned line;
	/* The current token. */
	enum tsdl_token token;
	char mark; /* of TSDL_MARK; else 0 */
	const char *text;
	size_t len;
	uint64_t value;
	unsigned at_line;
};

/* Borrows TEXT.  The first token is read by tsdl_next(). */
void tsdl_lex_init(struct tsdl_lex *l, const char *text, size_t len);

/* Read the next token.  -1 with E. */
int tsdl_next(struct tsdl_lex *l, struct err *e);

/* Is the current token the word WORD? */
bool tsdl_is(const struct tsdl_lex *l, const char *word);

/* "line N: MESSAGE", of the current token; returns -1. */
int tsdl_err(const struct tsdl_lex *l, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define tsdl_err(...) err_minus(tsdl_err(__VA_ARGS__))

/* The current token as a text for messages, into BUF, returned. */
const char *tsdl_shown(const struct tsdl_lex *l, char *buf, size_t size);

#endif
