// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse: the text of an expression as a tree of names, constants and operators.
 */
#include "expr/expr_priv.h"

#include "base/ascii.h"
#include "base/glob.h"
#include "expr/literal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

struct expr_parser {
	struct expr *x;
	const char *text;
	size_t pos, end; /* the next byte; the end of the last word read */
	unsigned depth;
	/* What is wrong, and where: reported if no alternative is left. */
	size_t bad_at;
	char bad[480];
};

/* Longer operators precede their prefixes; a word must not be followed by a letter. */
static const struct {
	const char *text;
	uint8_t op, level; /* a higher level binds more tightly */
} OPERATORS[] = {
	{ "<<", OP_SHL, 8 },   { ">>", OP_SHR, 8 },    { "<=", OP_LE, 7 },   { ">=", OP_GE, 7 },
	{ "==", OP_EQ, 6 },    { "!=", OP_NE, 6 },     { "&&", OP_BOTH, 2 }, { "||", OP_EITHER, 1 },
	{ "and", OP_BOTH, 2 }, { "or", OP_EITHER, 1 }, { "<", OP_LT, 7 },    { ">", OP_GT, 7 },
	{ "&", OP_AND, 5 },    { "^", OP_XOR, 4 },     { "|", OP_OR, 3 },    { "+", OP_ADD, 9 },
	{ "-", OP_SUB, 9 },    { "*", OP_MUL, 10 },    { "/", OP_DIV, 10 },  { "%", OP_MOD, 10 },
	{ "~", OP_GLOB, 6 },
};
#define LEVEL_NOT 2   /* what ! negates binds more tightly than this */
#define LEVEL_SIGN 10 /* the operand of - and ~, than this */
#define LEVEL_ANY 11

static const struct {
	const char *name;
	uint8_t op;
} FUNCTIONS[] = {
	{ "log2", OP_LOG2 },   { "symbol", OP_SYMBOL }, { "syscall", OP_SYSCALL },
	{ "errno", OP_ERRNO }, { "dev", OP_DEV },
};

__attribute__((format(printf, 3, 4))) static void *fail(struct expr_parser *p, size_t at,
							const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->bad, sizeof(p->bad), fmt, ap);
	va_end(ap);
	p->bad_at = at;
	return NULL;
}

/* ---- words ---- */

static char peek(struct expr_parser *p)
{
	while (ascii_space(p->text[p->pos]))
		p->pos++;
	return p->text[p->pos];
}

/* Take LEN bytes. */
static void take(struct expr_parser *p, size_t len)
{
	p->pos += len;
	p->end = p->pos;
}

static size_t word_len(const char *s)
{
	size_t len = 0;

	while (literal_is_word(s[len]))
		len++;
	return len;
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(s, word, len);
}

/* The index of the operator here, or COUNT(OPERATORS). */
static size_t operator_here(struct expr_parser *p)
{
	const char *s = (peek(p), p->text + p->pos);
	size_t i = 0, len;

	for (; i < COUNT(OPERATORS); i++) {
		if (*s != OPERATORS[i].text[0])
			continue;
		len = strlen(OPERATORS[i].text);
		if (!strncmp(s, OPERATORS[i].text, len) &&
		    !(literal_is_word(*s) && literal_is_word(s[len])))
			break;
	}
	return i;
}

/* What is here is not an operator, and not what was EXPECTED. */
static void *no_operator(struct expr_parser *p, const char *expected)
{
	static const char *const PERLS[] = { "eq ", "ne ", "lt ", "gt ", "le ", "ge " };
	const char *s = p->text + p->pos;

	for (size_t i = 0; i < COUNT(PERLS); i++)
		if (!strncmp(s, PERLS[i], 3))
			return fail(p, p->pos, "'%.2s' is Perl's; write ==, !=, <, <=, > or >=", s);
	if (!strncmp(s, "=~", 2))
		return fail(p, p->pos, "'=~' is Perl's; write ~ and a glob, comm ~ \"kw*\"");
	if (*s == '=')
		return fail(p, p->pos, "'=' is not a comparison; write ==");
	return fail(p, p->pos, "%s", expected);
}

