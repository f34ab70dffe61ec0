// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test: an expression as a condition on one type of event.  The tree becomes a row of comparisons
 * with two jumps each; any other numeric expression is one of them.
 */
#include "expr/bound.h"

#include "trace/machine.h"

#include <stdlib.h>

static bool is_logic(const struct expr_node *n)
{
	return n->op == OP_NOT || n->op == OP_BOTH || n->op == OP_EITHER;
}

/* The parts of N that "and", "or" and "not" join. */
static unsigned leaves_of(const struct expr_node *n)
{
	if (!n)
		return 0;
	return is_logic(n) ? leaves_of(n->a) + leaves_of(n->b) : 1;
}

static int bind_row(struct binder *b, const struct expr_node *n, struct comparison *c)
{
	struct row *row = arena_alloc(&b->to->arena, sizeof(*row) + row_size(n));
	struct kind k = { 0 };

	TRY(row_bind(b, n, row, &k));
	if (k.is_string)
		return expr_at(b, n, "a string is not a condition: compare it with ==, != or ~");
	memset(c, 0, sizeof(*c));
	c->place.op = OP_STEPS;
	c->row = row;
	return 0;
}

static int bind_leaf(struct binder *b, const struct expr_node *n, struct comparison *c)
{
	int rc = 0;

	if (n->op == OP_NAME)
		return comparison_bind_truth(b, n, c);
	if (op_compares(n->op) || n->op == OP_AND)
		rc = comparison_bind(b, n, c);
	return rc ? (rc < 0 ? -1 : 0) : bind_row(b, n, c);
}

/*
 * Comparisons are emitted from the last to the first, so that the targets of their jumps are known.
 */
static int emit(struct binder *b, struct bound_test *w, const struct expr_node *n, uint16_t yes,
		uint16_t no)
{
	int at;

	switch (n->op) {
	case OP_NOT:
		return emit(b, w, n->a, no, yes);
	case OP_BOTH:
		at = emit(b, w, n->b, yes, no);
		return at < 0 ? -1 : emit(b, w, n->a, at, no);
	case OP_EITHER:
		at = emit(b, w, n->b, yes, no);
		return at < 0 ? -1 : emit(b, w, n->a, yes, at);
	}
	at = w->n++;
	if (bind_leaf(b, n, &w->comparisons[at]) < 0)
		return -1;
	w->comparisons[at].yes = yes;
	w->comparisons[at].no = no;
	return at;
}

/* A single comparison of a plain number is copied to the head, for expr_test_pass(). */
static void find_quick(struct bound_test *w)
{
	static const uint8_t quick[] = {
		[OP_U32] = TEST_U32,
		[OP_S32] = TEST_S32,
		[OP_U64] = TEST_U64,
	};
	const struct comparison *c = &w->comparisons[w->entry];

	if (w->n != 1 || c->place.op > OP_U64)
		return;
	w->head.quick = quick[c->place.op];
	w->head.off = c->place.off;
	w->head.num = c->num;
	w->head.span = c->span;
	w->head.is_and = c->is_and;
	w->head.outside = c->outside;
	/* "not x": the jumps are swapped. */
	if (c->yes == ACCEPT)
		return;
	if (c->is_and)
		w->head.quick = TEST_LONG;
	else
		w->head.outside = !c->outside;
}

struct expr_test *expr_test_bind(const struct expr *x, const struct etype *t,
				 const struct expr_names *names, bool *lacks, struct err *e)
{
	static const uint64_t no_base;
	struct bound_test *w =
		mem_zalloc(sizeof(*w) + leaves_of(x->top) * sizeof(w->comparisons[0]));
	struct binder b = { .to = &w->bound, .x = x, .types = &t, .e = e };
	int entry;

	b.scope = names ? names->scope : PSEUDO_ALL;
	w->bound.base = names && names->base ? names->base : &no_base;
	entry = emit(&b, w, x->top, ACCEPT, REJECT);
	*lacks = b.lacks;
	if (entry < 0) {
		expr_test_free(&w->head);
		return NULL;
	}
	w->entry = entry;
	w->head.has_names = b.has_names;
	find_quick(w);
	return &w->head;
}

struct expr_test *expr_test_new(const char *text, const struct etype *t,
				const struct expr_names *names, bool *lacks, struct err *e)
{
	struct expr *x = expr_parse(text, 0, NULL, e);
	struct expr_test *w;

	*lacks = false;
	if (!x)
		return NULL;
	w = expr_test_bind(x, t, names, lacks, e);
	if (w)
		((struct bound_test *)w)->own = x;
	else
		expr_free(x);
	return w;
}

void expr_test_free(struct expr_test *w)
{
	struct bound_test *t = (struct bound_test *)w;

	if (!t)
		return;
	expr_free(t->own);
	bound_fini(&t->bound);
	free(t);
}

/* ---- for an event ---- */

static inline bool number_pass(const struct comparison *c, uint64_t v)
{
	return expr_test_number(c->is_and, c->outside, c->num, c->span, v);
}

bool expr_test_run(const struct expr_test *head, const struct event *ev)
{
	const struct bound_test *w = (const struct bound_test *)head;
	uint16_t at = w->entry;

	/* Every jump leads to a comparison emitted earlier, so this ends. */
	do {
		const struct comparison *c = &w->comparisons[at];
		bool yes;

		if (c->place.op == OP_S32)
			yes = number_pass(c, field_load_signed(ev->data + c->place.off, 4, false));
		else if (c->place.op == OP_U64)
			yes = number_pass(c, field_load(ev->data + c->place.off, 8, false));
		else if (c->place.op == OP_U32)
			yes = number_pass(c, field_load(ev->data + c->place.off, 4, false));
		else
			yes = comparison_run(c, ev, w->bound.base);
		at = yes ? c->yes : c->no;
	} while (at < REJECT);
	return at == ACCEPT;
}
