/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * field_budget: which fields of an event are taken as empty, as they point outside of the record or
 * add up to too much.
 */
#include "interp/common/field_budget.h"

#include "base/mem.h"

#include <stdlib.h>

/* Bits of field_budget.said. */
enum why_empty {
	OUTSIDE = 1,  /* the record points outside of itself */
	EXCEEDED = 2, /* the event's fields are more than its budget */
};

/* Report that once for each type and reason, count all. */
static void say_empty(struct field_budget *b, const struct field *f, const struct event *ev,
		      enum why_empty why)
{
	unsigned idx = ev->type->idx;

	b->bad++;
	if (idx >= b->nsaid)
		b->said = mem_grow_zeroed(b->said, &b->nsaid, idx + 1, 1);
	if (!(b->said[idx] & why)) {
		b->said[idx] |= why;
		note_say(b->notes, NOTE_DAMAGE,
			 "%s: offset 0x%llx: %s::%s: field %s %s: taken as empty", ev->from->path,
			 (unsigned long long)ev->off, ev->type->system, ev->type->name, f->name,
			 why == OUTSIDE ? "points outside the record" :
					  "and those before it are many times as long as the "
					  "record");
	} else if (b->notes) {
		b->notes->damage++;
	}
}

void field_budget_outside(struct field_budget *b, const struct field *f, const struct event *ev)
{
	say_empty(b, f, ev, OUTSIDE);
}

void field_budget_exceeded(struct field_budget *b, const struct field *f, const struct event *ev)
{
	say_empty(b, f, ev, EXCEEDED);
}

void field_budget_fini(struct field_budget *b)
{
	free(b->said);
	b->said = NULL;
	b->nsaid = 0;
}
