// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What follows "print fmt:", the format string and its arguments.  grammar.c has the
 * expressions, flag_tables.c the tables of flags and names.
 */
#include "text/printfmt/printfmt_parse.h"

#include "text/printfmt/parse_priv.h"

#include <stdio.h>

#define MAX_STRINGS 64 /* that are joined to a format string */

const char *parser_join(struct parser *p, const char *a, const char *between, const char *b)
{
	size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
	char *text = arena_alloc(p->l.arena, n);

	snprintf(text, n, "%s%s%s", a, between, b);
	return text;
}

static int parse_args(struct parser *p, struct printfmt *pf)
{
	struct pf_node **next = &pf->args;
	enum tok t;

	do {
		struct pf_node *n = parser_node(p);

		t = grammar_expr(p, n, parser_token(p));
		if (p->l.why)
			return -1;
		*next = n;
		next = &n->next;
		if (t != T_END && !parser_is(p, t, T_DELIM, ","))
			return parser_fail(p, "unexpected text after an argument"), -1;
	} while (t != T_END);
	return 0;
}

/* Old ftrace formats have no arguments: these are the fields. */
static void fields_as_args(struct parser *p, struct printfmt *pf)
{
	const struct etype *t = p->type;
	struct pf_node **next = &pf->args;

	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		struct pf_node *n = parser_node(p);

		n->kind = PF_FIELD;
		n->field = &t->fields[i];
		n->text = n->field->name;
		*next = n;
		next = &n->next;
	}
}

static int parse_text(struct parser *p, struct printfmt *pf)
{
	enum tok t = parser_token(p);

	if (t != T_STRING)
		return parser_fail(p, "no format string"), -1;
	pf->text = p->l.text;
	while ((t = parser_token(p)) == T_STRING) {
		pf->text = parser_join(p, pf->text, "", p->l.text);
		if (p->l.tokens > MAX_STRINGS)
			return parser_fail(p, "too many strings"), -1;
	}
	if (p->l.why)
		return -1;
	if (t == T_END) {
		if (!strcmp(p->type->system, "ftrace"))
			fields_as_args(p, pf);
		return 0;
	}
	if (!parser_is(p, t, T_DELIM, ","))
		return parser_fail(p, "unexpected text after the format string"), -1;
	return parse_args(p, pf);
}

/* What could be parsed before error *WHY. */
static struct printfmt *parse_all(const struct etype *t, struct arena *a, const char **why)
{
	struct printfmt *pf = arena_alloc(a, sizeof(*pf));
	struct parser p = { .type = t, .tables = &pf->tables };

	*why = NULL;
	if (!t->print_len || t->print_len > PF_MAX_SIZE || memchr(t->print, 0, t->print_len)) {
		parser_fail(&p, t->print_len ? "too long a format" : "no format");
	} else {
		lex_init(&p.l, a, t->print, t->print_len);
		parse_text(&p, pf);
		lex_fini(&p.l);
	}
	*why = p.l.why;
	return pf;
}

struct printfmt *printfmt_parse(const struct etype *t, struct arena *a, const char **why)
{
	struct printfmt *pf = parse_all(t, a, why);

	return *why ? NULL : pf;
}

const struct flag_table *printfmt_tables(const struct etype *t, struct arena *a)
{
	const char *why;

	/* A format with an error still has the tables before it. */
	return parse_all(t, a, &why)->tables;
}

const struct pf_node *printfmt_args(const struct etype *t, struct arena *a)
{
	const char *why;

	return parse_all(t, a, &why)->args;
}

/* Is REC->F part of N? */
static bool has_field(const struct pf_node *n, const struct field *f)
{
	for (; n; n = n->next)
		if ((n->kind == PF_FIELD && n->field == f) || has_field(n->a, f) ||
		    has_field(n->b, f))
			return true;
	return false;
}

const struct flag_table *printfmt_table_for(const struct flag_table *t, const struct field *f,
					    bool flags)
{
	const struct flag_table *expr = NULL;
	unsigned n = 0;

	for (; t; t = t->next) {
		if (flags != (t->delim != NULL))
			continue;
		if (t->field == f)
			return t;
		if (!t->field && has_field(t->of, f)) {
			n++;
			expr = t;
		}
	}
	return n == 1 ? expr : NULL;
}
