/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMM_EVENT_H
#define ZED_TRACE_COMM_EVENT_H

#include "trace/comms/comms.h"
#include "trace/event.h"

/*
 * The kernel's events that name tasks, and where in their records the names are.  What a name in
 * one means for the tasks of its machine is in trace/comms/comms.h.
 */
struct arena;

/* Of a resolved type; each pid is 4 bytes. */
struct comm_event_fields {
	const struct field *pid, *name;
	const struct field *next_pid, *next_name; /* of a switch, NULL: others */
};

/* The kind of an event SYSTEM:NAME. */
enum comm_event comm_event_of(const char *system, const char *name);

/* The fields of T, which is of some kind, made in ARENA.  NULL: it has none that can be read. */
const struct comm_event_fields *comm_event_fields(const struct etype *t, struct arena *arena);

/*
 * Give the names in EV, whose type is of some kind, to its machine.  To be called in the order of
 * time for each event of which comms_needs() the kind.  Returns what comms_event() does.
 */
bool comm_event_read(const struct event *ev);

#endif
