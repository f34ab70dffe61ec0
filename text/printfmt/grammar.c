// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expressions of a print format as the kernel's compiler reads them: C's operators, precedence and
 * casts, and calls of any function.
 */
#include "text/printfmt/parse_priv.h"

#include "base/ascii.h"
#include "base/ctype.h"
#include "trace/field.h"

#include <stdio.h>

#define MAX_LOCALS 8 /* of a format; each may deepen the trees of later ones */

/* Binary operators by precedence: higher binds tighter.  0: none. */
static int rank_of(const char *op)
{
	static const struct {
		const char *op;
		int rank;
	} ranks[] = {
		{ "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 },  { "&", 5 },	{ "==", 6 },
		{ "!=", 6 }, { "<", 7 },  { ">", 7 }, { "<=", 7 }, { ">=", 7 }, { "<<", 8 },
		{ ">>", 8 }, { "+", 9 },  { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 },
	};

	for (unsigned i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (!strcmp(op, ranks[i].op))
			return ranks[i].rank;
	return 0;
}

static void make_op(struct pf_node *n, const char *op, struct pf_node *a, struct pf_node *b)
{
	memset(n, 0, sizeof(*n));
	n->kind = PF_OP;
	snprintf(n->op, sizeof(n->op), "%s", op);
	n->a = a;
	n->b = b;
}

/* ---- casts ---- */

static bool type_word(const char *w)
{
	static const char *const parts[] = {
		"char",	  "short", "int",  "long",  "unsigned", "signed",
		"struct", "union", "enum", "const", "__force",	"__user",
	};
	size_t n = strlen(w);
	struct ctype t;

	if (n > 2 && !strcmp(w + n - 2, "_t"))
		return true;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(w, parts[i]))
			return true;
	return ctype_of_name(w, n, 8, &t);
}

/* Can T begin the operand of a cast to an unknown type of one word? */
static bool begins_operand(struct parser *p, enum tok t)
{
	return t == T_ITEM || t == T_STRING || t == T_CHAR || parser_is(p, t, T_DELIM, "(");
}

/*
 * After a "(": a type and its ")" are a cast, whose type is returned with *T the token after; else
 * NULL, and the parser has not moved.
 */
static const char *try_cast(struct parser *p, enum tok *t)
{
	struct lexer was = p->l;
	const char *type = NULL;
	bool known = false, stars = false;
	unsigned words = 0;

	for (*t = parser_token(p); *t == T_ITEM && words < MAX_TYPE_WORDS; *t = parser_token(p)) {
		const char *w = p->l.text;

		if (ascii_digit(*w) || !strcmp(w, "REC"))
			break;
		known |= type_word(w);
		type = words++ ? parser_join(p, type, " ", w) : w;
	}
	while (words && parser_is(p, *t, T_OP, "*")) {
		stars = true;
		type = parser_join(p, type, " ", "*");
		*t = parser_token(p);
	}
	if (words && parser_is(p, *t, T_DELIM, ")")) {
		*t = parser_token(p);
		if (known || stars || words > 1 || begins_operand(p, *t))
			return type;
	}
	p->l = was;
	*t = T_DELIM;
	return NULL;
}

/* ---- values ---- */

/* The string, or the letter in quotes, that has just been read as T. */
static enum tok quoted(struct parser *p, struct pf_node *n, enum tok t)
{
	char *number;

	if (t == T_STRING) {
		n->kind = PF_STRING;
		n->text = p->l.text;
	} else {
		number = arena_alloc(p->l.arena, 16);
		snprintf(number, 16, "%d", p->l.text[0]);
		n->kind = PF_ATOM;
		n->text = number;
	}
	return parser_token(p);
}

static enum tok unary(struct parser *p, struct pf_node *n, enum tok t);

static enum tok any_field(struct parser *p, struct pf_node *n)
{
	if (!parser_is(p, parser_token(p), T_OP, "->") || parser_token(p) != T_ITEM)
		return parser_fail(p, "REC without a field");
	n->kind = PF_FIELD;
	n->text = p->l.text;
	n->field = field_find(p->type, p->l.text);
	if (!n->field)
		return parser_fail(p, "a field that does not exist");
	return parser_token(p);
}

static enum tok call(struct parser *p, struct pf_node *n, const char *name)
{
	struct pf_node **next = &n->a;
	enum tok t;

	n->kind = PF_FUNC;
	n->text = name;
	t = parser_token(p);
	if (parser_is(p, t, T_DELIM, ")"))
		return parser_token(p);
	for (;;) {
		struct pf_node *arg = parser_node(p);

		t = grammar_expr(p, arg, t);
		*next = arg;
		next = &arg->next;
		if (!parser_is(p, t, T_DELIM, ","))
			break;
		t = parser_token(p);
	}
	if (!parser_is(p, t, T_DELIM, ")"))
		return parser_fail(p, "a call without its )");
	return parser_token(p);
}

static enum tok word(struct parser *p, struct pf_node *n)
{
	const char *w = p->l.text;
	enum tok t;

	if (!strcmp(w, "REC"))
		return any_field(p, n);
	t = parser_token(p);
	n->text = w;
	if (parser_is(p, t, T_DELIM, "(")) {
		if (!strcmp(w, "__print_flags") || !strcmp(w, "__print_flags_u64"))
			return parser_flags(p, n, true);
		if (!strcmp(w, "__print_symbolic") || !strcmp(w, "__print_symbolic_u64"))
			return parser_flags(p, n, false);
		if (!strcmp(w, "sizeof"))
			return parser_sizeof(p, n);
		return call(p, n, w);
	}
	for (const struct parser_local *l = p->locals; l; l = l->next) {
		if (!strcmp(l->name, w)) {
			*n = *l->value;
			return t;
		}
	}
	n->kind = PF_ATOM;
	return t;
}

/* "int x = VALUE;" at *T, which moves past it; false if not, and the parser has not moved. */
static bool declaration(struct parser *p, enum tok *t)
{
	struct parser_local *local;
	const char *type = NULL, *name = NULL;
	struct lexer was = p->l;
	struct pf_node *value;
	enum tok first = *t;

	for (unsigned words = 0; *t == T_ITEM && words <= MAX_TYPE_WORDS; words++) {
		if (name)
			type = type ? parser_join(p, type, " ", name) : name;
		name = p->l.text;
		*t = parser_token(p);
	}
	if (!type || !parser_is(p, *t, T_OP, "=")) {
		p->l = was;
		*t = first;
		return false;
	}
	value = parser_node(p);
	value->kind = PF_CAST;
	value->text = type;
	value->a = parser_node(p);
	*t = grammar_expr(p, value->a, parser_token(p));
	if (!parser_is(p, *t, T_OP, ";"))
		parser_fail(p, "a declaration without its end");
	if (++p->nlocals > MAX_LOCALS)
		parser_fail(p, "too many variables");
	local = arena_alloc(p->l.arena, sizeof(*local));
	*local = (struct parser_local){ .name = name, .value = value, .next = p->locals };
	p->locals = local;
	*t = parser_token(p);
	return true;
}

/* A statement expression, after its "({": the expansion of the kernel's min() and max(). */
static enum tok block(struct parser *p, struct pf_node *n)
{
	const struct parser_local *outside = p->locals;
	enum tok t = parser_token(p);

	while (!p->l.why && declaration(p, &t))
		;
	t = grammar_expr(p, n, t);
	if (!parser_is(p, t, T_OP, ";") || !parser_is(p, parser_token(p), T_OP, "}") ||
	    !parser_is(p, parser_token(p), T_DELIM, ")"))
		return parser_fail(p, "a block of statements");
	p->locals = outside;
	return parser_token(p);
}

static enum tok paren(struct parser *p, struct pf_node *n)
{
	enum tok t;
	const char *type = try_cast(p, &t);

	if (type) {
		n->kind = PF_CAST;
		n->text = type;
		n->a = parser_node(p);
		return unary(p, n->a, t);
	}
	t = parser_token(p);
	if (parser_is(p, t, T_OP, "{"))
		return block(p, n);
	if (parser_is(p, t, T_ITEM, "REC")) {
		struct lexer was = p->l;

		if (parser_is(p, parser_token(p), T_DELIM, ")"))
			return any_field(p, n);
		p->l = was;
		p->l.text = "REC";
	}
	t = grammar_expr(p, n, t);
	if (!parser_is(p, t, T_DELIM, ")"))
		return parser_fail(p, "a ( without its )");
	return parser_token(p);
}

static enum tok primary(struct parser *p, struct pf_node *n, enum tok t)
{
	switch (t) {
	case T_ITEM:
		return word(p, n);
	case T_STRING:
	case T_CHAR:
		return quoted(p, n, t);
	case T_DELIM:
		if (p->l.text[0] == '(')
			return paren(p, n);
		/* fall through */
	default:
		return parser_fail(p, "an argument that is missing");
	}
}

/* NODE[index]..., any number of indices. */
static enum tok postfix(struct parser *p, struct pf_node *n, enum tok t)
{
	unsigned most = PF_MAX_DEPTH;

	t = primary(p, n, t);
	while (parser_is(p, t, T_OP, "[") && most--) {
		struct pf_node *of = parser_node(p), *index = parser_node(p);

		t = grammar_expr(p, index, parser_token(p));
		if (!parser_is(p, t, T_OP, "]"))
			return parser_fail(p, "a [ without its ]");
		*of = *n;
		make_op(n, "[", of, index);
		t = parser_token(p);
	}
	return t;
}

static enum tok unary(struct parser *p, struct pf_node *n, enum tok t)
{
	struct pf_node *operand;
	char op[2] = "";

	if (++p->depth > PF_MAX_DEPTH)
		return parser_fail(p, "nesting too deep");
	if (t == T_OP && p->l.text[0] && !p->l.text[1] && strchr("+-!~*&", p->l.text[0])) {
		op[0] = p->l.text[0];
		operand = parser_node(p);
		t = unary(p, operand, parser_token(p));
		make_op(n, op, parser_node(p), operand);
	} else {
		t = postfix(p, n, t);
	}
	p->depth--;
	return p->l.why ? T_ERROR : t;
}

/* Binary operators of at least RANK. */
static enum tok binary(struct parser *p, struct pf_node *n, enum tok t, int least)
{
	if (++p->depth > PF_MAX_DEPTH)
		return parser_fail(p, "nesting too deep");
	t = unary(p, n, t);
	while (t == T_OP) {
		const char *op = p->l.text;
		int rank = rank_of(op);
		struct pf_node *left, *right;

		if (!rank || rank < least)
			break;
		/* A chain of operators makes a tree as deep as the chain is long. */
		if (++p->ops > GRAMMAR_MAX_OPS)
			return parser_fail(p, "too many operators");
		left = parser_node(p);
		right = parser_node(p);
		t = binary(p, right, parser_token(p), rank + 1);
		*left = *n;
		make_op(n, op, left, right);
	}
	p->depth--;
	return p->l.why ? T_ERROR : t;
}

enum tok grammar_expr(struct parser *p, struct pf_node *n, enum tok t)
{
	struct pf_node *cond, *colon;

	if (++p->depth > PF_MAX_DEPTH)
		return parser_fail(p, "nesting too deep");
	t = binary(p, n, t, 1);
	if (parser_is(p, t, T_OP, "?")) {
		cond = parser_node(p);
		colon = parser_node(p);
		*cond = *n;
		make_op(colon, ":", parser_node(p), parser_node(p));
		t = grammar_expr(p, colon->a, parser_token(p));
		if (!parser_is(p, t, T_OP, ":"))
			return parser_fail(p, "a ? without its :");
		t = grammar_expr(p, colon->b, parser_token(p));
		make_op(n, "?", cond, colon);
	}
	p->depth--;
	return p->l.why ? T_ERROR : t;
}
