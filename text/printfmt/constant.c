// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Constants of a print format, evaluated without running it, to learn the meaning of a field's
 * numbers: the values in tables, and masks.
 */
#include "text/printfmt/constant.h"

#include "base/ascii.h"
#include "text/printfmt/enumerators.h"

#include <stdlib.h>
#include <string.h>

static bool atom(const char *word, uint64_t *v)
{
	if (!ascii_digit(*word))
		return enumerator_value(word, v);
	*v = strtoull(word, NULL, 0);
	return true;
}

static bool unary(const struct pf_node *n, uint64_t *v)
{
	if (!constant_value(n->b, v))
		return false;
	switch (n->op[0]) {
	case '-':
		*v = -*v;
		return true;
	case '~':
		*v = ~*v;
		return true;
	case '+':
		return true;
	case '!':
		*v = !*v;
		return true;
	}
	return false;
}

static bool binary(const struct pf_node *n, uint64_t *v)
{
	bool twice = n->op[1] == n->op[0];
	uint64_t l, r;

	if (!constant_value(n->a, &l) || !constant_value(n->b, &r))
		return false;
	switch (n->op[0]) {
	case '|':
		*v = twice ? l || r : l | r;
		return true;
	case '&':
		*v = twice ? l && r : l & r;
		return true;
	case '^':
		*v = l ^ r;
		return true;
	case '+':
		*v = l + r;
		return true;
	case '-':
		*v = l - r;
		return true;
	case '*':
		*v = l * r;
		return true;
	case '<':
		*v = r < 64 ? l << r : 0;
		return twice;
	case '>':
		*v = r < 64 ? l >> r : 0;
		return twice;
	}
	return false;
}

/* The parser bounds the depth, so this ends. */
bool constant_value(const struct pf_node *n, uint64_t *v)
{
	switch (n->kind) {
	case PF_ATOM:
		return atom(n->text, v);
	case PF_CAST:
		return constant_value(n->a, v);
	case PF_OP:
		if (!strcmp(n->op, "?") || !strcmp(n->op, "["))
			return false;
		return n->a->kind == PF_NONE ? unary(n, v) : binary(n, v);
	default:
		return false;
	}
}
