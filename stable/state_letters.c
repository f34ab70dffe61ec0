// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * state_letters: reads the meaning of a field's numbers from the event's print format: letters of
 * task states, the bits for "preempted", and names.
 */
#include "stable/state_letters.h"

#include "text/printfmt/constant.h"
#include "text/printfmt/printfmt_parse.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH (8 * PF_MAX_DEPTH) /* of a tree, which a chain of operators may make deep */

/* Which bits of F the expression N uses: all, or those of a mask.  False: it does not use F. */
static bool field_bits_of(const struct pf_node *n, const struct field *f, uint64_t *bits)
{
	const struct pf_node *constant;
	uint64_t v;

	while (n && n->kind == PF_CAST)
		n = n->a;
	if (!n)
		return false;
	if (n->kind == PF_FIELD) {
		*bits = UINT64_MAX;
		return n->field == f;
	}
	if (n->kind != PF_OP || !n->a || !n->b)
		return false;
	if (field_bits_of(n->a, f, bits))
		constant = n->b;
	else if (field_bits_of(n->b, f, bits))
		constant = n->a;
	else
		return false;
	if (!constant_value(constant, &v))
		return false;
	if (!strcmp(n->op, "&"))
		*bits &= v;
	else
		return !strcmp(n->op, "!=") && !v;
	return true;
}

/* Calls VISIT for N and all nodes below it until it returns true. */
static bool walk(const struct pf_node *n, unsigned depth,
		 bool (*visit)(const struct pf_node *n, void *arg), void *arg)
{
	for (; n; n = n->next) {
		if (depth > MAX_DEPTH)
			return false;
		if (visit(n, arg) || walk(n->a, depth + 1, visit, arg) ||
		    walk(n->b, depth + 1, visit, arg))
			return true;
	}
	return false;
}

struct search {
	const struct field *f;
	struct letters *letters;
	uint64_t bits;
	const struct flag_table *table;
};

static char letter_shown(const char *name)
{
	if (!name[0] || name[1] ||
	    !((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z')))
		return 0;
	return name[0] == 'x' ? 'X' : name[0];
}

static bool read_letters(const struct flag_table *t, uint64_t mask, struct letters *out)
{
	memset(out, 0, sizeof(*out));
	out->none = 'R';
	for (unsigned i = 0; i < t->n; i++) {
		char c = letter_shown(t->names[i].name);
		uint64_t bits = t->names[i].value;

		if (!t->names[i].known || !c || out->n == sizeof(out->of) / sizeof(out->of[0]))
			return false;
		if (!bits) {
			out->none = c;
		} else if ((bits & mask) == bits) {
			out->of[out->n].bits = bits;
			out->of[out->n++].letter = c;
		}
	}
	return out->n > 0;
}

static bool visit_flags(const struct pf_node *n, void *arg)
{
	struct search *s = arg;
	uint64_t mask;

	return n->kind == PF_FLAGS && n->table && field_bits_of(n->a, s->f, &mask) &&
	       read_letters(n->table, mask, s->letters);
}

/* COND ? YES : NO */
static bool is_choice(const struct pf_node *n)
{
	return n->kind == PF_OP && !strcmp(n->op, "?") && n->b && n->b->a && n->b->b;
}

/* COND ? __print_flags(...) : "R": the text shown if no bit is set. */
static bool visit_none(const struct pf_node *n, void *arg)
{
	struct search *s = arg;
	uint64_t mask;

	if (!is_choice(n) || n->b->a->kind != PF_FLAGS || n->b->b->kind != PF_STRING ||
	    !field_bits_of(n->b->a->a, s->f, &mask) || !letter_shown(n->b->b->text))
		return false;
	s->letters->none = letter_shown(n->b->b->text);
	return true;
}

static bool visit_mark(const struct pf_node *n, void *arg)
{
	struct search *s = arg;

	return is_choice(n) && n->b->a->kind == PF_STRING && !strcmp(n->b->a->text, "+") &&
	       field_bits_of(n->a, s->f, &s->bits) && s->bits != UINT64_MAX;
}

static bool has_letter(const struct letters *l, uint64_t bits, char letter)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->of[i].bits == bits && l->of[i].letter == letter)
			return true;
	return false;
}

bool letters_read(const struct etype *t, const struct field *f, struct letters *out)
{
	struct search s = { .f = f, .letters = out };
	struct arena a = { 0 };
	const struct pf_node *args = printfmt_args(t, &a);
	bool found = walk(args, 0, visit_flags, &s);

	if (found) {
		walk(args, 0, visit_none, &s);
		out->numbered = has_letter(out, 0x40, 'P') && has_letter(out, 0x80, 'I') &&
				walk(args, 0, visit_mark, &s) && s.bits == 0x1000;
	}
	arena_fini(&a);
	return found;
}

uint64_t mark_read(const struct etype *t, const struct field *f)
{
	struct search s = { .f = f };
	struct arena a = { 0 };
	bool found = walk(printfmt_args(t, &a), 0, visit_mark, &s);

	arena_fini(&a);
	return found ? s.bits : 0;
}

/* Only a table of the bare field: an operation on it would have to be applied to each value. */
static bool visit_symbolic(const struct pf_node *n, void *arg)
{
	struct search *s = arg;

	if (n->kind != PF_SYMBOLIC || !n->table || n->table->field != s->f || !n->table->n)
		return false;
	s->table = n->table;
	return true;
}

/* Sort by value, keeping the first of equal ones in the format's order. */
static unsigned sort(struct value_name *names, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned lo = 0, hi = kept;
		struct value_name v = names[i];

		while (lo < hi) {
			unsigned mid = (lo + hi) / 2;

			if (names[mid].value < v.value)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < kept && names[lo].value == v.value)
			continue;
		memmove(&names[lo + 1], &names[lo], (kept - lo) * sizeof(*names));
		names[lo] = v;
		kept++;
	}
	return kept;
}

const struct value_name *symbols_read(const struct etype *t, const struct field *f, struct arena *a,
				      unsigned *n)
{
	struct search s = { .f = f };
	uint64_t mask = f->size < 8 ? (1ull << 8 * f->size) - 1 : UINT64_MAX;
	struct value_name *names;

	*n = 0;
	if (!walk(printfmt_args(t, a), 0, visit_symbolic, &s))
		return NULL;
	names = arena_alloc(a, s.table->n * sizeof(*names));
	for (unsigned i = 0; i < s.table->n; i++) {
		if (!s.table->names[i].known)
			continue;
		/* As in the record: -1 of an int has 32 bits. */
		names[*n].value = s.table->names[i].value & mask;
		names[(*n)++].name = s.table->names[i].name;
	}
	*n = sort(names, *n);
	return names;
}
