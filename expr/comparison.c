// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comparison: a name compared with a constant, as the kernel's filters do it.  The constant is
 * checked against the field's size and sign, and comparisons of numbers become ranges.
 */
#include "expr/bound.h"

#include "base/glob.h"
#include "trace/machine.h"

#include <string.h>

struct signed_number {
	uint64_t mag;
	bool neg, bits; /* bits: written in hex or octal, so it may be a bit pattern */
};

/* Is N a literal number, with its sign? */
static bool number_of(const struct expr_node *n, struct signed_number *out)
{
	bool neg = n->op == OP_NEG;

	if (neg)
		n = n->a;
	if (n->op != OP_NUMBER)
		return false;
	*out = (struct signed_number){ .mag = n->num, .neg = neg && n->num, .bits = n->is_bits };
	return true;
}

static bool is_constant(const struct expr_node *n)
{
	struct signed_number v;

	return n->op == OP_TEXT || n->op == OP_WORD || n->op == OP_CPUS || number_of(n, &v);
}

static bool is_mask(const struct kind *k)
{
	return k->field && k->field->kind == FIELD_BITMASK;
}

/* ---- bare words ---- */

static bool is_label(const struct field *f, const char *text, int64_t *value)
{
	for (unsigned i = 0; f && f->kind == FIELD_ENUM && i < f->more->nlabels; i++) {
		*value = f->more->labels[i].value;
		if (!strcmp(f->more->labels[i].name, text))
			return true;
	}
	return false;
}

/* Is N a name that its type has? */
static bool is_name(struct binder *b, const struct expr_node *n)
{
	struct meaning m;

	if (!n || n->op != OP_NAME)
		return false;
	if (b->x->sides[0])
		return true;
	m = pseudo_meaning(b->types[n->side], n->text, b->scope);
	return m.field || m.what != PSEUDO_NONE;
}

const struct expr_node *comparison_right(struct binder *b, const struct expr_node *a,
					 const struct kind *k, const struct expr_node *n)
{
	int64_t value;

	if (n->op != OP_WORD || is_label(k->field, n->text, &value))
		return n;
	if (is_name(b, n->a))
		return n->a;
	if (k->is_string && !is_mask(k))
		return n;
	if (n->a && n->a->op == OP_NAME && !is_mask(k)) {
		place_missing(b, n->a, a);
		return NULL;
	}
	if (n->a)
		return n->a;
	/* A glob, which is invalid for a number, has no reason; a set is requested if missing. */
	if (!n->why || is_mask(k))
		return n;
	expr_complain(b->e, b->x->text, n->why_at, "%s", n->why);
	return NULL;
}

/* ---- numbers ---- */

/* The constant is outside the field's range, so the result is constant. */
static void bind_const(struct comparison *c, bool above)
{
	c->place.op = OP_CONST;
	c->num = c->op == OP_NE ||
		 (above ? c->op == OP_LT || c->op == OP_LE : c->op == OP_GT || c->op == OP_GE);
}

/* Every comparison of numbers becomes a range.  Modulo 2^64 that works for signed ones too. */
static void bind_range(struct comparison *c, bool is_signed)
{
	uint64_t least = is_signed ? 1ull << 63 : 0, greatest = least - 1, num = c->num;
	bool from = c->op == OP_GE || c->op == OP_LT; /* from NUM on, or the opposite */

	c->is_and = c->op == OP_AND;
	if (c->is_and)
		return;
	c->outside = c->op == OP_NE || c->op == OP_LT || c->op == OP_GT;
	if (c->op == OP_EQ || c->op == OP_NE) {
		c->span = 0;
	} else {
		c->num = from ? num : least;
		c->span = (from ? greatest : num) - c->num;
	}
}

/* Compare the number N, of kind K, with V, at R. */
static int bind_value(struct binder *b, const struct expr_node *n, const struct kind *k,
		      const struct expr_node *r, const struct signed_number *v,
		      struct comparison *c)
{
	const struct etype *t = b->types[n->side];
	uint64_t all = k->size == 8 ? UINT64_MAX : (1ull << (8 * k->size)) - 1, top = all >> 1;

