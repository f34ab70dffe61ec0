// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * promises: compares the promises of a stable event with its sources when its definition is read,
 * and reports a source that has the wrong kind or size on every trace.
 */
#include "stable/expr.h"

/* Does V fit into SIZE bits?  NEG: V is a negative number in two's complement. */
static bool fits(uint64_t v, bool neg, unsigned size, bool is_signed)
{
	if (neg)
		return is_signed && (int64_t)v >= (int64_t)(-1ull << (size - 1));
	return !(size - is_signed < 64 && v >> (size - is_signed));
}

/* What a term gives, and what a field needs. */
enum value { V_ANY, V_NUMBER, V_TEXT, V_LETTER, V_BYTES, V_ARRAY };

static const char *const value_names[] = {
	[V_NUMBER] = "a number",	   [V_TEXT] = "a text",
	[V_LETTER] = "a letter",	   [V_BYTES] = "bytes",
	[V_ARRAY] = "an array of numbers",
};

static enum value value_of(const struct stable_term *t)
{
	if (t->be64)
		return V_BYTES;
	switch (t->op) {
	case TERM_FIELD:
		return V_ANY;
	case TERM_LETTER:
		return V_LETTER;
	case TERM_COMM:
	case TERM_STR:
	case TERM_SYMBOL:
	case TERM_SYSCALL:
		return V_TEXT;
	}
	return V_NUMBER;
}

static enum value value_wanted(const struct desc_item *it, const struct field *f)
{
	switch (f->kind) {
	case FIELD_STR:
		return it->kind == DESC_FIELD ? V_LETTER : V_TEXT;
	case FIELD_BYTES:
		return V_BYTES;
	case FIELD_ARRAY:
		return V_ARRAY;
	}
	return V_NUMBER;
}

static bool constant_fits(const struct stable_term *t, const struct desc_item *it)
{
	uint64_t v;

	if (t->neg)
		return t->times == 1 && fits(t->num, true, it->size, it->is_signed);
	return !__builtin_mul_overflow(t->num, t->times, &v) &&
	       fits(v, false, it->size, it->is_signed);
}

static int check_term(const struct stable_term *t, const struct desc_item *it, enum value want,
		      struct err *e)
{
	enum value gives = value_of(t);

	if (t->be64 && t->op == TERM_COMM)
		return desc_complain(e, it->line, t->column, "be64() takes a number");
	if (t->times != 1 && gives != V_NUMBER && gives != V_ANY)
		return desc_complain(e, it->line, t->column, "'*' multiplies numbers only");
	if (want == V_LETTER && t->op == TERM_STR) {
		if (t->len == 1)
			return 0;
		return desc_complain(e, it->line, t->column, "'%s' promises one character, not %u",
				     it->name, t->len);
	}
	if (gives != V_ANY && gives != want)
		return desc_complain(e, it->line, t->column, "this gives %s, but '%s' promises %s",
				     value_names[gives], it->name, value_names[want]);
	if (t->op == TERM_INT && !t->be64 && !constant_fits(t, it))
		return desc_complain(e, it->line, t->column,
				     "the number does not fit into %u %s bits", it->size,
				     it->is_signed ? "signed" : "unsigned");
	if (it->kind == DESC_ARRAY &&
	    (t->be64 ? it->count != 8 : t->op == TERM_STR && t->len > it->count))
		return desc_complain(e, it->line, t->column, "%u byte%s, but '%s' promises %u",
				     t->be64 ? 8 : t->len, plural(t->be64 ? 8 : t->len), it->name,
				     it->count);
	return 0;
}

int stablecheck(const struct stable_expr *x, const struct desc *d, unsigned i, struct err *e)
{
	const struct desc_item *it = &d->items[i];
	enum value want = value_wanted(it, &d->fields[i]);

	if (it->kind == DESC_ABSENT)
		return x->stated ? desc_complain(e, it->line, 1,
						 "'%s' is absent: it takes no source", it->name) :
				   0;
	for (unsigned j = 0; j < x->n; j++) {
		const struct stable_alt *alt = &x->alts[j];

		if (alt->n > 1 && want != V_NUMBER)
			return desc_complain(e, it->line, alt->terms[1].column,
					     "'or' joins numbers, "
					     "but '%s' promises %s",
					     it->name, value_names[want]);
		for (unsigned k = 0; k < alt->n; k++)
			TRY(check_term(&alt->terms[k], it, want, e));
	}
	if (x->default_kind == DEFAULT_VALUE)
		TRY(check_term(&x->value, it, want, e));
	return 0;
}
