/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_FIELD_BUDGET_H
#define ZED_INTERP_COMMON_FIELD_BUDGET_H

#include "base/err.h"
#include "trace/field.h"

/*
 * How much the strings, arrays, masks and lists of one event may add up to when they become values
 * of a script, in bytes: FIELD_BUDGET_FREE, and FIELD_BUDGET_RATIO for each byte of the record.
 * Those of a kernel's event never exceed the record; a hostile format may lay a thousand fields
 * over the same bytes.  What exceeds it, or lies outside of the record, is taken as empty.
 */
#define FIELD_BUDGET_FREE (64u << 10)
#define FIELD_BUDGET_RATIO 4

struct field_budget {
	struct notes *notes; /* borrowed; NULL: nothing is reported */
	uint64_t left;	     /* bytes that the event may still use */
	uint64_t bad;	     /* fields taken as empty */
	uint8_t *said;	     /* by type idx: reasons for that already reported */
	size_t nsaid;
};

/* Begin with EV. */
static inline void field_budget_begin(struct field_budget *b, const struct event *ev)
{
	b->left = FIELD_BUDGET_FREE + (uint64_t)FIELD_BUDGET_RATIO * ev->size;
}

/*
 * F of EV is taken as empty, as it points outside of the record, or as the budget is used up:
 * counted, and reported once for each type and reason.
 */
void field_budget_outside(struct field_budget *b, const struct field *f, const struct event *ev);
void field_budget_exceeded(struct field_budget *b, const struct field *f, const struct event *ev);

/* Subtract N bytes.  False: there are not as many, which is reported. */
static inline bool field_budget_take(struct field_budget *b, const struct field *f,
				     const struct event *ev, size_t n)
{
	if (__builtin_expect(n <= b->left, 1)) {
		b->left -= n;
		return true;
	}
	field_budget_exceeded(b, f, ev);
	return false;
}

/* The bytes of F, subtracted; none if it is taken as empty. */
static inline void field_budget_span(struct field_budget *b, const struct field *f,
				     const struct event *ev, struct span *s)
{
	if (__builtin_expect(!field_span(f, ev, s), 0))
		field_budget_outside(b, f, ev);
	else if (__builtin_expect(!field_budget_take(b, f, ev, s->len), 0))
		s->len = 0;
}

void field_budget_fini(struct field_budget *b);

#endif
