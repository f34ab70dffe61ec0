/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_role: the roles of events in a time line, by the stable events made from them.
 */
#include "analysis/timeline/timeline_priv.h"

#include "trace/field.h"

#include <string.h>

static const struct source_of {
	const char *system, *name;
	enum event_role_kind kind;
	const char *pid;
} SOURCES[] = {
	{ "sched", "switch", EVENT_ROLE_SWITCH, "prev_pid" },
	{ "sched", "waking", EVENT_ROLE_WAKING, "pid" },
	{ "sched", "wakeup", EVENT_ROLE_WAKEUP, "wakeup_pid" },
	{ "sched", "wakeup_new", EVENT_ROLE_NEW, "wakeup_pid" },
	{ "irq", "enter", EVENT_ROLE_IRQ, NULL },
	{ "softirq", "enter", EVENT_ROLE_IRQ, NULL },
};

static const struct field *number(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && field_is_int(f) ? f : NULL;
}

static const struct field *text(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->kind == FIELD_STR ? f : NULL;
}

/* A single char, not a number: the letter of a state. */
static const struct field *letter(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->size == 1 && f->loc == FIELD_AT && f->off < t->fixed ? f : NULL;
}

/* False: T lacks a field that KIND needs. */
static bool take_fields(struct event_role *s, const struct etype *t, const struct source_of *of)
{
	bool is_switch = of->kind == EVENT_ROLE_SWITCH;

	s->kind = of->kind;
	if (!of->pid)
		return true;
	s->pid = number(t, of->pid);
	s->comm = text(t, is_switch ? "prev_comm" : "comm");
	s->next_pid = is_switch ? number(t, "next_pid") : NULL;
	s->next_comm = is_switch ? text(t, "next_comm") : NULL;
	s->state = is_switch ? letter(t, "prev_state") : NULL;
	s->preempted = is_switch ? number(t, "preempted") : NULL;
	return s->pid && (!is_switch || s->next_pid);
}

/* T in the role of the stable event OF, if it has it. */
static bool try_source(struct event_role *s, const struct etype *t, const struct source_of *of,
		       struct catalog *c, const struct stable *stable, struct notes *n)
{
	const struct stable_event *ev = stable_find(stable, of->system, of->name);
	struct err e;
	int from;

	if (!strcmp(t->system, of->system) && !strcmp(t->name, of->name))
		return take_fields(s, t, of);
	from = ev ? stable_takes(ev, c, t) : -1;
	if (from < 0)
		return false;
	/* In old kernels the wakeup serves as the waking, too. */
	s->map = stable_map_new(ev, c, (unsigned)from, t, n, &e);
	if (s->map && take_fields(s, stable_map_type(s->map), of))
		return true;
	event_role_fini(s);
	return false;
}

void event_role_find(struct event_role *s, const struct etype *t, struct catalog *c,
		     const struct stable *stable, struct notes *n)
{
	s->met = true;
	if (!t->known)
		return;
	for (size_t i = 0; i < sizeof(SOURCES) / sizeof(*SOURCES); i++) {
		if (try_source(s, t, &SOURCES[i], c, stable, n)) {
			s->flags = number(t, "common_flags");
			return;
		}
		*s = (struct event_role){ .met = true };
	}
}

void event_role_fini(struct event_role *s)
{
	stable_map_free(s->map);
	s->map = NULL;
}