/* ---- leaves ---- */

static struct expr_node *new_node(struct expr_parser *p, uint8_t op, size_t at,
				  const struct expr_node *a, const struct expr_node *b)
{
	struct expr_node *n;

	if (++p->x->n > EXPR_NODES)
		return fail(p, at, "more than %d names, constants and operators", EXPR_NODES);
	p->x->comparisons += op_compares(op);
	if (p->x->comparisons > EXPR_COMPARISONS)
		return fail(p, at, "more than %d comparisons", EXPR_COMPARISONS);
	n = arena_alloc(&p->x->arena, sizeof(*n));
	n->op = op;
	n->at = at;
	n->a = a;
	n->b = b;
	n->reads = (a ? a->reads : 0) | (b ? b->reads : 0);
	return n;
}

static struct expr_node *new_text(struct expr_parser *p, uint8_t op, size_t at, const char *s,
				  size_t len)
{
	struct expr_node *n = new_node(p, op, at, NULL, NULL);

	if (!n)
		return NULL;
	n->text = arena_strndup(&p->x->arena, s, len);
	n->len = len;
	return n;
}

static const struct expr_node *parse_number(struct expr_parser *p)
{
	const char *from = p->text + p->pos, *s = from;
	struct literal v;
	enum literal_end end = literal_number(&s, &v);
	struct expr_node *n;
	size_t len;

	switch (end) {
	case LITERAL_FRACTION:
		len = word_len(from);
		return fail(p, p->pos,
			    "invalid number '%.*s': expected an integer, or a time such as 1.5ms "
			    "that is a whole number of ns",
			    (int)(len + 1 + word_len(from + len + 1)), from);
	case LITERAL_BIG:
		return fail(p, p->pos, "number larger than 64 bits");
	case LITERAL_NONE:
		return fail(p, p->pos,
			    "invalid number '%.*s': expected 12, 0x1f, 017, or a time in ns, us, "
			    "ms or s",
			    (int)word_len(from), from);
	case LITERAL_OK:
		break;
	}
	n = new_node(p, OP_NUMBER, p->pos, NULL, NULL);
	if (!n)
		return NULL;
	n->num = v.num;
	n->is_time = v.is_time;
	n->is_bits = v.is_bits;
	take(p, s - from);
	return n;
}

static const struct expr_node *parse_string(struct expr_parser *p)
{
	const char *s = p->text + p->pos, *end = strchr(s + 1, *s);
	size_t at = p->pos;

	if (!end)
		return fail(p, at, "unterminated string");
	take(p, end + 1 - s);
	return new_text(p, OP_TEXT, at, s + 1, end - s - 1);
}

/* CPUS{0,2-5}, as kernels from 6.6 on write a set of CPUs; its brace is next. */
static const struct expr_node *parse_cpus(struct expr_parser *p, size_t at)
{
	size_t from = p->pos + 1, len = strcspn(p->text + from, "}"), bad = len;
	uint64_t bits[EXPR_CPUS / 64] = { 0 }, *kept;
	uint32_t words = EXPR_CPUS / 64;
	struct expr_node *n;

	if (!p->text[from + len] || cpulist_parse(p->text + from, len, bits, &bad) < 0)
		return fail(p, from + bad,
			    "invalid list of CPUs: expected 0,2-5, with numbers below %d",
			    EXPR_CPUS);
	take(p, len + 2);
	n = new_node(p, OP_CPUS, at, NULL, NULL);
	if (!n)
		return NULL;
	while (words && !bits[words - 1])
		words--;
	n->bits = kept = arena_alloc(&p->x->arena, (words + 1) * sizeof(*kept));
	memcpy(kept, bits, words * sizeof(*kept));
	n->len = words;
	return n;
}

