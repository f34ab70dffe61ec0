// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expression: operators, parentheses, fields and words of a print format's argument.  The trees
 * have libtraceevent's shape, which groups operators in a way of its own; what its parser would
 * die of, deep nesting and fields that do not exist, is refused.
 */
#include "reader/text/printfmt/parse_priv.h"

#include "reader/model/field.h"

#include <stdio.h>

#define MAX_WORDS 16 /* words of one atom: "unsigned long long" */
#define MAX_OPS 512  /* operators in a row; the library recurses for each */

const char *parser_join(struct parser *p, const char *a, const char *between, const char *b)
{
	size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
	char *text = arena_alloc(p->l.arena, n);

	snprintf(text, n, "%s%s%s", a, between, b);
	return text;
}

static void set_op(struct pf_node *n, const char *op)
{
	n->kind = PF_OP;
	snprintf(n->op, sizeof(n->op), "%s", op);
}

/*
 * The library's precedences: the greater, the nearer to the root.  -1: not an operator that may
 * follow a value.
 */
static int rank(const char *op)
{
	static const struct {
		const char *op;
		int rank;
	} ranks[] = {
		{ "++", 3 }, { "--", 3 }, { "~", 4 },	{ "!", 4 },   { "*", 6 },   { "/", 6 },
		{ "%", 6 },  { "+", 7 },  { "-", 7 },	{ ">>", 8 },  { "<<", 8 },  { "<", 9 },
		{ ">", 9 },  { "<=", 9 }, { ">=", 9 },	{ "==", 10 }, { "!=", 10 }, { "&", 11 },
		{ "^", 12 }, { "|", 13 }, { "&&", 14 }, { "||", 15 }, { "?", 16 },
	};

	for (unsigned i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (!strcmp(op, ranks[i].op))
			return ranks[i].rank;
	return -1;
}

/* One value, whose first token T has been read, without the operators behind it. */
static enum tok parse_value(struct parser *p, struct pf_node *n, enum tok t);

enum tok parser_arg(struct parser *p, struct pf_node *n)
{
	return parse_value(p, n, parser_token(p));
}

enum tok parser_expr(struct parser *p, struct pf_node *n)
{
	enum tok t = parser_arg(p, n);

	return t == T_OP && !p->kernel ? parser_op(p, n, t) : t;
}

static enum tok parse_cond(struct parser *p, struct pf_node *top)
{
	struct pf_node *colon = parser_node(p), *left = parser_node(p), *right = parser_node(p);
	enum tok t = parser_arg(p, left);

	while (t == T_OP && strcmp(p->l.text, ":"))
		t = parser_op(p, left, t);
	if (!parser_is(p, t, T_OP, ":"))
		return parser_fail(p, "a ? without its :");
	set_op(colon, ":");
	colon->a = left;
	colon->b = right;
	t = parser_arg(p, right);
	top->b = colon;
	return t;
}

static bool binary(const char *op)
{
	return rank(op) >= 6 && strcmp(op, "?");
}

/* The current operator: N is its left side, or holds it if it is unary. */
static enum tok parse_op_here(struct parser *p, struct pf_node *n)
{
	struct pf_node *left = parser_node(p), *right = NULL;
	const char *op = p->l.text;
	int prio;
	enum tok t;

	if (n->kind == PF_OP && !n->a) {
		if (op[1] || !strchr("~!+-", op[0]))
			return parser_fail(p, "an operator where a value should be");
		n->a = left;
		n->b = right = parser_node(p);
		t = parser_arg(p, right);
	} else if (!strcmp(op, "?")) {
		*left = *n;
		set_op(n, "?");
		n->a = left;
		n->b = NULL;
		n->prio = 0;
		t = parse_cond(p, n);
	} else if (binary(op)) {
		*left = *n;
		set_op(n, op);
		n->a = left;
		n->b = NULL;
		n->prio = left->kind == PF_NONE ? 0 : rank(op);
		t = parser_item(p);
		if (!strcmp(op, "*") && parser_is(p, t, T_DELIM, ")")) {
			/* "struct x *)": a type, not a product. */
			if (left->kind != PF_ATOM)
				return parser_fail(p, "a pointer to something that is no type");
			*n = *left;
			n->text = parser_join(p, left->text, " ", "*");
			return t;
		}
		right = parser_node(p);
		t = parse_value(p, right, t);
		if (t == T_ERROR)
			return t;
		if (right->kind == PF_OP && rank(n->op) < rank(right->op)) {
			struct pf_node tmp;

			n->b = right->a;
			tmp = *n;
			*n = *right;
			*right = tmp;
			n->a = right;
		} else {
			n->b = right;
		}
	} else if (!strcmp(op, "[")) {
		struct pf_node *index = parser_node(p);

		*left = *n;
		set_op(n, "[");
		n->a = left;
		n->prio = 0;
		t = parser_arg(p, index);
		if (!parser_is(p, t, T_OP, "]"))
			return parser_fail(p, "a [ without its ]");
		n->b = index;
		t = parser_item(p);
	} else {
		return parser_fail(p, "an unknown operator");
	}
	if (t != T_OP || !strcmp(p->l.text, ":"))
		return t;
	prio = rank(p->l.text);
	if (prio < 0)
		return parser_fail(p, "an operator that cannot stand there");
	if (prio > n->prio || !right)
		return parser_op(p, n, t);
	return parser_op(p, right, t);
}

enum tok parser_op(struct parser *p, struct pf_node *n, enum tok t)
{
	if (p->kernel)
		return parser_fail(p, "an operator that cannot stand there");
	if (++p->ops > MAX_OPS)
		return parser_fail(p, "too many operators in a row");
	t = parse_op_here(p, n);
	p->ops--;
	return t;
}

/* Behind "REC": "->name", or ")->name" in "(REC)->name". */
static enum tok parse_entry(struct parser *p, struct pf_node *n)
{
	enum tok t = parser_item(p);

	if (parser_is(p, t, T_DELIM, ")"))
		return T_ITEM;
	if (!parser_is(p, t, T_OP, "->") || parser_token(p) != T_ITEM)
		return parser_fail(p, "REC without a field");
	n->kind = PF_FIELD;
	n->text = p->l.text;
	n->field = field_find(p->type, p->l.text);
	/* The library dies of these inside of __print_flags. */
	if (!n->field)
		return parser_fail(p, "a field that does not exist");
	return parser_token(p);
}

static enum tok parse_paren(struct parser *p, struct pf_node *n)
{
	enum tok t = parser_expr(p, n);

	if (parser_is(p, t, T_ITEM, ")"))
		return parse_entry(p, n);
	if (!parser_is(p, t, T_DELIM, ")"))
		return parser_fail(p, "a ( without its )");
	t = parser_item(p);
	if (t == T_ITEM || t == T_STRING || t == T_CHAR || parser_is(p, t, T_DELIM, "(")) {
		struct pf_node *item = parser_node(p);

		if (n->kind != PF_ATOM && n->kind != PF_STRING)
			return parser_fail(p, "a cast to something that is no type");
		n->kind = PF_CAST;
		n->a = item;
		t = parse_value(p, item, t);
	}
	return t;
}

static enum tok parse_word(struct parser *p, struct pf_node *n)
{
	const char *word = p->l.text;
	unsigned words = 1;
	enum tok t;

	if (!strcmp(word, "REC"))
		return parse_entry(p, n);
	t = parser_item(p);
	if (parser_is(p, t, T_DELIM, "("))
		return parser_helper(p, n, word);
	for (; t == T_ITEM; t = parser_item(p)) {
		if (++words > MAX_WORDS)
			return parser_fail(p, "too many words in a row");
		word = parser_join(p, word, " ", p->l.text);
	}
	n->kind = PF_ATOM;
	n->text = word;
	return t;
}

static enum tok parse_value_here(struct parser *p, struct pf_node *n, enum tok t)
{
	char *number;

	switch (t) {
	case T_ITEM:
		return parse_word(p, n);
	case T_STRING:
		n->kind = PF_STRING;
		n->text = p->l.text;
		return parser_item(p);
	case T_CHAR:
		number = arena_alloc(p->l.arena, 16);
		snprintf(number, 16, "%d", p->l.text[0]);
		n->kind = PF_ATOM;
		n->letter = true;
		n->text = number;
		return parser_item(p);
	case T_DELIM:
		if (p->l.text[0] == '(')
			return parse_paren(p, n);
		/* fall through */
	case T_OP:
		set_op(n, p->l.text);
		n->a = NULL;
		return parser_op(p, n, t);
	default:
		return parser_fail(p, "an argument that is missing");
	}
}

static enum tok parse_value(struct parser *p, struct pf_node *n, enum tok t)
{
	if (p->l.why)
		return T_ERROR;
	if (p->kernel)
		return grammar_expr(p, n, t);
	if (++p->depth > PF_MAX_DEPTH + p->ops)
		return parser_fail(p, "nesting too deep");
	t = parse_value_here(p, n, t);
	p->depth--;
	return t;
}
