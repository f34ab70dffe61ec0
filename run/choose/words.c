// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words: finds the events of open inputs that a user's words name, including stable events.
 */
#include "run/choose/words.h"

#include "base/glob.h"
#include "base/mem.h"
#include "stable/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event_word {
	char *text;	  /* as given */
	char *system;	  /* globs ... */
	const char *name; /* ... this one within the same memory; "*": all of the system */
	bool whole;	  /* no event was named, only the system */
	const struct stable_event *stable; /* with exactly that name, or NULL */
};

struct words {
	const struct stable *stable;
	struct catalog *catalog;
	struct event_word *v;
	unsigned n;
	size_t cap;
};

#define BETWEEN ", \t\r\n"

struct words *words_new(void)
{
	return mem_zalloc(sizeof(struct words));
}

void words_free(struct words *w)
{
	if (!w)
		return;
	while (w->n) {
		free(w->v[--w->n].text);
		free(w->v[w->n].system);
	}
	free(w->v);
	free(w);
}

static int add_word(struct words *w, const char *text, size_t len, struct err *e)
{
	struct event_word x = { .text = mem_strndup(text, len) };
	char *colon;

	x.system = mem_strdup(x.text);
	colon = strchr(x.system, ':');
	if (colon) {
		*colon = '\0';
		x.name = colon + (colon[1] == ':' ? 2 : 1);
	} else {
		x.name = "*";
		x.whole = true;
	}
	if (*x.system && *x.name && !strchr(x.name, ':')) {
		w->v = mem_grow(w->v, &w->cap, w->n + 1, sizeof(*w->v));
		w->v[w->n++] = x;
		return 0;
	}
	err_set(e, ERR_USAGE, ERR_NO_OFF, "invalid event '%.80s': expected SYSTEM or SYSTEM:EVENT",
		x.text);
	free(x.text);
	free(x.system);
	return -1;
}

int words_add(struct words *w, const char *list, struct err *e)
{
	unsigned was = w->n;

	for (const char *s = list + strspn(list, BETWEEN); *s; s += strspn(s, BETWEEN)) {
		size_t len = strcspn(s, BETWEEN);

		TRY(add_word(w, s, len, e));
		s += len;
	}
	if (w->n > was)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "no event is named: write SYSTEM or SYSTEM:EVENT, with commas between");
}

/* ---- the events of a word ---- */

bool words_take_raw(const struct words *w, const struct etype *t)
{
	for (unsigned i = 0; i < w->n; i++)
		if (etype_matches_perl(t, w->v[i].system, w->v[i].name))
			return true;
	return false;
}

const struct stable_event *words_stable(const struct words *w, const struct etype *t, unsigned *i,
					int *from)
{
	while (*i < w->n) {
		const struct stable_event *ev = w->v[(*i)++].stable;
		unsigned k = 0;

		/* If named twice, it is made once. */
		while (ev && k < *i - 1 && w->v[k].stable != ev)
			k++;
		if (!ev || k < *i - 1)
			continue;
		*from = stable_takes(ev, w->catalog, t);
		if (*from >= 0)
			return ev;
	}
	return NULL;
}

bool words_take(const struct words *w, const struct etype *t)
{
	unsigned i = 0;
	int from;

	return words_take_raw(w, t) || words_stable(w, t, &i, &from);
}

bool words_have_stable(const struct words *w)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->v[i].stable)
			return true;
	return false;
}

/* ---- words without an event ---- */

/* Is there an event of the trace that the stable event EV is made from? */
static bool is_made(const struct words *w, const struct stable_event *ev)
{
	for (unsigned i = 0; i < catalog_count(w->catalog); i++) {
		const struct etype *t = catalog_at(w->catalog, i);

		if (t->known && stable_takes(ev, w->catalog, t) >= 0)
			return true;
	}
	return false;
}

/* The names to compare with a mistyped one: only those that would be accepted. */
struct choice_names {
	const struct words *w;
	enum { SYSTEMS, WHOLE_SYSTEMS, EVENTS } what; /* whole: not those of stable events alone */
	const char *system;			      /* NULL: events of all systems */
	const char *found;			      /* the system of the last one */
	unsigned next;
};

/* The I-th of all types and stable events; false: no more.  NAME is NULL if it is not usable. */
static bool name_at(const struct words *w, unsigned i, const char **system, const char **name)
{
	unsigned types = catalog_count(w->catalog);

	if (i < types) {
		const struct etype *t = catalog_at(w->catalog, i);

		*system = t->system;
		*name = t->known ? t->name : NULL;
		return true;
	}
	if (i - types >= stable_count(w->stable))
		return false;
	*system = stable_at(w->stable, i - types)->system;
	*name = is_made(w, stable_at(w->stable, i - types)) ?
			stable_at(w->stable, i - types)->name :
			NULL;
	return true;
}