/* ---- names ---- */

static const struct expr_node *parse_binary(struct expr_parser *p, unsigned level);

struct side_names {
	const char *const *v;
	unsigned i, n;
};

static const char *next_side(void *arg)
{
	struct side_names *n = arg;

	return n->i < n->n ? n->v[n->i++] : NULL;
}

static const char *next_function(void *arg)
{
	unsigned *i = arg;

	return *i < COUNT(FUNCTIONS) ? FUNCTIONS[(*i)++].name : NULL;
}

/* The part before the dot of a name.  -1: reported. */
static int find_side(struct expr_parser *p, const char *name, size_t at, bool dot)
{
	struct side_names all = { p->x->sides, 0, EXPR_SIDES };
	const char *near;

	if (!p->x->sides[0]) {
		if (dot)
			fail(p, at,
			     "'%.60s.': there is only one event here; write the name of the field "
			     "alone",
			     name);
		return dot ? -1 : 0;
	}
	for (int i = 0; dot && i < EXPR_SIDES; i++)
		if (!strcmp(name, p->x->sides[i]))
			return i;
	near = dot ? nearest_name(name, next_side, &all) : NULL;
	if (dot)
		fail(p, at, "no event is called '%.60s'%s%s%s: there are %s and %s", name,
		     near ? "; did you mean '" : "", near ? near : "", near ? "'" : "",
		     p->x->sides[0], p->x->sides[1]);
	else
		fail(p, at, "'%.60s' may be of either event: write %s.%.60s or %s.%.60s", name,
		     p->x->sides[0], name, p->x->sides[1], name);
	return -1;
}

static const struct expr_node *parse_name(struct expr_parser *p, size_t at, const char *word)
{
	bool dot = p->text[p->pos] == '.';
	int side = find_side(p, word, at, dot);
	struct expr_node *n;
	size_t len;

	if (side < 0)
		return NULL;
	if (dot) {
		take(p, 1);
		len = word_len(p->text + p->pos);
		if (!len)
			return fail(p, p->pos, "expected the name of a field after '%s.'", word);
		word = arena_strndup(&p->x->arena, p->text + p->pos, len);
		take(p, len);
	}
	n = new_node(p, OP_NAME, at, NULL, NULL);
	if (!n)
		return NULL;
	n->side = side;
	n->reads = 1u << side;
	n->text = word;
	n->len = strlen(word);
	for (const struct expr_node *m = p->x->names; m && !n->is_again; m = m->next_name)
		n->is_again = m->side == side && !strcmp(m->text, word);
	n->next_name = p->x->names;
	p->x->names = n;
	return n;
}

static const struct expr_node *parse_function(struct expr_parser *p, size_t at, const char *word)
{
	const struct expr_node *a;
	unsigned i = 0, next = 0;
	const char *near;

	while (i < COUNT(FUNCTIONS) && strcmp(FUNCTIONS[i].name, word))
		i++;
	if (i == COUNT(FUNCTIONS)) {
		near = nearest_name(word, next_function, &next);
		return fail(p, at,
			    "no function '%.60s'%s%s%s: there are log2, symbol, syscall, errno and "
			    "dev",
			    word, near ? "; did you mean '" : "", near ? near : "",
			    near ? "'" : "");
	}
	take(p, 1);
	a = parse_binary(p, 0);
	if (!a)
		return NULL;
	if (peek(p) != ')')
		return fail(p, p->pos, "expected ')' after the argument of %s()", word);
	take(p, 1);
	return new_node(p, FUNCTIONS[i].op, at, a, NULL);
}

/* ---- operands ---- */

static const struct expr_node *parse_bracket(struct expr_parser *p)
{
	size_t at = p->pos;
	const struct expr_node *n;

	take(p, 1);
	n = parse_binary(p, 0);
	if (!n)
		return NULL;
	if (peek(p) != ')')
		return p->text[p->pos] ? no_operator(p, "expected an operator or ')'") :
					 fail(p, at, "missing ')' for this '('");
	take(p, 1);
	return n;
}

