// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value: binds an expression for its value: every operator gets the signs of its operands, and what
 * cannot be computed is refused.
 */
#include "expr/bound.h"

#include <stdlib.h>

static int bind(struct binder *b, const struct expr_node *n, struct kind *k);

static struct expr_step *new_step(struct binder *b, uint8_t op)
{
	struct expr_step *s = &b->row->steps[b->row->n++];

	s->op = op;
	return s;
}

/* Push one more value: a leaf. */
static int push(struct binder *b, const struct expr_node *n)
{
	if (++b->held > EXPR_STACK)
		return expr_at(b, n,
			       "more than %d pending values; split the expression with parentheses",
			       EXPR_STACK);
	return 0;
}

/* ---- leaves ---- */

static int bind_name(struct binder *b, const struct expr_node *n, struct kind *k)
{
	struct expr_step *s;

	TRY(push(b, n));
	s = new_step(b, OP_TEXT);
	TRY(place_bind(b, n, &s->place, k));
	s->op = s->place.op;
	if (s->op == OP_TEXT)
		s->text = place_event(b, b->types[n->side], &s->len);
	return 0;
}

static int bind_constant(struct binder *b, const struct expr_node *n, struct kind *k)
{
	struct expr_step *s;

	TRY(push(b, n));
	s = new_step(b, n->op == OP_NUMBER ? OP_NUMBER : OP_TEXT);
	s->num = n->num;
	s->text = n->text;
	s->len = n->len;
	k->is_string = s->op == OP_TEXT;
	k->is_number = s->op == OP_NUMBER;
	k->is_signed = n->num <= INT64_MAX;
	k->means = n->is_time ? MEANS_TIME : MEANS_NOTHING;
	k->unit = n->num;
	return 0;
}

/* 1: N is a comparison with a constant.  0: it is not.  -1 with E. */
static int bind_comparison(struct binder *b, const struct expr_node *n, struct kind *k)
{
	bool has_set = n->a->op == OP_CPUS || n->b->op == OP_CPUS;
	struct comparison c, *kept;
	struct expr_step *s;
	int rc;

	if (!op_compares(n->op) && !(n->op == OP_AND && has_set))
		return 0;
	rc = comparison_bind(b, n, &c);
	if (rc <= 0)
		return rc;
	TRY(push(b, n));
	kept = arena_alloc(&b->to->arena, sizeof(*kept));
	*kept = c;
	s = new_step(b, OP_COMPARISON);
	s->place.side = c.place.side;
	s->test = kept;
	k->is_signed = true;
	return 1;
}

/* ---- operators ---- */

/* The names of system calls or errors on the record's machine. */
static void bind_names(struct binder *b, struct expr_step *s)
{
	struct bound *to = b->to;
	char arch[64];

	sysnames_arch(s->place.machine, arch, sizeof(arch));
	if (s->op == OP_SYSCALL) {
		if (!to->sysnames.names)
			sysnames_of_machine(&to->sysnames, s->place.machine, arch, &to->arena);
		s->names = &to->sysnames;
	} else {
		if (!to->errnos.names)
			errnos_load(&to->errnos, arch, &to->arena);
		s->names = &to->errnos;
	}
}

static int no_string(struct binder *b, const struct expr_node *n)
{
	const struct etype *t = b->types[n->side];

	if (n->op != OP_NAME)
		return expr_at(b, n, "a string: it can only be compared with ==, != and ~");
	return expr_at(b, n, "'%s' of %s:%s is a string: only ==, != and ~ compare it", n->text,
		       t->system, t->name);
}

static int bind_unary(struct binder *b, const struct expr_node *n, struct kind *k)
{
	struct kind a = { 0 };
	struct expr_step *s;

	TRY(bind(b, n->a, &a));
	if (a.is_string)
		return no_string(b, n->a);
	s = new_step(b, n->op);
	s->a_signed = a.is_signed;
	k->is_signed = true;
	if (n->op == OP_NEG || n->op == OP_INVERT) {
		k->is_signed = a.is_signed;
		k->means = a.means == MEANS_TIME && n->op == OP_NEG ? MEANS_TIME : MEANS_NOTHING;
	}
	if (n->op < OP_SYMBOL)
		return 0;
	k->is_string = true;
	s->place.machine = b->types[n->reads > 1]->machine;
	s->digits = arena_alloc(&b->to->arena, sizeof(*s->digits));
	if (n->op == OP_SYSCALL || n->op == OP_ERRNO)
		bind_names(b, s);
	return 0;
}

/* The meaning of a number computed from A and B. */
static void means(uint8_t op, const struct kind *a, const struct kind *b, struct kind *k)
{
	bool ta = a->means == MEANS_TIME, tb = b->means == MEANS_TIME;

	k->is_signed = a->is_signed && b->is_signed;
	switch (op) {
	case OP_ADD:
	case OP_SUB:
		if (ta || tb)
			k->means = MEANS_TIME;
		return;
	case OP_MUL:
		if (ta != tb)
			k->means = MEANS_TIME;
		return;
	case OP_MOD:
		if (ta)
			k->means = MEANS_TIME;
		return;
	case OP_DIV:
		if (ta && !tb) {
			k->means = MEANS_TIME;
		} else if (ta && b->is_number && b->unit) {
			k->means = MEANS_BUCKET;
			k->unit = b->unit;
		}
		return;
	case OP_SHL:
	case OP_SHR:
		k->is_signed = a->is_signed;
		k->means = ta ? MEANS_TIME : MEANS_NOTHING;
		return;
	default:
		/* Bitwise operators keep their operands' type; comparisons give 0 or 1. */
		if (op < OP_AND || op > OP_OR)
			k->is_signed = true;
		return;
	}
}

