// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_names: finds the events of the running kernel that a user's words name, including stable
 * events, and returns them as patterns for a session.
 */
#include "programs/event_names.h"

#include "base/glob.h"
#include "base/mem.h"
#include "kernel/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int event_names_init(struct event_names *w, const struct stable *s, struct err *e)
{
	char root[256];

	memset(w, 0, sizeof(*w));
	w->stable = s;
	TRY(tracefs_find(root, sizeof(root), e));
	return tracefs_events(&w->kernel, root, e);
}

void event_names_fini(struct event_names *w)
{
	while (w->n)
		free(w->v[--w->n]);
	free(w->v);
	tracefs_events_fini(&w->kernel);
	memset(w, 0, sizeof(*w));
}

static void add_pattern(struct event_names *w, const char *pattern)
{
	for (unsigned i = 0; i < w->n; i++)
		if (!strcmp(w->v[i], pattern))
			return;
	w->v = mem_grow(w->v, &w->cap, w->n + 1, sizeof(*w->v));
	w->v[w->n++] = mem_strdup(pattern);
}

static bool kernel_has(const struct event_names *w, const struct stable_raw *raw)
{
	struct tracefs_event key = { raw->system, raw->name };

	return w->kernel.n &&
	       bsearch(&key, w->kernel.v, w->kernel.n, sizeof(*w->kernel.v), tracefs_event_order);
}

/* The raw events for EV.  Returns how many of its sources this kernel has. */
static unsigned add_raw(struct event_names *w, const struct stable_event *ev)
{
	unsigned found = 0;
	char name[400];

	for (unsigned i = 0; i < ev->nfrom; i++)
		for (unsigned k = 0; k < ev->from[i].n; k++) {
			const struct stable_raw *raw = &ev->from[i].alts[k];

			if (!kernel_has(w, raw))
				continue;
			snprintf(name, sizeof(name), "%s:%s", raw->system, raw->name);
			add_pattern(w, name);
			found++;
			break;
		}
	return found;
}

static int say_missing(const struct stable_event *ev, struct err *e)
{
	char names[400] = "";
	size_t len = 0;

	for (unsigned i = 0; i < ev->nfrom; i++)
		for (unsigned k = 0; k < ev->from[i].n && len < sizeof(names); k++)
			len += snprintf(names + len, sizeof(names) - len, "%s%s:%s",
					len ? ", " : "", ev->from[i].alts[k].system,
					ev->from[i].alts[k].name);
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "this kernel does not provide the stable event %s:%s: it lacks %s%s%s%s",
		       ev->system, ev->name, names, ev->gone ? " (" : "", ev->gone ? ev->gone : "",
		       ev->gone ? ")" : "");
}

/* ---- words without an event ---- */

struct stable_names {
	const struct stable *s;
	const char *system;
	unsigned next;
};

static const char *next_name(void *arg)
{
	struct stable_names *n = arg;

	while (n->next < stable_count(n->s)) {
		const struct stable_event *ev = stable_at(n->s, n->next++);

		if (!strcmp(ev->system, n->system))
			return ev->name;
	}
	return NULL;
}

/*
 * E says that the kernel does not have it.  If E proposes nothing, propose a stable event with a
 * similar name.
 */
static int say_near(const struct stable *s, const char *system, const char *name, struct err *e)
{
	struct stable_names all = { .s = s, .system = system }, near = all;
	char list[300] = "";
	const char *found;
	size_t len = 0;

	if (*name) {
		found = nearest_name(name, next_name, &near);
		if (!found || strstr(e->msg, "did you mean"))
			return -1;
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "this kernel has no event '%.80s:%.80s', "
			       "and no stable event has that name; did you mean %s:%s?",
			       system, name, system, found);
	}
	while ((found = next_name(&all)) && len < sizeof(list))
		len += snprintf(list + len, sizeof(list) - len, "%s%s:%s", len ? ", " : "", system,
				found);
	if (!len)
		return -1;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "this kernel has no events of the system '%.80s'; "
		       "stable events are named in full: %s",
		       system, list);
}

static bool matches(const struct event_names *w, const char *word, struct err *e)
{
	bool *chosen = mem_zalloc((size_t)w->kernel.n + 1);
	int rc = tracefs_match(&w->kernel, word, chosen, e);

	free(chosen);
	return rc > 0;
}

/* Split "SYSTEM:NAME" or "SYSTEM::NAME"; without a colon *NAME is "".  False: too long. */
static bool split_word(const char *word, char *system, size_t size, const char **name)
{
	size_t len = strcspn(word, ":");

	if (len >= size)
		return false;
	snprintf(system, size, "%.*s", (int)len, word);
	*name = word + len + strspn(word + len, ":");
	return true;
}

const struct stable_event *event_names_stable(const struct event_names *w, const char *word)
{
	char system[300];
	const char *name;
	struct err e;

	return split_word(word, system, sizeof(system), &name) && !matches(w, word, &e) ?
		       stable_find(w->stable, system, name) :
		       NULL;
}

/*
 * Writes to trace_marker and trace_printk become ftrace's own events, which cannot be switched on
 * or off.  Is WORD one of them?
 */
static bool take_marker(struct event_names *w, const char *system, const char *name)
{
	bool marker = !strcmp(name, "print") || !strcmp(name, "raw_data");
	bool printk = !strcmp(name, "bprint") || !strcmp(name, "bputs");

	if (strcmp(system, "ftrace") != 0)
		return false;
	w->markers |= marker;
	w->printk |= printk;
	return marker || printk;
}

int event_names_add_list(struct event_names *w, const char *list, const char *what, struct err *e)
{
	char word[256];
	bool any = false;

	for (const char *p = list; *p;) {
		size_t len;

		p += strspn(p, ", \t\n");
		len = strcspn(p, ", \t\n");
		if (!len)
			break;
		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		TRY(event_names_add(w, word, e));
		any = true;
		p += len;
	}
	return any ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: no event given", what);
}

int event_names_add(struct event_names *w, const char *word, struct err *e)
{
	const struct stable_event *ev;
	char system[300];
	const char *name;

	if (matches(w, word, e)) {
		add_pattern(w, word);
		return 0;
	}
	if (!split_word(word, system, sizeof(system), &name))
		return -1;
	if (take_marker(w, system, name))
		return 0;
	if (!*name && word[strlen(system)] && *system)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid event '%.80s': write %.80s for all of that system, or "
			       "%.80s:EVENT",
			       word, system, system);
	ev = stable_find(w->stable, system, name);
	if (!ev)
		return say_near(w->stable, system, name, e);
	return add_raw(w, ev) ? 0 : say_missing(ev, e);
}
