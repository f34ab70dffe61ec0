// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse: the text of a formula as a tree of names, numbers and operators.  It has words of its own:
 * in a filter (reader/filter/expr) whatever stands behind a comparison is a value, "a-b*" too,
 * which here is arithmetic.
 */
#include "reader/formula/formula_priv.h"

#include "base/glob.h"
#include "reader/filter/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

struct parser {
	struct formula_text *x;
	const char *text;
	size_t pos;
	unsigned depth;
	struct err *e;
};

/* The longer of two that begin alike stands first; a word ends where no letter follows. */
static const struct {
	const char *text;
	uint8_t op, level; /* a higher level binds more tightly */
} OPERATORS[] = {
	{ "<<", F_SHL, 8 },   { ">>", F_SHR, 8 },    { "<=", F_LE, 7 },	  { ">=", F_GE, 7 },
	{ "==", F_EQ, 6 },    { "!=", F_NE, 6 },     { "&&", F_BOTH, 2 }, { "||", F_EITHER, 1 },
	{ "and", F_BOTH, 2 }, { "or", F_EITHER, 1 }, { "<", F_LT, 7 },	  { ">", F_GT, 7 },
	{ "&", F_AND, 5 },    { "^", F_XOR, 4 },     { "|", F_OR, 3 },	  { "+", F_ADD, 9 },
	{ "-", F_SUB, 9 },    { "*", F_MUL, 10 },    { "/", F_DIV, 10 },  { "%", F_MOD, 10 },
};

static const struct {
	const char *name;
	uint8_t op;
} FUNCTIONS[] = {
	{ "log2", F_LOG2 },   { "symbol", F_SYMBOL }, { "syscall", F_SYSCALL },
	{ "errno", F_ERRNO }, { "dev", F_DEV },
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static char peek(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->pos]))
		p->pos++;
	return p->text[p->pos];
}

#define complain(p, at, ...) expr_complain((p)->e, (p)->text, at, __VA_ARGS__)

static struct formula_node *new_node(struct parser *p, uint8_t op, size_t at,
				     const struct formula_node *a, const struct formula_node *b)
{
	struct formula_node *n;

	if (++p->x->n > FORMULA_NODES) {
		complain(p, at, "more than %d names, numbers and operators", FORMULA_NODES);
		return NULL;
	}
	n = arena_alloc(&p->x->arena, sizeof(*n));
	n->op = op;
	n->at = at;
	n->a = a;
	n->b = b;
	n->reads = (a ? a->reads : 0) | (b ? b->reads : 0);
	return n;
}

/* ---- numbers and strings ---- */

/* The unit that begins here, in ns; 0: none does.  *LEN: its bytes. */
static uint64_t unit_of(const char *s, size_t *len)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} UNITS[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

	for (size_t i = 0; i < COUNT(UNITS); i++) {
		*len = strlen(UNITS[i].name);
		if (!strncmp(s, UNITS[i].name, *len) && !is_word(s[*len]))
			return UNITS[i].ns;
	}
	*len = 0;
	return 0;
}

/* The digits at *S in BASE, up to what is none.  False: more than 64 bits. */
static bool digits(const char **s, unsigned base, uint64_t *v)
{
	for (*v = 0;; (*s)++) {
		unsigned char c = **s;
		unsigned d = isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : 99;

		if (d >= base)
			return true;
		if (__builtin_mul_overflow(*v, (uint64_t)base, v) ||
		    __builtin_add_overflow(*v, (uint64_t)d, v))
			return false;
	}
}

/* Behind the point at *S: a part of a UNIT, exact in ns. */
static bool fraction(const char **s, uint64_t *ns)
{
	const char *from = ++*s;
	uint64_t scale = 1, part, unit;
	size_t len;

	if (!digits(s, 10, &part) || *s == from || *s - from > 9)
		return false;
	for (const char *c = from; c < *s; c++)
		scale *= 10;
	unit = unit_of(*s, &len);
	if (!unit || part * unit % scale)
		return false;
	*ns = part * unit / scale;
	return true;
}

