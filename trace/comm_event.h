/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMM_EVENT_H
#define ZED_TRACE_COMM_EVENT_H

#include "trace/comms/comms.h"
#include "trace/event.h"

/*
 * The kernel's events that name tasks, and where their records have the names.  trace/comms/comms.h
 * says how such a name is used.
 */
struct arena;

/* Of a resolved type; each pid is 4 bytes. */
struct comm_event_fields {
	const struct field *pid, *name;
	const struct field *next_pid, *next_name; /* of a switch; NULL for others */
};

/* The kind of an event SYSTEM:NAME. */
enum comm_event comm_event_of(const char *system, const char *name);

/* The fields of T, whose kind is not COMM_EVENT_NONE, allocated in ARENA.  NULL: not readable. */
const struct comm_event_fields *comm_event_fields(const struct etype *t, struct arena *arena);

/*
 * The names in EV as its record has them, the Ith from 0: a switch has two.  *LEN is 0 if there is
 * no name; it is borrowed as the record is.  False: there are no more, or EV names no tasks.
 */
bool comm_event_nth(const struct event *ev, unsigned i, int32_t *pid, const char **name,
		    size_t *len);

/*
 * Give the names in EV, whose type names tasks, to its machine.  Call in order of time for each
 * event whose kind comms_needs().  Returns what comms_event() does.
 */
bool comm_event_read(const struct event *ev);

#endif
