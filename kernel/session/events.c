// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events: switches on the events that the patterns name in a session's instance, at the start and
 * when a module adds events.
 */
#include "kernel/session/session_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 3 /* events that others switched off, by name */

void session_event_dir(const struct session *s, const struct tracefs_event *ev, char *path,
		       size_t size)
{
	snprintf(path, size, "%s/events/%s/%s", s->dir, ev->system, ev->name);
}

static struct sess_event *find_event(const struct session *s, const struct tracefs_event *ev)
{
	for (unsigned i = 0; i < s->nevents; i++)
		if (!strcmp(s->events[i].name.name, ev->name) &&
		    !strcmp(s->events[i].name.system, ev->system))
			return &s->events[i];
	return NULL;
}

static struct sess_event *add_event(struct session *s, const struct tracefs_event *ev)
{
	struct tracefs_event name = {
		arena_strndup(&s->arena, ev->system, strlen(ev->system)),
		arena_strndup(&s->arena, ev->name, strlen(ev->name)),
	};

	s->events = mem_grow(s->events, &s->events_cap, s->nevents + 1, sizeof(*s->events));
	s->names = mem_grow(s->names, &s->names_cap, s->nevents + 1, sizeof(*s->names));
	s->events[s->nevents] = (struct sess_event){ .name = name };
	s->names[s->nevents] = name;
	return &s->events[s->nevents++];
}

void session_all_events(struct session *s)
{
	for (unsigned i = 0; i < s->known.n; i++)
		add_event(s, &s->known.v[i]);
}

/* Switch EV on; false: it refused, which was reported. */
static bool enable_event(struct session *s, const struct tracefs_event *ev)
{
	char dir[900];
	struct err e;

	session_event_dir(s, ev, dir, sizeof(dir));
	if (tracefs_write(dir, "enable", "1", &e) == 0)
		return true;
	note_say(s->notes, NOTE_WARN, "%s:%s cannot be recorded and is left out: %s", ev->system,
		 ev->name, strerror(e.sys));
	return false;
}

int session_choose(struct session *s, const struct session_opts *o, struct err *e)
{
	if (!o->nevents && !o->markers && !o->tracer.name)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "no events given (zedtrace -t lists them)");
	TRY(tracefs_events(&s->known, s->root, e));
	s->chosen = mem_zalloc(s->known.n + 1);
	s->patterns = mem_zalloc((o->nevents + 1) * sizeof(*s->patterns));
	for (unsigned i = 0; i < o->nevents; i++) {
		TRY(tracefs_match(&s->known, o->events[i], s->chosen, e));
		s->patterns[s->npatterns++] = mem_strdup(o->events[i]);
	}
	return session_read_filters(s, o, e);
}

/* Switch on all events of SYSTEM by one write.  False: some or all refused. */
static bool enable_whole(struct session *s, const char *system)
{
	char dir[640], *text;
	struct err e;
	bool all;

	snprintf(dir, sizeof(dir), "%s/events/%s", s->dir, system);
	if (tracefs_write(dir, "enable", "1", &e) < 0)
		return false;
	/*
	 * Whether the write fails if one event refuses depends on the kernel; "X" shows it on all.
	 */
	text = tracefs_text(dir, "enable", NULL, &e);
	all = text && *text == '1';
	free(text);
	return all;
}

void session_events_off(const char *dir)
{
	char sub[900], last[256] = "", *text, *line, *next;
	struct err e;

	text = tracefs_text(dir, "set_event", NULL, &e);
	for (line = text; line && *line; line = next) {
		size_t len = strcspn(line, ":\n");

		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (!len || len >= sizeof(last) || line[len] != ':' ||
		    (!strncmp(line, last, len) && !last[len]))
			continue;
		memcpy(last, line, len);
		last[len] = '\0';
		if (strchr(last, '/'))
			continue;
		snprintf(sub, sizeof(sub), "%s/events/%s", dir, last);
		tracefs_write(sub, "enable", "0", &e);
	}
	free(text);
}

int session_enable(struct session *s, struct err *e)
{
	unsigned end;

	for (unsigned i = 0; i < s->known.n; i = end) {
		bool all = true, any = false;

		for (end = i;
		     end < s->known.n && !strcmp(s->known.v[end].system, s->known.v[i].system);
		     end++) {
			all &= s->chosen[end];
			any |= s->chosen[end];
		}
		if (!any)
			continue;
		all = all && enable_whole(s, s->known.v[i].system);
		for (unsigned k = i; k < end; k++)
			if (all || (s->chosen[k] && enable_event(s, &s->known.v[k])))
				add_event(s, &s->known.v[k]);
	}
	if (!s->nevents && s->npatterns)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "none of the events can be recorded: the kernel refuses all of "
			       "them");
	s->enabled = tracefs_text(s->dir, "set_event", NULL, e);
	return 0;
}