static const struct formula_node *parse_number(struct parser *p)
{
	const char *s = p->text + p->pos;
	struct formula_node *n = new_node(p, F_NUMBER, p->pos, NULL, NULL);
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	bool octal = s[0] == '0' && isdigit((unsigned char)s[1]), fits;
	uint64_t unit, part = 0;
	const char *from;
	size_t len;

	if (!n)
		return NULL;
	from = s += 2 * hex;
	fits = digits(&s, hex ? 16 : octal ? 8 : 10, &n->num);
	if (fits && *s == '.' && (hex || octal || !fraction(&s, &part))) {
		complain(p, p->pos, "numbers are whole; a time may be 1.5ms, in whole ns");
		return NULL;
	}
	unit = hex ? 0 : unit_of(s, &len);
	if (unit) {
		n->is_time = true;
		s += len;
		fits = fits && !__builtin_mul_overflow(n->num, unit, &n->num) &&
		       !__builtin_add_overflow(n->num, part, &n->num);
	}
	if (!fits) {
		complain(p, p->pos, "a number of more than 64 bits");
		return NULL;
	}
	if (s == from || is_word(*s)) {
		complain(p, p->pos,
			 "'%.*s' is no number; there are 12, 0x1f, 017 and times in "
			 "ns, us, ms and s",
			 (int)strspn(p->text + p->pos, "0123456789abcdefghijklmnopqrstuvwxyz"
						       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
			 p->text + p->pos);
		return NULL;
	}
	p->pos = s - p->text;
	return n;
}

static const struct formula_node *parse_string(struct parser *p)
{
	const char *s = p->text + p->pos, *end = strchr(s + 1, *s);
	struct formula_node *n;

	if (!end) {
		complain(p, p->pos, "this string has no end");
		return NULL;
	}
	n = new_node(p, F_TEXT, p->pos, NULL, NULL);
	if (!n)
		return NULL;
	n->len = end - s - 1;
	n->text = arena_strndup(&p->x->arena, s + 1, n->len);
	p->pos += n->len + 2;
	return n;
}

/* ---- names ---- */

static const struct formula_node *parse_binary(struct parser *p, unsigned level);

struct names {
	const char *const *v;
	unsigned i, n;
};

static const char *next_side(void *arg)
{
	struct names *n = arg;

	return n->i < n->n ? n->v[n->i++] : NULL;
}

static const char *next_function(void *arg)
{
	unsigned *i = arg;

	return *i < COUNT(FUNCTIONS) ? FUNCTIONS[(*i)++].name : NULL;
}

/* What stands before the dot of a name.  -1: said. */
static int find_side(struct parser *p, const char *name, size_t at, bool dot)
{
	struct names all = { p->x->sides, 0, FORMULA_SIDES };
	const char *near;

	if (!p->x->sides[0])
		return dot ? complain(p, at,
				      "'%.60s.': there is one event here; write the field's "
				      "name alone",
				      name) :
			     0;
	for (int i = 0; dot && i < FORMULA_SIDES; i++)
		if (!strcmp(name, p->x->sides[i]))
			return i;
	near = dot ? nearest_name(name, next_side, &all) : NULL;
	if (dot)
		return complain(p, at, "no event is called '%.60s'%s%s%s: there are %s and %s",
				name, near ? "; did you mean '" : "", near ? near : "",
				near ? "'" : "", p->x->sides[0], p->x->sides[1]);
	return complain(p, at, "of which event is '%.60s'? Write %s.%.60s or %s.%.60s", name,
			p->x->sides[0], name, p->x->sides[1], name);
}

static size_t word_len(const char *s)
{
	size_t len = 0;

	while (is_word(s[len]))
		len++;
	return len;
}

static const struct formula_node *parse_name(struct parser *p, size_t at, const char *word)
{
	const char *name = word;
	struct formula_node *n;
	bool dot = p->text[p->pos] == '.';
	int side;

	side = find_side(p, word, at, dot);
	if (side < 0)
		return NULL;
	if (dot) {
		size_t len = word_len(p->text + ++p->pos);

		if (!len) {
			complain(p, p->pos, "expected the name of a field behind '%s.'", word);
			return NULL;
		}
		name = arena_strndup(&p->x->arena, p->text + p->pos, len);
		p->pos += len;
	}
	n = new_node(p, F_NAME, at, NULL, NULL);
	if (!n)
		return NULL;
	n->side = side;
	n->reads = 1u << side;
	n->text = name;
	n->next_name = p->x->names;
	p->x->names = n;
	return n;
}

static const struct formula_node *parse_function(struct parser *p, size_t at, const char *word)
{
	const struct formula_node *a;
	unsigned i = 0, next = 0;
	const char *near;

	while (i < COUNT(FUNCTIONS) && strcmp(FUNCTIONS[i].name, word))
		i++;
	if (i == COUNT(FUNCTIONS)) {
		near = nearest_name(word, next_function, &next);
		complain(
			p, at,
			"no function '%.60s'%s%s%s: there are log2, symbol, syscall, errno and dev",
			word, near ? "; did you mean '" : "", near ? near : "", near ? "'" : "");
		return NULL;
	}
	p->pos++;
	a = parse_binary(p, 0);
	if (!a)
		return NULL;
	if (peek(p) != ')') {
		complain(p, p->pos, "expected ')' behind the argument of %s()", word);
		return NULL;
	}
	p->pos++;
	return new_node(p, FUNCTIONS[i].op, at, a, NULL);
}

/* ---- the rest ---- */

static const struct formula_node *parse_bracket(struct parser *p)
{
	size_t at = p->pos++;
	const struct formula_node *n = parse_binary(p, 0);

	if (!n)
		return NULL;
	if (peek(p) != ')') {
		if (p->text[p->pos])
			complain(p, p->pos, "expected an operator or ')'");
		else
			complain(p, at, "this '(' is not closed");
		return NULL;
	}
	p->pos++;
	return n;
}

static const struct formula_node *parse_unary(struct parser *p);

static const struct formula_node *parse_sign(struct parser *p, uint8_t op, size_t len)
{
	size_t at = p->pos;
	const struct formula_node *a;

	p->pos += len;
	a = parse_unary(p);
	return a ? new_node(p, op, at, a, NULL) : NULL;
}

static const struct formula_node *parse_primary(struct parser *p)
{
	char c = peek(p);
	size_t at = p->pos, len = word_len(p->text + at);
	const char *word;

	if (c == '-' || c == '~' || c == '!')
		return parse_sign(p, c == '-' ? F_NEG : c == '~' ? F_INVERT : F_NOT, 1);
	if (c == '(')
		return parse_bracket(p);
	if (c == '"' || c == '\'')
		return parse_string(p);
	if (isdigit((unsigned char)c))
		return parse_number(p);
	if (!len) {
		complain(p, at,
			 c ? "expected a field, a number or '('" :
			     "the formula ends where a value should stand");
		return NULL;
	}
	word = arena_strndup(&p->x->arena, p->text + at, len);
	if (!strcmp(word, "not"))
		return parse_sign(p, F_NOT, len);
	p->pos += len;
	return p->text[p->pos] == '(' ? parse_function(p, at, word) : parse_name(p, at, word);
}

static const struct formula_node *parse_unary(struct parser *p)
{
	const struct formula_node *n;

	if (p->depth++ >= FORMULA_DEPTH) {
		complain(p, p->pos, "nested deeper than %d", FORMULA_DEPTH);
		return NULL;
	}
	n = parse_primary(p);
	p->depth--;
	return n;
}

/* The index of the operator that stands here, or COUNT(OPERATORS). */
static size_t operator_here(struct parser *p)
{
	const char *s = (peek(p), p->text + p->pos);
	size_t i = 0, len;

	for (; i < COUNT(OPERATORS); i++) {
		len = strlen(OPERATORS[i].text);
		if (!strncmp(s, OPERATORS[i].text, len) && !(is_word(*s) && is_word(s[len])))
			break;
	}
	return i;
}

/* Operators of more than LEVEL, from left to right. */
static const struct formula_node *parse_binary(struct parser *p, unsigned level)
{
	const struct formula_node *a = parse_unary(p), *b;
	size_t i, at;

	while (a && (i = operator_here(p)) < COUNT(OPERATORS) && OPERATORS[i].level > level) {
		at = p->pos;
		p->pos += strlen(OPERATORS[i].text);
		b = parse_binary(p, OPERATORS[i].level);
		if (b && b->op == F_NUMBER && !b->num &&
		    (OPERATORS[i].op == F_DIV || OPERATORS[i].op == F_MOD)) {
			complain(p, b->at, "a division by 0 is 0 for every event");
			return NULL;
		}
		a = b ? new_node(p, OPERATORS[i].op, at, a, b) : NULL;
	}
	return a;
}

struct formula_text *formula_parse(const char *text, const char *const *sides, struct err *e)
{
	struct formula_text *x;
	struct parser p = { .e = e };

	if (strlen(text) > FORMULA_TEXT) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "a formula of more than %d bytes", FORMULA_TEXT);
		return NULL;
	}
	x = mem_zalloc(sizeof(*x));
	x->text = mem_strdup(text);
	for (unsigned i = 0; sides && i < FORMULA_SIDES; i++)
		x->sides[i] = sides[i];
	p.x = x;
	p.text = x->text;
	x->top = parse_binary(&p, 0);
	if (x->top && peek(&p)) {
		expr_complain(e, text, p.pos,
			      text[p.pos] == ')' ? "this ')' closes nothing" :
			      text[p.pos] == '=' ? "'=' compares nothing; write ==" :
			      text[p.pos] == ',' ? "several formulas are a list: ['a', 'b']" :
						   "expected an operator");
		x->top = NULL;
	}
	if (!x->top) {
		formula_text_free(x);
		return NULL;
	}
	return x;
}

