// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_list: the events that a kernel lists, and the patterns by which users name them.
 */
#include "kernel/event_list.h"

#include "base/glob.h"
#include "base/mem.h"
#include "kernel/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tracefs_event_order(const void *a, const void *b)
{
	const struct tracefs_event *x = a, *y = b;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

int tracefs_events(struct tracefs_events *l, const char *dir, struct err *e)
{
	size_t cap = 0;
	char *next;

	memset(l, 0, sizeof(*l));
	l->text = tracefs_text(dir, "available_events", NULL, e);
	if (!l->text)
		return -1;
	for (char *p = l->text; *p; p = next) {
		char *end = p + strcspn(p, "\n"), *colon;

		next = *end ? end + 1 : end;
		*end = '\0';
		colon = strchr(p, ':');
		if (!colon || colon == p || !colon[1])
			continue;
		*colon = '\0';
		l->v = mem_grow(l->v, &cap, l->n + 1, sizeof(*l->v));
		l->v[l->n++] = (struct tracefs_event){ p, colon + 1 };
	}
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), tracefs_event_order);
	return 0;
}

void tracefs_events_fini(struct tracefs_events *l)
{
	free(l->v);
	free(l->text);
	memset(l, 0, sizeof(*l));
}

/* The names to compare with a mistyped one: systems, or the events of one. */
struct near {
	const struct tracefs_events *l;
	unsigned next;
	const char *system; /* NULL: systems */
};

static const char *next_name(void *arg)
{
	struct near *n = arg;

	while (n->next < n->l->n) {
		const struct tracefs_event *ev = &n->l->v[n->next++];

		if (n->system && !strcmp(ev->system, n->system))
			return ev->name;
		if (!n->system && (n->next == 1 || strcmp(ev->system, ev[-1].system)))
			return ev->system;
	}
	return NULL;
}

/* The suggestions for SYSTEM and NAME (NULL: none was given), into OUT; or "". */
static void find_near(const struct tracefs_events *l, const char *system, const char *name,
		      char *out, size_t size)
{
	struct near systems = { .l = l }, events = { .l = l };
	const char *found = NULL, *wanted = name ? name : system;
	bool letters = wanted[strspn(wanted, "*?")];

	*out = '\0';
	for (unsigned i = 0; i < l->n; i++) {
		/* "sched_switch", or "sched_*": the event without its system. */
		if (letters && glob_match_perl(wanted, l->v[i].name, false)) {
			snprintf(out, size, "%s:%s", l->v[i].system, wanted);
			return;
		}
		if (!strcmp(l->v[i].system, system))
			events.system = l->v[i].system;
	}
	if (!events.system) {
		events.system = nearest_name(system, next_name, &systems);
		if (!name) {
			snprintf(out, size, "%s", events.system ? events.system : "");
			return;
		}
	}
	if (events.system && name)
		found = nearest_name(name, next_name, &events);
	if (found)
		snprintf(out, size, "%s:%s", events.system, found);
}

int tracefs_match(const struct tracefs_events *l, const char *pattern, bool *chosen, struct err *e)
{
	char system[300], name[300] = "*", near[620];
	size_t len = strcspn(pattern, ":");
	const char *rest = pattern + len;
	int n = 0;

	if (*rest)
		rest += rest[1] == ':' ? 2 : 1;
	if (!len || len >= sizeof(system) || strlen(rest) >= sizeof(name) ||
	    (pattern[len] && !*rest))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid event '%.80s': expected SUBSYSTEM or SUBSYSTEM:EVENT "
			       "(zedtrace -t lists them)",
			       pattern);
	snprintf(system, sizeof(system), "%.*s", (int)len, pattern);
	if (*rest)
		snprintf(name, sizeof(name), "%s", rest);
	for (unsigned i = 0; i < l->n; i++)
		if (glob_match_perl(system, l->v[i].system, true) &&
		    glob_match_perl(name, l->v[i].name, false)) {
			chosen[i] = true;
			n++;
		}
	if (n)
		return n;
	find_near(l, system, *rest ? name : NULL, near, sizeof(near));
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "this kernel has no event '%.80s'%s%s%s (zedtrace -t lists them)", pattern,
		       *near ? "; did you mean " : "", near, *near ? "?" : "");
}