/* An event that appeared while recording: set its filter first, as tracing is on. */
static struct sess_event *take_event(struct session *s, const struct tracefs_event *ev)
{
	struct sess_event *mine = find_event(s, ev), *known = mine;

	if (!known)
		mine = add_event(s, ev);
	session_filter_event(s, mine);
	if (!known)
		session_stack_event(s, mine);
	if (enable_event(s, ev))
		return mine;
	if (!known) {
		free(mine->filter);
		s->nevents--;
	}
	return NULL;
}

int session_rescan(struct session *s, void (*give)(void *arg, const struct tracefs_event *ev),
		   void *arg, struct err *e)
{
	struct tracefs_events now;
	unsigned old = 0;
	bool *chosen;
	struct err none;
	char *listing;

	if (s->attached)
		return 0;
	listing = tracefs_text(s->root, "available_events", NULL, e);
	if (!listing)
		return -1;
	if (s->listing && !strcmp(s->listing, listing)) {
		free(listing);
		return 0;
	}
	free(s->listing);
	s->listing = listing;
	TRY(tracefs_events(&now, s->root, e));
	chosen = mem_zalloc(now.n + 1);
	for (unsigned i = 0; i < s->npatterns; i++)
		tracefs_match(&now, s->patterns[i], chosen, &none);
	/* Both lists are sorted. */
	for (unsigned i = 0; i < now.n; i++) {
		struct sess_event *ev;

		while (old < s->known.n && tracefs_event_order(&s->known.v[old], &now.v[i]) < 0)
			old++;
		if (old < s->known.n && !tracefs_event_order(&s->known.v[old], &now.v[i]))
			continue;
		ev = chosen[i] ? take_event(s, &now.v[i]) : NULL;
		if (ev && give)
			give(arg, &ev->name);
	}
	tracefs_events_fini(&s->known);
	free(s->chosen);
	s->known = now;
	s->chosen = chosen;
	qsort(s->names, s->nevents, sizeof(*s->names), tracefs_event_order);
	return 0;
}

/* ---- events switched off by other processes ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cut TEXT into its lines, sorted; *LINES to be freed, what they point into is TEXT. */
static unsigned cut_lines(char *text, char ***lines)
{
	size_t cap = 0;
	unsigned n = 0;
	char *rest = text, *line;

	*lines = NULL;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		*lines = mem_grow(*lines, &cap, n + 1, sizeof(**lines));
		(*lines)[n++] = line;
	}
	if (n)
		qsort(*lines, n, sizeof(**lines), by_text);
	return n;
}

/* The lines of WAS that IS has not, "a:b, c:d and 3 more" into NAMES; returns how many. */
static unsigned missing_lines(char *was, char *is, char *names, size_t size)
{
	unsigned nold, nnew, k = 0, missing = 0;
	char **old, **new;
	size_t len = 0;

	nold = cut_lines(was, &old);
	nnew = cut_lines(is, &new);
	*names = '\0';
	for (unsigned i = 0; i < nold; i++) {
		while (k < nnew && strcmp(new[k], old[i]) < 0)
			k++;
		if (k < nnew && !strcmp(new[k], old[i]))
			continue;
		if (missing++ < NAMED && len < size)
			len += (size_t)snprintf(names + len, size - len, "%s%.80s",
						missing > 1 ? ", " : "", old[i]);
	}
	if (missing > NAMED && len < size)
		snprintf(names + len, size - len, " and %u more", missing - NAMED);
	free(old);
	free(new);
	return missing;
}

unsigned session_disabled(struct session *s, char *names, size_t size)
{
	struct err none;
	char *now = tracefs_text(s->dir, "set_event", NULL, &none), *copy;
	unsigned n = 0;

	*names = '\0';
	if (now && s->enabled && !s->attached && strcmp(s->enabled, now) != 0) {
		copy = mem_strdup(now);
		n = missing_lines(s->enabled, copy, names, size);
		free(copy);
	}
	if (now) {
		free(s->enabled);
		s->enabled = now;
	}
	return n;
}

const struct tracefs_event *session_events(const struct session *s, unsigned *n)
{
	*n = s->nevents;
	return s->names;
}

void session_forget(struct session *s)
{
	for (unsigned i = 0; i < s->npatterns; i++)
		free(s->patterns[i]);
	for (unsigned i = 0; i < s->nfilters; i++) {
		free(s->filters[i].text);
		free(s->filters[i].pattern);
		free(s->filters[i].expr);
	}
	for (unsigned i = 0; i < s->nevents; i++)
		free(s->events[i].filter);
	tracefs_events_fini(&s->known);
	arena_fini(&s->arena);
	free(s->listing);
	free(s->enabled);
	free(s->chosen);
	free(s->patterns);
	free(s->filters);
	for (unsigned i = 0; i < s->nstacks; i++)
		free(s->stacks[i]);
	free(s->stacks);
	free(s->events);
	free(s->names);
	free(s->excluded);
	free(s->tasks);
}
