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

/* The names to compare with a mistyped one: systems, or events. */
struct near {
	const struct tracefs_events *l;
	bool events;
	const char *system; /* events: of this one alone; NULL: of all */
	unsigned next;
};

static const char *next_name(void *arg)
{
	struct near *n = arg;

	while (n->next < n->l->n) {
		const struct tracefs_event *ev = &n->l->v[n->next++];

		if (n->events && (!n->system || !strcmp(ev->system, n->system)))
			return ev->name;
		if (!n->events && (n->next == 1 || strcmp(ev->system, ev[-1].system)))
			return ev->system;
	}
	return NULL;
}

/* The system of the first event that is called NAME. */
static const char *system_of(const struct tracefs_events *l, const char *name)
{
	for (unsigned i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return l->v[i].system;
	return "";
}

/* For WORD, which has no colon: a system, or an event with its system, whichever is nearer. */
static void find_near_whole(const struct tracefs_events *l, const char *word, char *out,
			    size_t size)
{
	struct near systems = { .l = l }, events = { .l = l, .events = true };
	const char *system = nearest_name(word, next_name, &systems);
	const char *name = nearest_name(word, next_name, &events);

	if (name && (!system || edit_distance(word, name) < edit_distance(word, system)))
		snprintf(out, size, "%s:%s", system_of(l, name), name);
	else if (system)
		snprintf(out, size, "%s", system);
}

/* For an event of SYSTEM, which may be mistyped as well. */
static void find_near_event(const struct tracefs_events *l, const char *system, const char *wanted,
			    char *out, size_t size)
{
	struct near systems = { .l = l }, events = { .l = l, .events = true };
	const char *name;

	while ((name = next_name(&systems)) && strcmp(name, system))
		;
	systems.next = 0;
	events.system = name ? name : nearest_name(system, next_name, &systems);
	if (!events.system)
		return;
	/* "schde:*": the events are right. */
	while ((name = next_name(&events)) && !glob_match_perl(wanted, name, false))
		;
	events.next = 0;
	name = name ? wanted : nearest_name(wanted, next_name, &events);
	if (name)
		snprintf(out, size, "%s:%s", events.system, name);
}

/* The suggestion for SYSTEM and NAME (NULL: none was given), into OUT; or "". */
static void find_near(const struct tracefs_events *l, const char *system, const char *name,
		      char *out, size_t size)
{
	const char *wanted = name ? name : system;
	bool letters = wanted[strspn(wanted, "*?")];

	*out = '\0';
	/* "sched_switch", or "sched_*": the event without its system. */
	for (unsigned i = 0; letters && i < l->n; i++)
		if (glob_match_perl(wanted, l->v[i].name, false)) {
			snprintf(out, size, "%s:%s", l->v[i].system, wanted);
			return;
		}
	if (name)
		find_near_event(l, system, name, out, size);
	else
		find_near_whole(l, system, out, size);
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
