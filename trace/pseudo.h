/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_PSEUDO_H
#define ZED_TRACE_PSEUDO_H

#include "trace/event.h"
#include "trace/field.h"

/*
 * Pseudo fields: what is known of every event and can be named like a field, in arguments,
 * expressions (where, by) and the definitions of stable events.
 *
 *	ts			the time, ns
 *	secs, nsecs		it in seconds, and what is left of it in ns
 *	cpu, CPU		the CPU
 *	pid, tid		of the task that was running; of a stable event, of the task that
 *				it is about (field_of_task())
 *	comm, COMM		the name of that task
 *	cgroup			the cgroup that it is in (machine_cgroup())
 *	sequence		the number in its buffer, or of its stream
 *	event			which event it is
 *	instance		the buffer: "" the top one
 *	source			the number of the input, from 0
 *	common_cpu, common_pid	of the task that was running, always
 *	common_comm, common_cgroup
 *				the same
 *	common_ts, common_sequence, common_event, common_instance, common_source
 *				of the record, also where an event has a field called event
 *
 * A field of that name takes precedence, except for common_cpu, common_comm and common_cgroup: no
 * kernel has such fields.
 */
enum pseudo {
	PSEUDO_NONE,
	PSEUDO_TS,
	PSEUDO_SECS,
	PSEUDO_NSECS,
	PSEUDO_CPU,
	PSEUDO_PID,
	PSEUDO_COMM,
	PSEUDO_CGROUP,
	PSEUDO_SEQUENCE,
	PSEUDO_EVENT,
	PSEUDO_INSTANCE,
	PSEUDO_SOURCE,
};

enum pseudo_scope {
	PSEUDO_ALL,
	/*
	 * Of the common_* names only the CPU and the task: a definition names the raw event's
	 * fields, of all kernels.
	 */
	PSEUDO_COMMON,
};

/* What NAME means if there is no field of that name; PSEUDO_NONE: nothing. */
enum pseudo pseudo_named(const char *name, enum pseudo_scope scope);

/* The I-th name; NULL: no more. */
const char *pseudo_name(unsigned i);

/* The meaning of a name for one type. */
struct meaning {
	/*
	 * A field (may be a FIELD_NONE); with PSEUDO_COMM and PSEUDO_CGROUP, the field with the pid
	 * of the task in question.  NULL with PSEUDO_NONE: T has nothing of that name.
	 */
	const struct field *field;
	enum pseudo what; /* PSEUDO_NONE: field */
};

/* NAME for T (resolved).  Looks up names: not for the hot path. */
struct meaning pseudo_meaning(const struct etype *t, const char *name, enum pseudo_scope scope);

#endif
