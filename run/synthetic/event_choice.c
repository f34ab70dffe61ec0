// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_choice: which events of the inputs were chosen by name and by expression: what the streams
 * leave out, and what of the synthetic events is shown.
 */
#include "run/synthetic/event_choice.h"

#include "base/mem.h"

#include <stdlib.h>

static bool takes_type(void *arg, const struct etype *t)
{
	struct event_choice *c = arg;

	return words_take(c->events, t) || synthetic_takes(c->synthetic, t);
}

static bool is_stable(void *arg, const char *system, const char *event)
{
	struct event_choice *c = arg;

	return stable_find(c->stable, system, event) != NULL;
}

int choice_compile(struct event_choice *c, struct notes *n, struct err *e)
{
	struct filter *f = c->pump->filter;

	filter_other_names(f, is_stable, c);
	filter_base(f, &c->pump->run.base);
	if (c->events)
		filter_types(f, takes_type, c);
	return filter_compile(f, c->pump->catalog, n, e);
}

void choice_want(struct event_choice *c, const uint8_t *want)
{
	struct catalog *catalog = c->pump->catalog;
	unsigned n = catalog_count(catalog);
	/* All chosen events are counted; times count from the first event, whatever it is. */
	bool all = !want || c->counts || c->pump->relative;
	uint8_t *both;
	struct err e;

	synthetic_want(c->synthetic, all ? NULL : want);
	if (!want && !synthetic_any(c->synthetic) && (!c->events || c->pump->relative)) {
		catalog_want(catalog, NULL);
		return;
	}
	/* The script may have defined more since; what was compiled once fits. */
	if (c->events && synthetic_any(c->synthetic))
		(void)choice_compile(c, NULL, &e);
	both = mem_alloc((size_t)n + 1);
	for (unsigned i = 0; i < n; i++) {
		const struct etype *t = catalog_at(catalog, i);

		if (synthetic_takes(c->synthetic, t))
			both[i] = WANT_BEYOND;
		else if (!c->pump->relative && !filter_takes_type(c->pump->filter, t))
			both[i] = WANT_NO;
		else if (want && want[i] != WANT_NO)
			both[i] = c->events && want[i] == WANT_EARLY ? WANT_ORDER : want[i];
		else
			both[i] = all ? WANT_ORDER : WANT_NO;
	}
	catalog_want(catalog, both);
	free(both);
}

static bool shows_type(void *arg, const struct etype *t)
{
	struct event_choice *c = arg;

	return !c->events || words_take(c->events, t);
}

static bool passes_filter(void *arg, const struct event *ev)
{
	struct event_choice *c = arg;

	return filter_pass(c->pump->filter, ev);
}

static bool is_beyond(void *arg, const struct event *ev)
{
	struct event_choice *c = arg;

	return filter_pass_kind(c->pump->filter, ev);
}

struct stage *choice_synthetic(struct event_choice *c, struct stage *from)
{
	const struct synthetic_gate gate = {
		.shows = c->events ? shows_type : NULL,
		.passes = filter_empty(c->pump->filter) ? NULL : passes_filter,
		.beyond = is_beyond,
		.arg = c,
	};

	if (!synthetic_any(c->synthetic))
		return from;
	c->pump->in_order = true;
	return synthetic_stage(c->synthetic, from, &gate);
}
