/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_EVENT_ROLE_H
#define ZED_ANALYSIS_TIMELINE_EVENT_ROLE_H

#include "stable/map.h"

/* What a type of event tells of CPUs and tasks: found once for each. */
enum event_role_kind {
	EVENT_ROLE_NOTHING,
	EVENT_ROLE_SWITCH,
	EVENT_ROLE_WAKING,
	EVENT_ROLE_WAKEUP,
	EVENT_ROLE_NEW,
	EVENT_ROLE_IRQ
};

struct event_role {
	bool met;
	uint8_t kind;
	struct stable_map *map;	 /* NULL: the record itself has the fields */
	const struct field *pid; /* of a switch: who leaves; else who is woken */
	const struct field *comm, *next_pid, *next_comm, *state, *preempted; /* or NULL */
	const struct field *flags; /* common_flags, or NULL */
};

/* T, of a trace with CATALOG's types. */
void event_role_find(struct event_role *s, const struct etype *t, struct catalog *c,
		     const struct stable *stable, struct notes *n);
void event_role_fini(struct event_role *s);

#endif
