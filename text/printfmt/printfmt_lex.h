/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_PRINTFMT_LEX_H
#define ZED_TEXT_PRINTFMT_PRINTFMT_LEX_H

#include "base/mem.h"

#include <stdbool.h>

/* The words of a print format. */
enum tok {
	T_ERROR,
	T_END,
	T_OP,	  /* an operator, of one to three bytes */
	T_DELIM,  /* ( ) , */
	T_ITEM,	  /* a name or a number */
	T_STRING, /* "...": adjacent strings are joined; escapes are kept */
	T_CHAR,	  /* '...' */
};

struct lexer {
	struct arena *arena;
	const char *p, *end;
	char *buf;	  /* as long as the whole text, for joining strings */
	const char *text; /* of the token, NUL-terminated, in the arena */
	unsigned tokens;  /* so far */
	const char *why;  /* the first error; from then on every token is T_ERROR */
};

/* Begin with the LEN bytes at TEXT (borrowed until lex_fini()); tokens go to A. */
void lex_init(struct lexer *l, struct arena *a, const char *text, size_t len);
void lex_fini(struct lexer *l);

/* The next token. */
enum tok lex_next(struct lexer *l);

/* Note WHY unless there was an earlier error.  Returns T_ERROR. */
enum tok lex_fail(struct lexer *l, const char *why);

#endif
