// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree: access to the parts of an expression.
 */
#include "expr/expr_priv.h"

#include <stdlib.h>
#include <string.h>

void expr_free(struct expr *x)
{
	if (!x)
		return;
	arena_fini(&x->arena);
	free(x->text);
	free(x);
}

const struct expr_node *expr_top(const struct expr *x)
{
	return x->top;
}

/* A bare word is replaced by its expression if it has one. */
static const struct expr_node *meant(const struct expr_node *n)
{
	return n && n->op == OP_WORD && n->a ? n->a : n;
}

static bool parts(const struct expr_node *n, uint8_t op, const struct expr_node **a,
		  const struct expr_node **b)
{
	*a = n->a;
	*b = meant(n->b);
	return n->op == op;
}

bool expr_is_and(const struct expr_node *n, const struct expr_node **a, const struct expr_node **b)
{
	return parts(n, OP_BOTH, a, b);
}

bool expr_is_equal(const struct expr_node *n, const struct expr_node **a,
		   const struct expr_node **b)
{
	return parts(n, OP_EQ, a, b);
}

bool expr_same(const struct expr_node *a, const struct expr_node *b)
{
	a = meant(a);
	b = meant(b);
	if (!a || !b)
		return a == b;
	if (a->op != b->op || a->side != b->side || a->num != b->num || a->len != b->len ||
	    !a->text != !b->text || (a->text && strcmp(a->text, b->text)) ||
	    (a->bits && memcmp(a->bits, b->bits, a->len * sizeof(*a->bits))))
		return false;
	return expr_same(a->a, b->a) && expr_same(a->b, b->b);
}

unsigned expr_reads(const struct expr_node *n)
{
	return n->reads;
}

const char *expr_name(const struct expr *x, unsigned side, unsigned i)
{
	for (const struct expr_node *n = x->names; n; n = n->next_name)
		if (n->side == side && !n->is_again && !i--)
			return n->text;
	return NULL;
}