static const char *next_name(void *arg)
{
	struct choice_names *n = arg;
	const char *name;

	while ((n->what != WHOLE_SYSTEMS || n->next < catalog_count(n->w->catalog)) &&
	       name_at(n->w, n->next++, &n->found, &name)) {
		if (!name)
			continue;
		if (n->what != EVENTS)
			return n->found;
		if (!n->system || !strcmp(n->found, n->system))
			return name;
	}
	return NULL;
}

/* For the glob WANTED, which the last name of N matches: it names no stable events. */
static const char *as_accepted(const struct choice_names *n, const char *wanted, const char *name)
{
	return n->next > catalog_count(n->w->catalog) ? name : wanted;
}

/* The system of the first event that is called NAME. */
static const char *system_of(const struct words *w, const char *wanted)
{
	struct choice_names all = { .w = w, .what = EVENTS };
	const char *name;

	while ((name = next_name(&all)))
		if (!strcmp(name, wanted))
			break;
	return all.found;
}

/* For WORD, which has no colon: a system, or an event with its system, whichever is nearer. */
static void find_near_whole(const struct words *w, const char *word, char *out, size_t size)
{
	struct choice_names systems = { .w = w, .what = WHOLE_SYSTEMS };
	struct choice_names events = { .w = w, .what = EVENTS };
	const char *system = nearest_name(word, next_name, &systems);
	const char *name = nearest_name(word, next_name, &events);

	if (name && (!system || edit_distance(word, name) < edit_distance(word, system)))
		snprintf(out, size, "%s:%s", system_of(w, name), name);
	else if (system)
		snprintf(out, size, "%s", system);
}

/* For an event of SYSTEM, which may be mistyped as well. */
static void find_near_event(const struct words *w, const char *system, const char *wanted,
			    char *out, size_t size)
{
	struct choice_names systems = { .w = w, .what = SYSTEMS };
	struct choice_names events = { .w = w, .what = EVENTS };
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
	if (name) {
		name = as_accepted(&events, wanted, name);
	} else {
		events.next = 0;
		name = nearest_name(wanted, next_name, &events);
	}
	if (name)
		snprintf(out, size, "%s:%s", events.system, name);
}

/* The suggestion for X, into OUT; or "". */
static void find_near(const struct words *w, const struct event_word *x, char *out, size_t size)
{
	const char *name, *wanted = x->whole ? x->system : x->name;
	struct choice_names all = { .w = w, .what = EVENTS };
	bool letters = wanted[strspn(wanted, "*?")];

	*out = '\0';
	/* "sched_switch", or "sched_*": the event without its system. */
	while (letters && (name = next_name(&all)))
		if (glob_match(wanted, name)) {
			snprintf(out, size, "%s:%s", all.found, as_accepted(&all, wanted, name));
			return;
		}
	if (x->whole)
		find_near_whole(w, wanted, out, size);
	else
		find_near_event(w, x->system, wanted, out, size);
}

static int names_nothing(const struct words *w, const struct event_word *x, struct err *e)
{
	char text[700] = "";

	if (x->stable && catalog_count(w->catalog) &&
	    !stable_available(x->stable, w->catalog, catalog_at(w->catalog, 0)->machine, text,
			      sizeof(text)))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "no input has anything for the stable event %s:%s: %s",
			       x->stable->system, x->stable->name, text);
	find_near(w, x, text, sizeof(text));
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "no input has an event '%.80s'%s%s%s", x->text,
		       *text ? "; did you mean " : " (zedperl -t -v lists them)", text,
		       *text ? "?" : "");
}

static int bind_word(struct words *w, struct event_word *x, struct err *e)
{
	x->stable = x->whole ? NULL : stable_find(w->stable, x->system, x->name);
	if (x->stable && is_made(w, x->stable))
		return 0;
	for (unsigned i = 0; i < catalog_count(w->catalog); i++) {
		const struct etype *t = catalog_at(w->catalog, i);

		if (t->known && etype_matches_perl(t, x->system, x->name))
			return 0;
	}
	return names_nothing(w, x, e);
}

int words_bind(struct words *w, const struct stable *s, struct catalog *c, struct err *e)
{
	w->catalog = c;
	w->stable = s;
	for (unsigned i = 0; i < w->n; i++)
		TRY(bind_word(w, &w->v[i], e));
	return 0;
}

void words_bind_some(struct words *w, const struct stable *s, struct catalog *c, const char *what,
		     struct notes *n)
{
	struct err e;

	w->catalog = c;
	w->stable = s;
	for (unsigned i = 0; i < w->n; i++)
		if (bind_word(w, &w->v[i], &e) < 0)
			note_say(n, NOTE_WARN, "%s: %s", what, e.msg);
}