	if (!k->has_sign && v->neg)
		return expr_at(b, r, "'%s' of %s:%s is unsigned and never negative", n->text,
			       t->system, t->name);
	if (k->has_sign && (v->neg ? v->mag > 1ull << 63 : !v->bits && v->mag > INT64_MAX))
		return expr_at(b, r, "this number does not fit into a signed 64-bit integer");
	c->num = v->neg ? -v->mag : v->mag;
	if (c->op == OP_AND) {
		c->num &= all;
	} else if (!k->has_sign) {
		if (v->mag > all)
			bind_const(c, true);
	} else if (v->neg) {
		if (v->mag > top + 1)
			bind_const(c, false);
	} else if (v->mag > top) {
		/* 0xffffffff for an int is -1: the kernel truncates constants to the size too. */
		if (v->bits && v->mag <= all)
			c->num = v->mag | ~all;
		else
			bind_const(c, true);
	}
	if (c->place.op != OP_CONST)
		bind_range(c, k->has_sign);
	return 0;
}

/* An enum may also be compared with the name of a value. */
static int bind_number(struct binder *b, const struct expr_node *n, const struct kind *k,
		       const struct expr_node *r, struct comparison *c)
{
	const struct etype *t = b->types[n->side];
	struct signed_number v;
	int64_t value;

	if (c->op == OP_GLOB)
		return expr_at(b, n, "'%s' of %s:%s is a number; ~ takes strings", n->text,
			       t->system, t->name);
	if (r->text && is_label(k->field, r->text, &value))
		v = (struct signed_number){ .mag = value < 0 ? -(uint64_t)value : (uint64_t)value,
					    .neg = value < 0 };
	else if (!number_of(r, &v))
		return expr_at(b, r, "'%s' of %s:%s is a number; '%.40s' is not", n->text,
			       t->system, t->name, r->text);
	return bind_value(b, n, k, r, &v, c);
}

/* ---- strings and sets ---- */

static int bind_string(struct binder *b, const struct expr_node *n, const struct kind *k,
		       const struct expr_node *r, struct comparison *c)
{
	const struct etype *t = b->types[n->side];
	const char *event;
	uint32_t len;

	if (k->field && k->field->kind != FIELD_STR && r->op != OP_TEXT)
		return expr_at(b, n, "'%s' of %s:%s is an array; compare it with bytes in quotes",
			       n->text, t->system, t->name);
	if (c->op != OP_EQ && c->op != OP_NE && c->op != OP_GLOB)
		return expr_at(b, n, "'%s' of %s:%s is a string: only ==, != and ~ compare it",
			       n->text, t->system, t->name);
	if (!r->text)
		return expr_at(b, r,
			       "'%s' of %s:%s is a string: write what it is compared with in "
			       "quotes",
			       n->text, t->system, t->name);
	c->str = r->text;
	c->len = r->len;
	if (c->place.op != OP_TEXT)
		return 0;
	event = place_event(b, t, &len);
	c->num = comparison_string(c, event, len);
	c->place.op = OP_CONST;
	return 0;
}

static int bind_set(struct binder *b, const struct expr_node *n, const struct kind *k,
		    const struct expr_node *r, struct comparison *c)
{
	const struct etype *t = b->types[n->side];
	if (c->op != OP_EQ && c->op != OP_NE && c->op != OP_AND)
		return expr_at(b, n, "sets of CPUs can only be compared with ==, != and &");
	if (r->op != OP_CPUS)
		return expr_at(b, r, "'%s' of %s:%s is a set of bits; compare it with CPUS{0,2-5}",
			       n->text, t->system, t->name);
	if (!is_mask(k) && (k->is_string || (k->field && k->field->kind == FIELD_ENUM) ||
			    (!k->field && c->place.op != OP_CPU)))
		return expr_at(b, r, "'%s' of %s:%s is neither a set of bits nor a CPU", n->text,
			       t->system, t->name);
	if (k->field)
		c->place.op = is_mask(k) ? OP_BITS : OP_SCALAR;
	c->bits = r->bits;
	c->len = r->len;
	return 0;
}

/* ---- all of them ---- */

/* OP with its sides swapped. */
static uint8_t mirrored(uint8_t op)
{
	return op == OP_LT ? OP_GT :
	       op == OP_GT ? OP_LT :
	       op == OP_LE ? OP_GE :
	       op == OP_GE ? OP_LE :
			     op;
}