/* Check that X, the left side of N, and Y, the right side, are both numbers or both strings. */
static int check_strings(struct binder *b, const struct expr_node *n, const struct kind *x,
			 const struct kind *y, const struct expr_node *right)
{
	if (n->op == OP_GLOB && (!x->is_string || right->op == OP_NAME || !right->text))
		return expr_at(b, n, "~ takes a string, then a glob in quotes");
	if (!op_compares(n->op) || n->op < OP_EQ)
		return y->is_string ? no_string(b, right) : 0;
	if (x->is_string != y->is_string)
		return expr_at(b, right, "a number is compared with a string%s",
			       x->is_string && right->op == OP_NAME ?
				       " (put a string that is the name of a field in quotes)" :
				       "");
	return 0;
}

static int bind_binary(struct binder *b, const struct expr_node *n, struct kind *k)
{
	int rc = bind_comparison(b, n, k);
	struct kind x = { 0 }, y = { 0 };
	const struct expr_node *right;
	struct expr_step *s;

	if (rc)
		return rc < 0 ? -1 : 0;
	TRY(bind(b, n->a, &x));
	if (x.is_string && !(op_compares(n->op) && n->op >= OP_EQ))
		return no_string(b, n->a);
	right = comparison_right(b, n->a, &x, n->b);
	if (!right)
		return -1;
	TRY(bind(b, right, &y));
	TRY(check_strings(b, n, &x, &y, right));
	b->held--;
	s = new_step(b, n->op);
	s->strings = x.is_string;
	s->a_signed = x.is_signed;
	s->b_signed = y.is_signed;
	means(n->op, &x, &y, k);
	return 0;
}

static int bind(struct binder *b, const struct expr_node *n, struct kind *k)
{
	if (n->op >= OP_MUL)
		return bind_binary(b, n, k);
	if (n->op >= OP_NEG)
		return bind_unary(b, n, k);
	if (n->op == OP_NAME)
		return bind_name(b, n, k);
	if (n->op == OP_CPUS)
		return expr_at(b, n, "a set of CPUs: compare it with a field by ==, != or &");
	return bind_constant(b, n, k);
}

static unsigned nodes_of(const struct expr_node *n)
{
	return n ? 1 + nodes_of(n->a) + nodes_of(n->b) : 0;
}

size_t row_size(const struct expr_node *n)
{
	return nodes_of(n) * sizeof(struct expr_step);
}

int row_bind(struct binder *b, const struct expr_node *n, struct row *row, struct kind *k)
{
	b->row = row;
	b->held = 0;
	return bind(b, n, k);
}

/* ---- for others ---- */

void bound_fini(struct bound *b)
{
	arena_fini(&b->arena);
}

/* Is it a string of 16 bytes in every record of T? */
static bool is_chars16(const struct expr_step *s, const struct etype *t)
{
	const struct field *f = s->place.field;

	return s->op == OP_STRING && f->loc == FIELD_AT && f->size == 16 &&
	       (uint64_t)f->off + 16 <= t->fixed;
}

static void find_quick(struct expr_value *v, const struct expr_step *s, const struct etype *t)
{
	static const uint8_t quick[] = {
		[OP_S32] = VALUE_S32, [OP_U32] = VALUE_U32, [OP_U64] = VALUE_U64,
		[OP_TS] = VALUE_TS,   [OP_PID] = VALUE_PID, [OP_CPU] = VALUE_CPU,
	};

	if (s->op < sizeof(quick) / sizeof(quick[0]))
		v->quick = quick[s->op];
	else if (is_chars16(s, t))
		v->quick = VALUE_CHARS16;
	v->off = s->place.off;
	v->side = s->place.side;
}

struct expr_value *expr_value_bind(const struct expr *x, const struct expr_node *n,
				   const struct etype *const *types, struct err *e)
{
	static const uint64_t no_base;
	struct bound_value *v = mem_zalloc(sizeof(*v) + row_size(n));
	struct binder b = { .to = &v->bound, .x = x, .types = types, .e = e };
	struct kind k = { 0 };

	v->bound.base = &no_base;
	if (row_bind(&b, n, &v->row, &k) < 0) {
		expr_value_free(&v->head);
		return NULL;
	}
	v->head.kind = k.is_string ? EXPR_STRING : EXPR_NUMBER;
	v->head.is_signed = k.is_signed;
	v->head.means = k.means;
	v->head.unit = k.means == MEANS_BUCKET ? k.unit : 0;
	v->head.field = k.field;
	v->head.size = k.size ? k.size : 8;
	v->head.has_sign = k.size ? k.has_sign : k.is_signed;
	if (v->row.n == 1)
		find_quick(&v->head, v->row.steps, types[v->row.steps->place.side]);
	return &v->head;
}

void expr_value_free(struct expr_value *v)
{
	struct bound_value *b = (struct bound_value *)v;

	if (!b)
		return;
	bound_fini(&b->bound);
	free(b);
}