static const struct expr_node *parse_unary(struct expr_parser *p, unsigned level);

/* A sign or "not" of LEN bytes; its operand binds more tightly than LEVEL. */
static const struct expr_node *parse_sign(struct expr_parser *p, uint8_t op, size_t len,
					  unsigned level)
{
	size_t at = p->pos;
	const struct expr_node *a;

	take(p, len);
	a = level == LEVEL_SIGN ? parse_unary(p, level) : parse_binary(p, level);
	return a ? new_node(p, op, at, a, NULL) : NULL;
}

static const struct expr_node *parse_not(struct expr_parser *p, size_t len, unsigned level)
{
	if (level > LEVEL_NOT)
		return fail(p, p->pos, "'%.*s' negates a whole comparison: write (%.*s%s...) here",
			    (int)len, p->text + p->pos, (int)len, p->text + p->pos,
			    len > 1 ? " " : "");
	return parse_sign(p, OP_NOT, len, LEVEL_NOT);
}

static void *no_operand(struct expr_parser *p)
{
	return fail(p, p->pos,
		    p->text[p->pos] ? "expected a field, a number, a string or '('" :
				      "expected a value, found the end of the expression");
}

static const struct expr_node *parse_word(struct expr_parser *p, unsigned level)
{
	size_t at = p->pos, len = word_len(p->text + at);
	const char *s = p->text + at, *word;

	if (is_word(s, len, "not"))
		return parse_not(p, len, level);
	if (!len || is_word(s, len, "and") || is_word(s, len, "or"))
		return no_operand(p);
	take(p, len);
	if (is_word(s, len, "CPUS") && s[len] == '{')
		return parse_cpus(p, at);
	word = arena_strndup(&p->x->arena, s, len);
	return s[len] == '(' ? parse_function(p, at, word) : parse_name(p, at, word);
}

/* An operand of an operator of LEVEL. */
static const struct expr_node *parse_operand(struct expr_parser *p, unsigned level)
{
	char c = peek(p);

	switch (c) {
	case '-':
		return parse_sign(p, OP_NEG, 1, LEVEL_SIGN);
	case '~':
		return parse_sign(p, OP_INVERT, 1, LEVEL_SIGN);
	case '!':
		return parse_not(p, 1, level);
	case '+':
		take(p, 1);
		c = peek(p);
		return ascii_digit(c) ? parse_number(p) : no_operand(p);
	case '(':
		return parse_bracket(p);
	case '"':
	case '\'':
		return parse_string(p);
	default:
		if (ascii_digit(c) || (c == '.' && ascii_digit(p->text[p->pos + 1])))
			return parse_number(p);
		return parse_word(p, level);
	}
}

static const struct expr_node *parse_unary(struct expr_parser *p, unsigned level)
{
	const struct expr_node *n;

	if (p->depth >= EXPR_DEPTH)
		return fail(p, p->pos, "nested deeper than %d", EXPR_DEPTH);
	p->depth++;
	n = parse_operand(p, level);
	p->depth--;
	return n;
}

/* ---- bare words ---- */

/* Can a bare word follow A and operator OP? */
static bool takes_word(const struct expr_node *a, uint8_t op)
{
	return (op == OP_EQ || op == OP_NE || op == OP_GLOB) &&
	       (a->op == OP_NAME || (a->op >= OP_SYMBOL && a->op <= OP_DEV));
}

/*
 * Try the expression here, which begins with a word of LEN bytes.  NULL: it is invalid; P->end says
 * whether more than the word was read.
 */
static const struct expr_node *try_word(struct expr_parser *p, size_t len, unsigned level)
{
	size_t at = p->pos;
	const struct expr_node *n = parse_binary(p, level);

	if (n && p->end < at + len)
		return fail(p, at,
			    "'%.*s' is not a number; write an expression with blanks, or in "
			    "parentheses",
			    (int)(len < 40 ? len : 40), p->text + at);
	return n;
}

