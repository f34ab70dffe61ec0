/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_PARSE_PRIV_H
#define ZED_TEXT_PRINTFMT_PARSE_PRIV_H

#include "text/printfmt/printfmt_lex.h"
#include "text/printfmt/printfmt_parse.h"

#include <string.h>

/*
 * Shared by the parts of the parser: printfmt_parse.c (the whole format), grammar.c (expressions),
 * flag_tables.c (__print_flags() and the like).  Each function that reads something returns the
 * token after it, or T_ERROR after any error.
 */
struct parser_local {
	const char *name;
	const struct pf_node *value;
	const struct parser_local *next;
};

struct parser {
	const struct etype *type;
	struct lexer l;
	unsigned depth, ops, nlocals;	   /* so far */
	const struct parser_local *locals; /* of a block, "({ int x = ...; x; })" */
	const struct flag_table **tables;  /* where to link the next one */
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

static inline enum tok parser_token(struct parser *p)
{
	return lex_next(&p->l);
}

static inline struct pf_node *parser_node(struct parser *p)
{
	return arena_alloc(p->l.arena, sizeof(struct pf_node));
}

/* A, BETWEEN and B in one string of the arena. */
const char *parser_join(struct parser *p, const char *a, const char *between, const char *b);

#define MAX_TYPE_WORDS 8 /* of a cast or of sizeof() */

/* ---- grammar.c ---- */

#define GRAMMAR_MAX_OPS 1024 /* binary operators of a format; the longest of 6.18 has 200 */

/* An expression of C, whose first token T has been read. */
enum tok grammar_expr(struct parser *p, struct pf_node *n, enum tok t);

/* ---- flag_tables.c ---- */

/* __print_flags() or __print_symbolic(), and sizeof(), whose "(" has been read. */
enum tok parser_flags(struct parser *p, struct pf_node *n, bool flags);
enum tok parser_sizeof(struct parser *p, struct pf_node *n);

#endif
