// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_hints: functions of the script that nothing calls, though their author may have meant them to
 * be called: the name of an event, or one of ours, misspelt.  For messages only.
 */
#include "interp/python/handlers.h"

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

/* A function with a name that could be an event's: is there such an event? */
static void hint_event(struct pyrun *r, const char *name)
{
	struct name_walk n = { .r = r };
	const char *near;
	unsigned slips = strstr(name, "__") ? SLIPS : 1;

	if (is_event(r, name))
		return;
	near = nearest_name(name, next_name, &n);
	if (near && *near && edit_distance(name, near) <= slips)
		note_say(r->notes, NOTE_WARN,
			 "def %s matches no event in this trace: did you mean %s?", name, near);
	arena_fini(&n.kept);
}

/* One that begins with trace_: is it ours? */
static void hint_ours(struct pyrun *r, const char *name)
{
	for (unsigned i = 0; OURS[i]; i++)
		if (!strcmp(name, OURS[i]))
			return;
	for (unsigned i = 0; OURS[i]; i++)
		if (edit_distance(name, OURS[i]) <= SLIPS) {
			note_say(r->notes, NOTE_WARN, "def %s is never called: did you mean %s?",
				 name, OURS[i]);
			return;
		}
}

void handlers_hint(struct pyrun *r)
{
	PyObject *names = script_function_names(&r->handlers->script);

	for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names); i++) {
		const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));

		if (name && !strncmp(name, "trace_", 6))
			hint_ours(r, name);
		else if (name && *name != '_' && strchr(name, '_'))
			hint_event(r, name);
	}
	Py_XDECREF(names);
	PyErr_Clear();
}
