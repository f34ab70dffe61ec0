// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_hints: functions of the script that nothing calls, though their author may have meant them to
 * be called: the name of an event, or one of ours, misspelt.  For messages only.
 */
#include "interp/python/handlers.h"

#include "interp/python/py_answers.h"
#include "base/glob.h"
#include "base/mem.h"
#include "trace/lttng_event.h"

#include <string.h>

#define SLIPS 2

static const char *const OURS[] = { "trace_begin",     "trace_end",	 "trace_lost",
				    "trace_unhandled", "trace_interval", NULL };

/* The names that functions of events can have, one after the other. */
struct name_walk {
	struct pyrun *r;
	unsigned type, stable;
	bool second; /* the type's second name comes next */
	struct arena kept;
};

static const char *keep(struct name_walk *n, const char *system, const char *event)
{
	char name[PY_EVENT_NAME];
	size_t len = py_event_name(system, event, name, sizeof(name));

	return len < sizeof(name) ? arena_strndup(&n->kept, name, len) : "";
}

static const char *next_name(void *arg)
{
	struct name_walk *n = arg;
	const struct catalog *c = n->r->pump->catalog;
	const struct etype *t;

	while (n->type < catalog_count(c)) {
		t = catalog_at(c, n->type);
		n->second = !n->second && t->lttng;
		if (n->second)
			return keep(n, LTTNG_SYSTEM, t->lttng->name);
		n->type++;
		return keep(n, t->system, t->name);
	}
	if (n->r->stable && n->stable < stable_count(n->r->stable)) {
		const struct stable_event *ev = stable_at(n->r->stable, n->stable++);

		return keep(n, ev->system, ev->name);
	}
	return NULL;
}

static bool is_event(struct pyrun *r, const char *name)
{
	struct name_walk n = { .r = r };
	const char *event;

	do
		event = next_name(&n);
	while (event && strcmp(event, name) != 0);
	arena_fini(&n.kept);
	return event;
}

/* Is the function NAME of the script called by zed.on()? */
static bool is_on(struct pyrun *r, const char *name)
{
	const struct py_handlers *h = r->handlers;
	const PyObject *f = script_function(&h->script, name);

	for (size_t i = 0; i < h->n; i++)
		if (h->on[i]->function == f)
			return true;
	return false;
}

/* What the functions of a script show. */
struct script_shows {
	bool handler;	/* it has one, of whatever kind */
	bool of_events; /* one that is called after an event */
	bool said;
};

/* The function after the first event that is called NAME, in whatever system; NULL: none is. */
static const char *find_bare(struct name_walk *n, const char *name)
{
	const struct catalog *c = n->r->pump->catalog;

	for (unsigned i = 0; i < catalog_count(c); i++)
		if (catalog_at(c, i)->known && !strcmp(catalog_at(c, i)->name, name))
			return keep(n, catalog_at(c, i)->system, name);
	return NULL;
}

/* The function of an event whose name is NAME but for a slip or two; NULL: none is. */
static const char *find_near(struct name_walk *n, const char *name)
{
	unsigned slips = strstr(name, "__") ? SLIPS : 1;
	const char *near = nearest_name(name, next_name, n);

	return near && *near && edit_distance(name, near) <= slips ? near : NULL;
}

/* A function with a name that could be an event's: is there such an event? */
static void hint_event(struct pyrun *r, const char *name, struct script_shows *s)
{
	struct name_walk n = { .r = r };
	const char *near;

	if (script_functions_may(&r->handlers->script, name))
		s->handler = s->of_events = true;
	if (is_event(r, name))
		return;
	near = find_bare(&n, name);
	if (!near)
		near = find_near(&n, name);
	else if (r->handlers->n)
		near = NULL; /* what zed.on()'s handlers call may have any name */
	if (near && *near) {
		s->said = true;
		note_say(r->notes, NOTE_WARN,
			 "def %s matches no event in this trace: did you mean %s?", name, near);
	}
	arena_fini(&n.kept);
}

/* One that begins with trace_: is it ours? */
static void hint_ours(struct pyrun *r, const char *name, struct script_shows *s)
{
	for (unsigned i = 0; OURS[i]; i++)
		if (!strcmp(name, OURS[i])) {
			s->handler = true;
			return;
		}
	for (unsigned i = 0; OURS[i]; i++)
		if (edit_distance(name, OURS[i]) <= SLIPS) {
			s->said = true;
			note_say(r->notes, NOTE_WARN,
				 "def %s is not called for events: did you mean %s?", name,
				 OURS[i]);
			return;
		}
}

/* The trace has events, but none of them calls anything.  zed.on has its own messages. */
static void hint_nothing(struct pyrun *r, const struct script_shows *s)
{
	const struct py_handlers *h = r->handlers;

	if (s->said || h->said || h->n || answers_any(r))
		return;
	if (!s->handler && !h->process) {
		note_say(r->notes, NOTE_WARN,
			 "the script has no handlers, so nothing is done with the events: write "
			 "@zed.on(\"SYSTEM:EVENT\") before a def (zedpython -t TRACE lists "
			 "them), or begin with zedpython -g EVENT TRACE");
		return;
	}
	for (unsigned i = 0; i < h->nbound; i++)
		if (h->bound[i])
			return;
	if (s->of_events && h->nbound)
		note_say(r->notes, NOTE_WARN,
			 "no event in this trace matches a handler of the script (zedpython -t "
			 "TRACE lists its events)");
}

void handlers_hint(struct pyrun *r)
{
	PyObject *names;
	struct script_shows s = { 0 };

	/* In python3 there is no script whose functions have names for events. */
	if (!r->handlers->script.module)
		return;
	names = script_function_names(&r->handlers->script);
	for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names); i++) {
		const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));

		if (name && !strncmp(name, "trace_", 6))
			hint_ours(r, name, &s);
		else if (name && strchr(name, '_') && !is_on(r, name) &&
			 (*name != '_' || script_functions_may(&r->handlers->script, name)))
			hint_event(r, name, &s);
	}
	hint_nothing(r, &s);
	Py_XDECREF(names);
	PyErr_Clear();
}

/* How many functions of the script have the name of an event that the inputs describe. */
static unsigned count_functions(struct pyrun *r)
{
	const struct catalog *c = r->pump->catalog;
	unsigned n = 0;
	bool unsaid;

	for (unsigned i = 0; i < catalog_count(c); i++)
		n += script_function_of(&r->handlers->script, catalog_at(c, i), &unsaid) != NULL;
	return n;
}

void handlers_hint_uncalled(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;
	const struct named *first = NULL;
	char which[300] = "";
	unsigned n;

	if (!h || h->uncalled)
		return;
	h->uncalled = true;
	n = count_functions(r);
	for (size_t i = h->n; i--;)
		if (!h->on[i]->named->dead) {
			first = h->on[i]->named;
			n++;
		}
	if (!n)
		return;
	if (first)
		snprintf(which, sizeof(which), " (%s'%.100s', %.120s)", n > 1 ? "first " : "",
			 first->text, first->at);
	note_say(r->notes, NOTE_WARN,
		 "%u handler%s%s %s not called for events that the script reads itself: %s.run() "
		 "calls handlers, zed.open(FILE) gives another trace to iterate over",
		 n, plural(n), which, n == 1 ? "is" : "are", r->host ? "zed" : "trace");
}
