// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eval: computes an argument of a print format for one record, in libtraceevent's way and no
 * further than the library would, and says no to what it would crash on: a division by zero, an
 * index or a dynamic field that reaches out of the record.
 */
#include "reader/text/printfmt/eval.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct pf_value unknown = { 1, false };

static struct pf_value known(uint64_t v)
{
	return (struct pf_value){ v, true };
}

bool pf_inside(const struct event *ev, const struct field *f, struct span *s)
{
	if (f->loc == FIELD_AT || f->loc == FIELD_TAIL) {
		if (f->off > ev->size)
			return false;
	} else if ((uint64_t)f->off + f->size > ev->size) {
		return false;
	}
	return field_span(f, ev, s);
}

/* V cast to TYPE by the library: it knows these types, and leaves V alone for others. */
static uint64_t cast(const char *type, size_t n, uint64_t v)
{
	static const struct {
		const char *type;
		uint64_t mask;
		bool may_be_unsigned;
	} types[] = {
		{ "u8", 0xff, false },	      { "s8", 0xff, false },
		{ "u16", 0xffff, false },     { "s16", 0xffff, false },
		{ "u32", 0xffffffff, false }, { "s32", 0xffffffff, false },
		{ "char", 0xff, true },	      { "short", 0xffff, true },
		{ "int", 0xffffffff, true },
	};
	bool is_unsigned = n > 9 && !strncmp(type, "unsigned ", 9);

	if (is_unsigned) {
		type += 9;
		n -= 9;
	}
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (n == strlen(types[i].type) && !memcmp(type, types[i].type, n))
			return is_unsigned && !types[i].may_be_unsigned ? v : v & types[i].mask;
	return v;
}

/* The same for an item of an array that was cast to TYPE, a pointer: the " *" is left out. */
static uint64_t cast_item(const char *type, uint64_t v)
{
	size_t n = strlen(type);

	return n > 2 && type[n - 1] == '*' ? cast(type, n - 2, v) : v;
}

static bool eval_index(const struct event *ev, const struct pf_node *n, struct pf_value *out)
{
	const struct pf_node *left = n->a;
	const char *type = NULL;
	struct pf_value i;
	struct span s;
	uint64_t elem;

	if (!pf_eval(ev, n->b, &i))
		return false;
	for (; left->kind == PF_CAST; left = left->a)
		type = type ? type : left->text;
	*out = unknown;
	if (left->kind == PF_DYN) {
		/* The library's index into these counts bytes. */
		return i.known && pf_inside(ev, left->field, &s) && i.v < s.len;
	}
	if (left->kind != PF_FIELD) {
		/* Not an array: it computes the left side and gives 0. */
		*out = known(0);
		return pf_eval(ev, left, &i);
	}
	if (!i.known || !pf_inside(ev, left->field, &s))
		return false;
	elem = left->field->elem ? left->field->elem : 1;
	/* A stack of five entries comes in a record that is shorter than its array of eight. */
	if (left->field->loc != FIELD_AT && left->field->loc != FIELD_TAIL)
		return false;
	if (s.len < left->field->count * elem)
		s.len = left->field->count * elem;
	if (i.v >= s.len / elem)
		return false;
	if (left->elem != elem)
		return left->elem < elem;
	if (elem == 1 || elem == 2 || elem == 4 || elem == 8) {
		*out = known(field_load(s.p + i.v * elem, elem, left->field->swap));
		if (type)
			out->v = cast_item(type, out->v);
	}
	return true;
}

static bool eval_op(const struct event *ev, const struct pf_node *n, struct pf_value *out)
{
	struct pf_value l, r;

	if (n->op[0] == '[')
		return eval_index(ev, n, out);
	if (!pf_eval(ev, n->a, &l))
		return false;
	if (n->op[0] == '?') {
		if (l.known)
			return pf_eval(ev, l.v ? n->b->a : n->b->b, out);
		if (!pf_eval(ev, n->b->a, &l) || !pf_eval(ev, n->b->b, &r))
			return false;
		*out = unknown;
		return true;
	}
	if (!pf_eval(ev, n->b, &r))
		return false;
	*out = unknown;
	if (n->op[0] == '/' || n->op[0] == '%') {
		if (!r.known || !r.v)
			return false;
		if (l.known)
			*out = known(n->op[0] == '/' ? l.v / r.v : l.v % r.v);
		return true;
	}
	if ((n->op[0] == '<' || n->op[0] == '>') && n->op[1] == n->op[0] && r.known && r.v >= 64)
		return false;
	if (!l.known || !r.known)
		return true;
	switch (n->op[0]) {
	case '!':
		*out = known(n->op[1] ? l.v != r.v : !r.v);
		return true;
	case '~':
		*out = known(~r.v);
		return true;
	case '|':
		*out = known(n->op[1] ? l.v || r.v : l.v | r.v);
		return true;
	case '&':
		*out = known(n->op[1] ? l.v && r.v : l.v & r.v);
		return true;
	case '<':
		*out = known(n->op[1] == '<' ? l.v << r.v : n->op[1] ? l.v <= r.v : l.v < r.v);
		return true;
	case '>':
		*out = known(n->op[1] == '>' ? l.v >> r.v : n->op[1] ? l.v >= r.v : l.v > r.v);
		return true;
	case '=':
		*out = known(l.v == r.v);
		return true;
	case '-':
		*out = known(l.v - r.v);
		return true;
	case '+':
		*out = known(l.v + r.v);
		return true;
	case '*':
		*out = known(l.v * r.v);
		return true;
	}
	/* '^': some versions of the library compute it, others give 0. */
	return true;
}

bool pf_eval(const struct event *ev, const struct pf_node *n, struct pf_value *out)
{
	const struct field *f = n->field;
	struct span s;
	char *end;

	*out = known(0);
	switch (n->kind) {
	case PF_ATOM:
	case PF_STRING:
		out->v = strtoull(n->text, &end, 0);
		/* A word is looked up among the symbols. */
		if (!out->v && !isdigit((unsigned char)n->text[0]))
			*out = unknown;
		return true;
	case PF_FIELD:
		if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
			return true;
		if ((uint64_t)f->off + f->size > ev->size)
			*out = unknown;
		else
			out->v = field_load(ev->data + f->off, f->size, f->swap);
		return true;
	case PF_CAST:
		if (!pf_eval(ev, n->a, out))
			return false;
		if (out->known)
			out->v = cast(n->text, strlen(n->text), out->v);
		return true;
	case PF_OP:
		return eval_op(ev, n, out);
	case PF_DYN_LEN:
		if (!pf_inside(ev, f, &s))
			return false;
		out->v = s.len;
		return true;
	case PF_DYN:
		*out = unknown;
		return pf_inside(ev, f, &s);
	case PF_FUNC:
		for (const struct pf_node *a = n->a; a; a = a->next)
			if (!pf_eval(ev, a, out))
				return false;
		*out = unknown;
		return true;
	case PF_UNKNOWN:
		return false;
	default:
		return true;
	}
}
