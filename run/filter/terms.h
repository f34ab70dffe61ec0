/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_FILTER_TERMS_H
#define ZED_RUN_FILTER_TERMS_H

#include "expr/test.h"
#include "trace/catalog.h"

struct term;

/* A type's own copies of the terms that name it. */
struct term_bound {
	struct term_bound *next;
	struct expr_test *where;
};

struct term_slot {
	struct term_bound *bound;
	bool met;
	bool refused; /* by takes() */
};

/*
 * The half of a filter that selects the types of events that an answer is made from, and which of
 * their events.
 */
struct terms {
	struct term *list, **tail;
	/* What filter_types() and filter_other_names() gave, or NULL. */
	bool (*takes)(void *arg, const struct etype *t);
	void *takes_arg;
	bool (*other)(void *arg, const char *system, const char *event);
	void *other_arg;
	struct expr_names names;
	struct term_slot *slots; /* by etype idx */
	size_t cap_slots;
	struct catalog *catalog;
	struct notes *notes;
};

void terms_init(struct terms *ts);
void terms_fini(struct terms *ts);

/* filter_expr() and filter_compile(). */
int terms_add(struct terms *ts, const char *text, struct err *e);
int terms_compile(struct terms *ts, struct catalog *c, struct notes *n, struct err *e);

bool terms_take_type(const struct terms *ts, const struct etype *t);

/* A type that appeared after terms_compile(). */
struct term_slot *terms_meet(struct terms *ts, const struct etype *type);

/* Does everything pass? */
static inline bool terms_empty(const struct terms *ts)
{
	return !ts->list && !ts->takes;
}

/* Does EV pass?  No allocation once its type has been met. */
static inline bool terms_pass(struct terms *ts, const struct event *ev)
{
	const struct term_slot *s;

	if (terms_empty(ts))
		return true;
	if (ev->type->idx < ts->cap_slots && ts->slots[ev->type->idx].met)
		s = &ts->slots[ev->type->idx];
	else
		s = terms_meet(ts, ev->type);
	if (s->refused)
		return false;
	for (const struct term_bound *b = s->bound; b; b = b->next)
		if (!expr_test_pass(b->where, ev))
			return false;
	return true;
}

#endif