int comparison_bind(struct binder *b, const struct expr_node *n, struct comparison *c)
{
	bool turned = n->b->op == OP_NAME && n->op != OP_GLOB;
	const struct expr_node *name = turned ? n->b : n->a, *r = turned ? n->a : n->b;
	struct kind k;

	if (name->op != OP_NAME || !is_constant(r))
		return 0;
	memset(c, 0, sizeof(*c));
	TRY(place_bind(b, name, &c->place, &k));
	r = comparison_right(b, name, &k, r);
	if (!r)
		return -1;
	if (!is_constant(r))
		return 0;
	c->op = turned ? mirrored(n->op) : n->op;
	if (r->op == OP_CPUS || is_mask(&k))
		TRY(bind_set(b, name, &k, r, c));
	else if (k.is_string)
		TRY(bind_string(b, name, &k, r, c));
	else
		TRY(bind_number(b, name, &k, r, c));
	return 1;
}

int comparison_bind_truth(struct binder *b, const struct expr_node *n, struct comparison *c)
{
	static const struct signed_number zero;
	struct kind k;

	memset(c, 0, sizeof(*c));
	c->op = OP_NE;
	TRY(place_bind(b, n, &c->place, &k));
	if (k.is_string)
		return expr_at(b, n, "'%s' of %s:%s is not a number: compare it with ==, != or ~",
			       n->text, b->types[n->side]->system, b->types[n->side]->name);
	return bind_value(b, n, &k, n, &zero, c);
}

/* ---- for an event ---- */

bool comparison_string(const struct comparison *c, const char *s, size_t len)
{
	bool same;

	if (c->op == OP_GLOB)
		return glob_match_len(c->str, s, len);
	same = len == c->len && !memcmp(s, c->str, len);
	return same == (c->op == OP_EQ);
}

static uint64_t bits_word(const struct comparison *c, uint64_t i)
{
	return i < c->len ? c->bits[i] : 0;
}

/*
 * Compares the event's set of bits, 64 at a time, for any word size and byte order of the kernel.
 */
static bool bits_pass(const struct comparison *c, const struct event *ev)
{
	const struct field *f = c->place.field;
	unsigned elem = f->elem == 4 ? 4 : 8, per = 8 / elem;
	bool same = true, meet = false;
	struct span s;
	uint64_t words;

	field_span(f, ev, &s);
	words = (s.len + 7ull) / 8;
	for (uint64_t i = 0; i < words || i < c->len; i++) {
		uint64_t w = 0, b = bits_word(c, i);

		for (unsigned k = 0; k < per; k++)
			if ((i * per + k + 1) * elem <= s.len)
				w |= field_load(s.p + (i * per + k) * elem, elem, f->swap)
				     << 32 * k;
		same &= w == b;
		meet |= (w & b) != 0;
	}
	return c->op == OP_AND ? meet : same == (c->op == OP_EQ);
}

/* A CPU number against a set: & asks whether it is in the set, == whether it is all of the set. */
static bool member_pass(const struct comparison *c, uint64_t v)
{
	bool in = v / 64 < c->len && c->bits[v / 64] >> v % 64 & 1;
	unsigned n = 0;

	if (c->op == OP_AND)
		return in;
	for (uint32_t i = 0; i < c->len; i++)
		n += __builtin_popcountll(c->bits[i]);
	return (in && n == 1) == (c->op == OP_EQ);
}

bool comparison_run(const struct comparison *c, const struct event *ev, const uint64_t *base)
{
	struct expr_result r;
	uint32_t len;
	uint64_t v;

	if (c->place.op <= OP_SOURCE) {
		v = place_number(&c->place, ev, base);
		return c->bits ? member_pass(c, v) :
				 expr_test_number(c->is_and, c->outside, c->num, c->span, v);
	}
	switch (c->place.op) {
	case OP_CONST:
		return c->num;
	case OP_BITS:
		return bits_pass(c, ev);
	case OP_STEPS:
		row_run(c->row, &ev, base, &r);
		return r.num;
	default:
		place_string(&c->place, ev, &r.str, &len);
		return comparison_string(c, r.str, len);
	}
}
