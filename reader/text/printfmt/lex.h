/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_LEX_H
#define ZED_READER_TEXT_PRINTFMT_LEX_H

#include "base/mem.h"

#include <stdbool.h>

/* The words of a print format; for the parser only. */
enum tok { T_ERROR, T_END, T_NEWLINE, T_OP, T_DELIM, T_ITEM, T_STRING, T_CHAR };

struct lexer {
	struct arena *arena;
	const char *p, *end;
	char *buf;	  /* as long as the whole text: a string is put together here */
	const char *text; /* of the token, NUL-terminated, in the arena */
	unsigned tokens;
	const char *why; /* the first error; from then on every token is T_ERROR */
};

/* The next token; lex_any() gives newlines, lex_line() skips them. */
enum tok lex_any(struct lexer *l);
enum tok lex_line(struct lexer *l);

/* Note WHY unless something was wrong before.  Returns T_ERROR. */
enum tok lex_fail(struct lexer *l, const char *why);

#endif
