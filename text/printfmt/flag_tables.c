// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The calls of a print format that do not look like functions: __print_flags() and
 * __print_symbolic() with their tables, and sizeof() of types.
 */
#include "text/printfmt/constant.h"
#include "text/printfmt/parse_priv.h"

#include "base/ctype.h"
#include "trace/field.h"
#include "trace/machine.h"

#include <stdio.h>
#include <stdlib.h>

/* "{ value, "name" }", whose "{" has been read; *END: it is the empty entry that ends a table. */
static enum tok entry(struct parser *p, struct flag_name *e, bool *end)
{
	struct pf_node *value = parser_node(p), *name = parser_node(p);
	enum tok t = parser_token(p);

	*end = parser_is(p, t, T_OP, "}");
	if (*end)
		return parser_token(p);
	t = grammar_expr(p, value, t);
	if (!parser_is(p, t, T_DELIM, ","))
		return parser_fail(p, "a table entry without its name");
	t = grammar_expr(p, name, parser_token(p));
	/* Some tables end with a "(void *)0". */
	while (name->kind == PF_CAST)
		name = name->a;
	if (!parser_is(p, t, T_OP, "}") || (name->kind != PF_STRING && name->kind != PF_ATOM))
		return parser_fail(p, "a table entry without its }");
	e->tree = value;
	e->name = name->text;
	e->known = constant_value(value, &e->value);
	if (!e->known)
		e->value = 0;
	return parser_token(p);
}

/* The entries up to the closing parenthesis. */
static enum tok table(struct parser *p, struct pf_node *n, const char *delim)
{
	struct flag_table *table = arena_alloc(p->l.arena, sizeof(*table));
	struct flag_name *names = NULL, *kept;
	const struct pf_node *f = n->a;
	bool end = false;
	size_t cap = 0;
	enum tok t;

	do {
		t = parser_token(p);
		if (!parser_is(p, t, T_OP, "{"))
			break;
		names = mem_grow(names, &cap, table->n + 1, sizeof(*names));
		t = entry(p, &names[table->n], &end);
		table->n += !end && t != T_ERROR;
	} while (!end && parser_is(p, t, T_DELIM, ","));
	kept = arena_alloc(p->l.arena, (table->n + 1) * sizeof(*names));
	if (names)
		memcpy(kept, names, table->n * sizeof(*names));
	table->names = kept;
	free(names);
	if (p->l.why)
		return T_ERROR;
	if (!parser_is(p, t, T_DELIM, ")"))
		return parser_fail(p, "a table without its end");
	while (f->kind == PF_CAST)
		f = f->a;
	table->of = f;
	table->field = f->kind == PF_FIELD ? f->field : NULL;
	table->delim = delim;
	n->table = table;
	*p->tables = table;
	p->tables = (const struct flag_table **)&table->next;
	return parser_token(p);
}

enum tok parser_flags(struct parser *p, struct pf_node *n, bool flags)
{
	const char *delim = flags ? "" : NULL;
	enum tok t;

	n->kind = flags ? PF_FLAGS : PF_SYMBOLIC;
	n->a = parser_node(p);
	t = grammar_expr(p, n->a, parser_token(p));
	if (!parser_is(p, t, T_DELIM, ","))
		return parser_fail(p, "a table without its value");
	if (flags) {
		t = parser_token(p);
		if (t == T_ITEM || t == T_STRING || t == T_CHAR) {
			delim = p->l.text;
			t = parser_token(p);
		}
		if (!parser_is(p, t, T_DELIM, ","))
			return parser_fail(p, "a table without its delimiter");
	}
	return table(p, n, delim);
}

/* The operand of sizeof(), from its first token T on; 0: its size is unknown. */
static unsigned size_of(struct parser *p, enum tok *t)
{
	unsigned long_size = p->type->machine ? p->type->machine->long_size : 8;
	bool known = true, pointer;
	const struct field *f;
	const char *words = "";
	struct ctype type;

	if (parser_is(p, *t, T_ITEM, "REC")) {
		if (!parser_is(p, parser_token(p), T_OP, "->") || parser_token(p) != T_ITEM)
			return 0;
		f = field_find(p->type, p->l.text);
		*t = parser_token(p);
		return f && !f->dim ? f->size : 0;
	}
	for (unsigned n = 0; n < MAX_TYPE_WORDS && *t == T_ITEM; n++, *t = parser_token(p))
		words = parser_join(p, words, *words ? " " : "", p->l.text);
	if (parser_is(p, *t, T_OP, "*")) {
		*t = parser_token(p);
		return *words ? long_size : 0;
	}
	type = ctype_of_words(words, long_size, &known, &pointer);
	return known ? type.size : 0;
}

enum tok parser_sizeof(struct parser *p, struct pf_node *n)
{
	enum tok t = parser_token(p);
	unsigned size = size_of(p, &t);
	char *text;

	if (!size)
		return parser_fail(p, "sizeof() of what has no size");
	if (!parser_is(p, t, T_DELIM, ")"))
		return parser_fail(p, "sizeof() without its end");
	text = arena_alloc(p->l.arena, 16);
	snprintf(text, 16, "%u", size);
	n->kind = PF_ATOM;
	n->text = text;
	return parser_token(p);
}
