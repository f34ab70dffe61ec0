// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events: switches on the events that the patterns name in a session's instance, at the start and
 * when a module adds events.
 */
#include "kernel/session/session_priv.h"

#include "base/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void session_event_dir(const struct session *s, const struct tracefs_event *ev, char *path,
		       size_t size)
{
	snprintf(path, size, "%s/events/%s/%s", s->dir, ev->system, ev->name);
}

struct sess_event *session_find_event(const struct session *s, const struct tracefs_event *ev)
{
	for (unsigned i = 0; i < s->choice.nevents; i++)
		if (!strcmp(s->choice.events[i].name.name, ev->name) &&
		    !strcmp(s->choice.events[i].name.system, ev->system))
			return &s->choice.events[i];
	return NULL;
}

static struct sess_event *add_event(struct session *s, const struct tracefs_event *ev)
{
	struct tracefs_event name = {
		arena_strndup(&s->choice.arena, ev->system, strlen(ev->system)),
		arena_strndup(&s->choice.arena, ev->name, strlen(ev->name)),
	};

	s->choice.events = mem_grow(s->choice.events, &s->choice.events_cap, s->choice.nevents + 1,
				    sizeof(*s->choice.events));
	s->choice.names = mem_grow(s->choice.names, &s->choice.names_cap, s->choice.nevents + 1,
				   sizeof(*s->choice.names));
	s->choice.events[s->choice.nevents] = (struct sess_event){ .name = name };
	s->choice.names[s->choice.nevents] = name;
	return &s->choice.events[s->choice.nevents++];
}

void session_all_events(struct session *s)
{
	for (unsigned i = 0; i < s->choice.known.n; i++)
		add_event(s, &s->choice.known.v[i]);
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
	TRY(tracefs_events(&s->choice.known, s->root, e));
	s->choice.chosen = mem_zalloc(s->choice.known.n + 1);
	s->choice.patterns = mem_zalloc((o->nevents + 1) * sizeof(*s->choice.patterns));
	for (unsigned i = 0; i < o->nevents; i++) {
		TRY(tracefs_match(&s->choice.known, o->events[i], s->choice.chosen, e));
		s->choice.patterns[s->choice.npatterns++] = mem_strdup(o->events[i]);
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

	for (unsigned i = 0; i < s->choice.known.n; i = end) {
		bool all = true, any = false;

		for (end = i; end < s->choice.known.n &&
			      !strcmp(s->choice.known.v[end].system, s->choice.known.v[i].system);
		     end++) {
			all &= s->choice.chosen[end];
			any |= s->choice.chosen[end];
		}
		if (!any)
			continue;
		all = all && enable_whole(s, s->choice.known.v[i].system);
		for (unsigned k = i; k < end; k++)
			if (all || (s->choice.chosen[k] && enable_event(s, &s->choice.known.v[k])))
				add_event(s, &s->choice.known.v[k]);
	}
	if (!s->choice.nevents && s->choice.npatterns)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "none of the events can be recorded: the kernel refuses all of "
			       "them");
	s->choice.enabled = tracefs_text(s->dir, "set_event", NULL, e);
	return 0;
}

/* An event that appeared while recording: set its filter first, as tracing is on. */
struct sess_event *session_take_event(struct session *s, const struct tracefs_event *ev)
{
	struct sess_event *mine = session_find_event(s, ev), *known = mine;

	if (!known)
		mine = add_event(s, ev);
	session_filter_event(s, mine);
	if (!known)
		session_stack_event(s, mine);
	if (enable_event(s, ev))
		return mine;
	if (!known) {
		free(mine->filter);
		s->choice.nevents--;
	}
	return NULL;
}

static void forget_name(struct session *s, const struct tracefs_event *ev)
{
	struct tracefs_event *v = s->choice.names;
	unsigned i = 0;

	while (i < s->choice.nevents && tracefs_event_order(&v[i], ev))
		i++;
	if (i < s->choice.nevents)
		memmove(&v[i], &v[i + 1], (s->choice.nevents - i - 1) * sizeof(*v));
}

bool session_was_recorded(const struct session *s, const struct tracefs_event *ev)
{
	for (unsigned i = 0; i < s->choice.ndropped; i++)
		if (!tracefs_event_order(&s->choice.dropped[i], ev))
			return true;
	return false;
}