/*
 * The operand after OP.  "kworker/0:1" and "a-b*" are words, "b + 1" is an expression, and
 * ambiguous ones ("next_comm", "12") are kept as both: the types bound later decide.
 */
static const struct expr_node *parse_right(struct expr_parser *p, uint8_t op, unsigned level)
{
	size_t at = (peek(p), p->pos), len = strcspn(p->text + at, " \t\r\n\v\f()&|\"'");
	unsigned n = p->x->n, comparisons = p->x->comparisons, depth = p->depth;
	const struct expr_node *names = p->x->names, *a = NULL;
	struct expr_node *word;

	if (!len || is_word(p->text + at, len, "and") || is_word(p->text + at, len, "or"))
		return parse_binary(p, level);
	if (op != OP_GLOB) {
		a = try_word(p, len, level);
		if (p->end > at + len)
			return a;
	}
	if (!a) {
		p->x->n = n;
		p->x->comparisons = comparisons;
		p->x->names = names;
		p->depth = depth;
		p->pos = at;
		take(p, len);
	}
	word = new_text(p, OP_WORD, at, p->text + at, len);
	if (!word)
		return NULL;
	word->a = a;
	word->reads = a ? a->reads : 0;
	if (!a && op != OP_GLOB) {
		word->why = arena_strndup(&p->x->arena, p->bad, strlen(p->bad));
		word->why_at = p->bad_at;
	}
	return word;
}

/* ---- operators ---- */

static bool is_zero(const struct expr_node *n)
{
	return n->op == OP_NUMBER && !n->num;
}

/* Operators of more than LEVEL, from left to right. */
static const struct expr_node *parse_binary(struct expr_parser *p, unsigned level)
{
	const struct expr_node *a = parse_unary(p, level), *b;
	unsigned last = LEVEL_ANY, here;
	size_t i, at;
	uint8_t op;

	/* An operator after a bare word may bind more tightly than the one before it. */
	while (a && (i = operator_here(p)) < COUNT(OPERATORS) &&
	       (here = OPERATORS[i].level) > level && here <= last) {
		at = p->pos;
		op = OPERATORS[i].op;
		take(p, strlen(OPERATORS[i].text));
		b = takes_word(a, op) ? parse_right(p, op, here) : parse_binary(p, here);
		if (b && is_zero(b) && (op == OP_DIV || op == OP_MOD))
			return fail(p, b->at,
				    "division by the constant 0, which gives 0 for every event");
		a = b ? new_node(p, op, at, a, b) : NULL;
		last = here;
	}
	return a;
}

static const struct expr_node *parse_all(struct expr_parser *p)
{
	const struct expr_node *n = parse_binary(p, 0);
	char c = n ? peek(p) : 0;

	if (!c)
		return n;
	if (c == ')')
		return fail(p, p->pos, "unmatched ')'");
	if (c == ',')
		return fail(p, p->pos, "write several formulas as a list: ['a', 'b']");
	return no_operator(p, "expected an operator");
}

struct expr *expr_parse(const char *text, size_t from, const char *const *sides, struct err *e)
{
	struct expr_parser p = { .pos = from, .end = from };
	struct expr *x;

	if (strlen(text) > EXPR_TEXT) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "expression longer than %d bytes", EXPR_TEXT);
		return NULL;
	}
	x = mem_zalloc(sizeof(*x));
	x->text = mem_strdup(text);
	for (unsigned i = 0; sides && i < EXPR_SIDES; i++)
		x->sides[i] = sides[i];
	p.x = x;
	p.text = x->text;
	x->top = parse_all(&p);
	if (x->top)
		return x;
	expr_complain(e, text, p.bad_at, "%s", p.bad);
	expr_free(x);
	return NULL;
}
