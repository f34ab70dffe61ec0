// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refilter: other filters for an event that is being recorded: the new ones replace the old ones by
 * one write.
 */
#include "kernel/session/session_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_filter(struct session *s, const struct sess_event *ev, struct err *e)
{
	char dir[900];

	if (s->excluded.ntasks && session_feeds_back(&ev->name))
		return session_set_excluded(s, ev, e);
	session_event_dir(s, &ev->name, dir, sizeof(dir));
	return tracefs_write(dir, "filter", ev->filter ? ev->filter : "0", e);
}

void session_unfilter_event(struct session *s, struct sess_event *ev)
{
	bool had = ev->filter || (s->excluded.ntasks && session_feeds_back(&ev->name));
	char dir[900];
	struct err e;

	free(ev->filter);
	ev->filter = NULL;
	session_event_dir(s, &ev->name, dir, sizeof(dir));
	if (had && tracefs_write(dir, "filter", "0", &e) < 0)
		note_err(s->notes, NOTE_WARN, &e);
}

/* The next of F's filters from *AT on that are about EV; NULL: no more. */
static const struct sess_filter *next_about(const struct sess_filters *f, unsigned *at,
					    const struct tracefs_event *ev)
{
	while (*at < f->n)
		if (session_names_event(f->v[(*at)++].pattern, ev))
			return &f->v[*at - 1];
	return NULL;
}

/* Do A and B have the same filters for EV, in the same order? */
static bool filtered_alike(const struct sess_filters *a, const struct sess_filters *b,
			   const struct tracefs_event *ev)
{
	const struct sess_filter *x, *y;
	unsigned i = 0, k = 0;

	do {
		x = next_about(a, &i, ev);
		y = next_about(b, &k, ev);
		if (!x || !y)
			return x == y;
	} while (!strcmp(x->expr, y->expr));
	return false;
}

/* All of them in one, as session_join_filter() joins them, to be freed; NULL: none is about EV. */
static char *joined(const struct sess_filters *f, const struct tracefs_event *ev)
{
	const struct sess_filter *one;
	char *text = NULL;
	unsigned at = 0;

	while ((one = next_about(f, &at, ev))) {
		size_t size = (text ? strlen(text) : 0) + strlen(one->expr) + 16;
		char *more = mem_alloc(size);

		snprintf(more, size, text ? "(%s) && (%s)" : "%s%s", text ? text : "", one->expr);
		free(text);
		text = more;
	}
	return text;
}

/* EV did not accept the new filters: as many as it accepts, or else what it had, OLD. */
static void filter_singly(struct session *s, struct sess_event *ev, const char *old)
{
	char why[256], field[128];
	const struct sess_filter *one;
	unsigned at = 0;
	struct err e;

	ev->filter = NULL;
	while ((one = next_about(&s->filters, &at, &ev->name)))
		session_join_filter(s, ev, one, why, sizeof(why), field, sizeof(field));
	if (!ev->filter && old)
		ev->filter = mem_strdup(old);
	if (write_filter(s, ev, &e) < 0)
		note_err(s->notes, NOTE_WARN, &e);
}

static void count_refused(struct session *s, const struct sess_event *ev, const char *why)
{
	struct sess_change *c = &s->change;
	size_t len = strlen(c->names);

	if (!c->refused)
		snprintf(c->why, sizeof(c->why), "%s", why);
	if (c->refused++ < SESSION_NAMED)
		snprintf(c->names + len, sizeof(c->names) - len, "%s%.40s:%.50s", len ? ", " : "",
			 ev->name.system, ev->name.name);
}

bool session_refilter_event(struct session *s, struct sess_event *ev)
{
	char dir[900], why[256], field[128], *old = ev->filter;
	struct err e;

	if (filtered_alike(&s->change.old, &s->filters, &ev->name))
		return false;
	ev->filter = joined(&s->filters, &ev->name);
	if (write_filter(s, ev, &e) < 0) {
		session_event_dir(s, &ev->name, dir, sizeof(dir));
		session_refusal(dir, e.sys, why, sizeof(why), field, sizeof(field));
		count_refused(s, ev, why);
		free(ev->filter);
		filter_singly(s, ev, old);
	}
	free(old);
	return true;
}