void formula_text_free(struct formula_text *x)
{
	if (!x)
		return;
	arena_fini(&x->arena);
	free(x->text);
	free(x);
}

/* ---- what it is made of ---- */

const struct formula_node *formula_top(const struct formula_text *x)
{
	return x->top;
}

static bool parts(const struct formula_node *n, uint8_t op, const struct formula_node **a,
		  const struct formula_node **b)
{
	*a = n->a;
	*b = n->b;
	return n->op == op;
}

bool formula_is_and(const struct formula_node *n, const struct formula_node **a,
		    const struct formula_node **b)
{
	return parts(n, F_BOTH, a, b);
}

bool formula_is_equal(const struct formula_node *n, const struct formula_node **a,
		      const struct formula_node **b)
{
	return parts(n, F_EQ, a, b);
}

bool formula_same(const struct formula_node *a, const struct formula_node *b)
{
	if (!a || !b)
		return a == b;
	if (a->op != b->op || a->side != b->side || a->num != b->num || a->len != b->len ||
	    !a->text != !b->text || (a->text && strcmp(a->text, b->text)))
		return false;
	return formula_same(a->a, b->a) && formula_same(a->b, b->b);
}

unsigned formula_reads(const struct formula_node *n)
{
	return n->reads;
}

/* Does N, or one before it in the text, name the same? */
static bool named_before(const struct formula_node *n)
{
	for (const struct formula_node *m = n->next_name; m; m = m->next_name)
		if (m->side == n->side && !strcmp(m->text, n->text))
			return true;
	return false;
}

const char *formula_name(const struct formula_text *x, unsigned side, unsigned i)
{
	for (const struct formula_node *n = x->names; n; n = n->next_name)
		if (n->side == side && !named_before(n) && !i--)
			return n->text;
	return NULL;
}