void session_drop_event(struct session *s, struct sess_event *ev)
{
	size_t after = (size_t)(s->choice.events + s->choice.nevents - ev - 1);
	char dir[900];
	struct err e;

	session_event_dir(s, &ev->name, dir, sizeof(dir));
	if (tracefs_write(dir, "enable", "0", &e) < 0)
		note_err(s->notes, NOTE_WARN, &e);
	session_unstack_event(s, ev);
	session_unfilter_event(s, ev);
	forget_name(s, &ev->name);
	if (!session_was_recorded(s, &ev->name)) {
		s->choice.dropped = mem_grow(s->choice.dropped, &s->choice.dropped_cap,
					     s->choice.ndropped + 1, sizeof(*s->choice.dropped));
		s->choice.dropped[s->choice.ndropped++] = ev->name;
	}
	memmove(ev, ev + 1, after * sizeof(*ev));
	s->choice.nevents--;
}

int session_rescan(struct session *s, void (*give)(void *arg, const struct tracefs_event *ev),
		   void *arg, struct err *e)
{
	struct tracefs_events now;
	unsigned old = 0;
	bool *chosen;
	struct err none;
	char *listing;

	if (s->attached || s->change.on)
		return 0;
	listing = tracefs_text(s->root, "available_events", NULL, e);
	if (!listing)
		return -1;
	if (s->choice.listing && !strcmp(s->choice.listing, listing)) {
		free(listing);
		return 0;
	}
	free(s->choice.listing);
	s->choice.listing = listing;
	TRY(tracefs_events(&now, s->root, e));
	chosen = mem_zalloc(now.n + 1);
	for (unsigned i = 0; i < s->choice.npatterns; i++)
		tracefs_match(&now, s->choice.patterns[i], chosen, &none);
	/* Both lists are sorted. */
	for (unsigned i = 0; i < now.n; i++) {
		struct sess_event *ev;

		while (old < s->choice.known.n &&
		       tracefs_event_order(&s->choice.known.v[old], &now.v[i]) < 0)
			old++;
		if (old < s->choice.known.n &&
		    !tracefs_event_order(&s->choice.known.v[old], &now.v[i]))
			continue;
		ev = chosen[i] ? session_take_event(s, &now.v[i]) : NULL;
		if (ev && give)
			give(arg, &ev->name);
	}
	tracefs_events_fini(&s->choice.known);
	free(s->choice.chosen);
	s->choice.known = now;
	s->choice.chosen = chosen;
	qsort(s->choice.names, s->choice.nevents, sizeof(*s->choice.names), tracefs_event_order);
	return 0;
}

/* ---- events switched off by other processes ---- */

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
		qsort(*lines, n, sizeof(**lines), compare_text);
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
		if (missing++ < SESSION_NAMED && len < size)
			len += (size_t)snprintf(names + len, size - len, "%s%.80s",
						missing > 1 ? ", " : "", old[i]);
	}
	if (missing > SESSION_NAMED && len < size)
		snprintf(names + len, size - len, " and %u more", missing - SESSION_NAMED);
	free(old);
	free(new);
	return missing;
}

unsigned session_disabled(struct session *s, char *names, size_t size)
{
	struct err none;
	char *now, *copy;
	unsigned n = 0;

	*names = '\0';
	if (s->change.on)
		return 0;
	now = tracefs_text(s->dir, "set_event", NULL, &none);
	if (now && s->choice.enabled && !s->attached && strcmp(s->choice.enabled, now) != 0) {
		copy = mem_strdup(now);
		n = missing_lines(s->choice.enabled, copy, names, size);
		free(copy);
	}
	if (now) {
		free(s->choice.enabled);
		s->choice.enabled = now;
	}
	return n;
}

int session_switch(struct session *s, const struct tracefs_event *ev, bool on, struct err *e)
{
	char dir[900], *text;
	struct err none;

	session_event_dir(s, ev, dir, sizeof(dir));
	TRY(tracefs_write(dir, "enable", on ? "1" : "0", e));
	text = tracefs_text(s->dir, "set_event", NULL, &none);
	if (text) {
		free(s->choice.enabled);
		s->choice.enabled = text;
	}
	return 0;
}

const struct tracefs_event *session_events(const struct session *s, unsigned *n)
{
	*n = s->choice.nevents;
	return s->choice.names;
}

void session_forget(struct session *s)
{
	for (unsigned i = 0; i < s->choice.npatterns; i++)
		free(s->choice.patterns[i]);
	session_forget_filters(&s->filters);
	session_forget_filters(&s->change.old);
	for (unsigned i = 0; i < s->choice.nevents; i++)
		free(s->choice.events[i].filter);
	tracefs_events_fini(&s->choice.known);
	arena_fini(&s->choice.arena);
	free(s->choice.listing);
	free(s->choice.enabled);
	free(s->choice.dropped);
	free(s->choice.chosen);
	free(s->choice.patterns);
	for (unsigned i = 0; i < s->choice.nstacks; i++)
		free(s->choice.stacks[i]);
	free(s->choice.stacks);
	free(s->choice.events);
	free(s->choice.names);
	free(s->excluded.pids);
	free(s->excluded.tasks);
}
