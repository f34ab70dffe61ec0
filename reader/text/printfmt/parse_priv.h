/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_PARSE_PRIV_H
#define ZED_READER_TEXT_PRINTFMT_PARSE_PRIV_H

#include "reader/text/printfmt/lex.h"
#include "reader/text/printfmt/parse.h"

#include <string.h>

/*
 * What the three parts of the parser share: parse.c (the whole format), expression.c (operators and
 * values), helpers.c (__print_flags() and the like).  Each parser_ function that reads something
 * returns the token behind it, or T_ERROR once anything has gone wrong.
 */
struct parser_local {
	const char *name;
	const struct pf_node *value;
	const struct parser_local *next;
};

struct parser {
	const struct etype *type;
	struct lexer l;
	unsigned depth, ops, lacks;
	bool kernel;	  /* C's expressions and any function (grammar.c), not the library's */
	unsigned nlocals; /* so far */
	const struct parser_local *locals; /* of a block, "({ int x = ...; x; })" */
	const struct flag_table **tables;  /* where the next one is linked */
};

static inline enum tok parser_fail(struct parser *p, const char *why)
{
	return lex_fail(&p->l, why);
}

/* Is T, which was just read, the token WANT with this TEXT? */
static inline bool parser_is(const struct parser *p, enum tok t, enum tok want, const char *text)
{
	return t == want && !strcmp(p->l.text, text);
}

/* The next token, and the next that is not a newline. */
static inline enum tok parser_token(struct parser *p)
{
	return lex_any(&p->l);
}

static inline enum tok parser_item(struct parser *p)
{
	return lex_line(&p->l);
}

static inline struct pf_node *parser_node(struct parser *p)
{
	return arena_alloc(p->l.arena, sizeof(struct pf_node));
}

/* ---- expression.c ---- */

/* A, BETWEEN and B in one string of the arena. */
const char *parser_join(struct parser *p, const char *a, const char *between, const char *b);
/* One value, without the operators behind it. */
enum tok parser_arg(struct parser *p, struct pf_node *n);
/* The operator T, of which N is the left side so far: N becomes the tree of both. */
enum tok parser_op(struct parser *p, struct pf_node *n, enum tok t);
/* A value and the operators behind it. */
enum tok parser_expr(struct parser *p, struct pf_node *n);

/* ---- grammar.c ---- */

#define GRAMMAR_MAX_OPS 1024 /* binary operators of a format; the longest of 6.18 has 200 */

/* An expression of C, whose first token T has been read. */
enum tok grammar_expr(struct parser *p, struct pf_node *n, enum tok t);

/* ---- helpers.c ---- */

/* __print_flags() or __print_symbolic(), and sizeof(), whose "(" has been read. */
enum tok parser_flags(struct parser *p, struct pf_node *n, bool flags);
enum tok parser_sizeof(struct parser *p, struct pf_node *n);

/* The call of NAME, whose "(" has been read. */
enum tok parser_helper(struct parser *p, struct pf_node *n, const char *name);

#endif
