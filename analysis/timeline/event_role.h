/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_EVENT_ROLE_H
#define ZED_ANALYSIS_TIMELINE_EVENT_ROLE_H

#include "stable/map.h"

/* What a type of event tells of CPUs and tasks: found once for each. */
enum sight_kind { SIGHT_NOTHING, SIGHT_SWITCH, SIGHT_WAKING, SIGHT_WAKEUP, SIGHT_NEW, SIGHT_IRQ };

struct sight {
	bool met;
	uint8_t kind;
	struct stable_map *map;	 /* NULL: the record itself has the fields */
	const struct field *pid; /* of a switch: who leaves; else who is woken */
	const struct field *comm, *next_pid, *next_comm, *state, *preempted; /* or NULL */
	const struct field *flags; /* common_flags, or NULL */
};

/* T, of a trace with CATALOG's types. */
void sight_find(struct sight *s, const struct etype *t, struct catalog *c,
		const struct stable *stable, struct notes *n);
void sight_fini(struct sight *s);

#endif
