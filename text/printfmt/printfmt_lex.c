// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words, strings and operators of a print format.
 */
#include "text/printfmt/printfmt_lex.h"

#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 32768 /* of a format */

void lex_init(struct lexer *l, struct arena *a, const char *text, size_t len)
{
	*l = (struct lexer){ .arena = a, .p = text, .end = text + len, .buf = mem_alloc(len + 1) };
}

void lex_fini(struct lexer *l)
{
	free(l->buf);
}

enum tok lex_fail(struct lexer *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return T_ERROR;
}

/* A string up to QUOTE, joined with those that follow it if it is a double quote. */
static enum tok lex_string(struct lexer *p, char quote)
{
	char *out = p->buf, last = quote;

	for (;;) {
		const char *q;

		for (;; p->p++) {
			char c;

			if (p->p == p->end)
				return lex_fail(p, "a string without its end");
			c = *p->p;
			if (c == quote && last != '\\')
				break;
			if (c != '\n' && c != '\t' && !ascii_print(c))
				return lex_fail(p, "a string with unprintable bytes");
			*out++ = c;
			last = c == '\\' && last == '\\' ? 0 : c;
		}
		p->p++;
		if (quote != '"')
			break;
		for (q = p->p; q < p->end && ascii_space(*q); q++)
			;
		if (q == p->end || *q != '"')
			break;
		p->p = q + 1;
		last = quote;
	}
	p->text = arena_strndup(p->arena, p->buf, out - p->buf);
	return quote == '"' ? T_STRING : T_CHAR;
}

static enum tok lex_op(struct lexer *p)
{
	const char *s = p->p++;
	size_t left = p->end - s, n = 1;
	char c = *s, next = left > 1 ? s[1] : 0;

	switch (c) {
	case '-':
		if (next == '>') {
			n = 2;
			break;
		}
		/* fall through */
	case '+':
	case '|':
	case '&':
	case '<':
	case '>':
		if (next == c) {
			n = 2;
			if ((c == '<' || c == '>') && left > 2 && s[2] == '=')
				n = 3;
		} else if (next == '=') {
			n = 2;
		}
		break;
	case '!':
	case '=':
		n = next == '=' ? 2 : 1;
		break;
	}
	p->p = s + n;
	p->text = arena_strndup(p->arena, s, n);
	return T_OP;
}

/* Macros that old mac80211 formats contain unexpanded, and their expansions. */
static const char *macro_word(const char *word)
{
	if (!strcmp(word, "LOCAL_PR_FMT"))
		return "%s";
	if (!strcmp(word, "STA_PR_FMT"))
		return " sta:%pM";
	if (!strcmp(word, "VIF_PR_FMT"))
		return " vif:%p(%d)";
	return NULL;
}

enum tok lex_next(struct lexer *p)
{
	const char *s, *macro;
	char c;

	if (p->why)
		return T_ERROR;
	p->text = "";
	while (p->p < p->end && ascii_space(*p->p))
		p->p++;
	if (p->p == p->end)
		return T_END;
	if (++p->tokens > MAX_TOKENS)
		return lex_fail(p, "too many words");
	s = p->p;
	c = *s;
	if (c == '"' || c == '\'') {
		p->p++;
		return lex_string(p, c);
	}
	if (c == '(' || c == ')' || c == ',') {
		p->p++;
		p->text = c == '(' ? "(" : c == ')' ? ")" : ",";
		return T_DELIM;
	}
	if (ascii_word(c)) {
		while (p->p < p->end && ascii_word(*p->p))
			p->p++;
		p->text = arena_strndup(p->arena, s, p->p - s);
		macro = macro_word(p->text);
		if (!macro)
			return T_ITEM;
		p->text = macro;
		return T_STRING;
	}
	if (!ascii_print(c))
		return lex_fail(p, "unprintable bytes");
	return lex_op(p);
}
