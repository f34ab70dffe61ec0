/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * near: the name in the trace that a name of the script was probably meant to be.
 */
#include "interp/bind/near.h"

#include "base/glob.h"
#include "base/mem.h"
#include "interp/bind/perl_name.h"
#include "trace/lttng_event.h"

#include <string.h>

#define NEAR 2 /* edits: more than a slip make a different word */

bool near_is_slip(const char *name, const char *other)
{
	size_t a = strlen(name), b = strlen(other);

	return edit_distance(name, other) <= (a < 6 || b < 6 ? 1 : NEAR);
}

/* Candidates for "did you mean": the names of a system's events, stable ones after them. */
struct sub_candidates {
	const struct bind *b;
	const char *system; /* or NULL: all, with their systems */
	unsigned i, stable, other;
	bool traced;	    /* only those of the trace */
	struct arena names; /* the nearest one, kept until all were compared */
};

static const char *next_candidate(void *arg)
{
	struct sub_candidates *c = arg;
	const char *event, *of;
	char name[BIND_NAME];
	size_t system, len;

	while (c->i < catalog_count(c->b->catalog)) {
		const struct etype *t = catalog_at(c->b->catalog, c->i++);

		if (c->system && !strcmp(c->system, LTTNG_SYSTEM) && t->lttng)
			return t->lttng->name;
		if (c->system && strcmp(t->system, c->system))
			continue;
		len = bind_name(t, name, sizeof(name), &system);
		if (len >= sizeof(name))
			continue;
		if (!c->system && t->known)
			return arena_strndup(&c->names, name, len);
		if (c->system)
			return arena_strndup(&c->names, name + system + 2, len - system - 2);
	}
	while (c->stable < stable_count(c->b->stable)) {
		const struct stable_event *ev = stable_at(c->b->stable, c->stable++);

		if (c->system && !strcmp(ev->system, c->system))
			return ev->name;
		if (c->system)
			continue;
		snprintf(name, sizeof(name), "%s::%s", ev->system, ev->name);
		return arena_strndup(&c->names, name, strlen(name));
	}
	while (!c->traced && (event = catalog_other(c->b->catalog, c->other++, &of))) {
		if (c->system && !strcmp(of, c->system))
			return event;
		if (c->system)
			continue;
		snprintf(name, sizeof(name), "%s::%s", of, event);
		return arena_strndup(&c->names, name, strlen(name));
	}
	return NULL;
}

bool near_is_event(const struct bind *b, const char *system, const char *name)
{
	struct sub_candidates c = { .b = b, .system = system, .traced = true };
	const char *event;

	do
		event = next_candidate(&c);
	while (event && strcmp(event, name));
	arena_fini(&c.names);
	return event;
}

bool near_event(const struct bind *b, const char *system, const char *name, char *buf, size_t size)
{
	struct sub_candidates c = { .b = b, .system = system };
	const char *near = nearest_name(name, next_candidate, &c);
	bool found = near && strcmp(near, name);

	if (found)
		snprintf(buf, size, "%s", near);
	/* Last: NEAR is borrowed from the candidates. */
	arena_fini(&c.names);
	return found;
}

const char *near_system(const struct bind *b, const char *package)
{
	const char *near = NULL;
	unsigned i;

	for (i = 0; i < b->nsystems; i++) {
		const struct bind_system *s = &b->systems[i];

		if (near_is_slip(package, s->name) && !perl_reserves(s->name) &&
		    (!near || edit_distance(package, s->name) < edit_distance(package, near)))
			near = s->name;
	}
	return near;
}
