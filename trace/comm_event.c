// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_event: reads names of tasks from the events that have them.
 */
#include "trace/comm_event.h"

#include "base/mem.h"
#include "trace/comms/comm_line.h"
#include "trace/field.h"
#include "trace/machine.h"

#include <string.h>

/* LTTng calls a task's number tid, as its pid is that of the process. */
static const struct {
	const char *system, *event;
	const char *pid, *lttng_pid, *name;
} KINDS[] = {
	[COMM_EVENT_RENAME] = { "task", "task_rename", "pid", "tid", "newcomm" },
	[COMM_EVENT_NEW] = { "task", "task_newtask", "pid", "tid", "comm" },
	[COMM_EVENT_FORK] = { "sched", "sched_process_fork", "child_pid", "child_tid",
			      "child_comm" },
	[COMM_EVENT_EXEC] = { "sched", "sched_process_exec", "pid", "tid", "filename" },
	[COMM_EVENT_SWITCH] = { "sched", "sched_switch", "prev_pid", "prev_tid", "prev_comm" },
};

enum comm_event comm_event_of(const char *system, const char *name)
{
	if (strcmp(system, "task") && strcmp(system, "sched"))
		return COMM_EVENT_NONE;
	for (unsigned i = COMM_EVENT_NONE + 1; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (!strcmp(KINDS[i].event, name) && !strcmp(KINDS[i].system, system))
			return i;
	return COMM_EVENT_NONE;
}

static const struct field *number(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->loc == FIELD_AT && f->size == 4 && field_is_int(f) ? f : NULL;
}

static const struct field *string(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->kind == FIELD_STR ? f : NULL;
}

const struct comm_event_fields *comm_event_fields(const struct etype *t, struct arena *arena)
{
	const char *pid = t->lttng ? KINDS[t->comm_event].lttng_pid : KINDS[t->comm_event].pid;
	struct comm_event_fields f = { .pid = number(t, pid) };
	struct comm_event_fields *made;

	/* Newer kernels omit the pid if it is that of the running task. */
	if (!f.pid && (t->comm_event == COMM_EVENT_RENAME || t->comm_event == COMM_EVENT_EXEC))
		f.pid = number(t, "common_pid");
	f.name = string(t, KINDS[t->comm_event].name);
	if (!f.pid || !f.name)
		return NULL;
	if (t->comm_event == COMM_EVENT_SWITCH) {
		f.next_pid = number(t, t->lttng ? "next_tid" : "next_pid");
		f.next_name = f.next_pid ? string(t, "next_comm") : NULL;
	}
	made = arena_alloc(arena, sizeof(*made));
	*made = f;
	return made;
}

/* The last component of a path: exec makes it the task's name. */
static void cut_path(const char **name, size_t *len)
{
	const char *slash = memrchr(*name, '/', *len);

	if (slash) {
		*len -= slash + 1 - *name;
		*name = slash + 1;
	}
	if (*len > COMM_LEN)
		*len = COMM_LEN;
}

bool comm_event_nth(const struct event *ev, unsigned i, int32_t *pid, const char **name,
		    size_t *len)
{
	const struct etype *t = ev->type;
	const struct comm_event_fields *f = t->comm_fields;
	struct span s;

	if (!f || i > 1 || (i && !f->next_name))
		return false;
	*pid = (int32_t)field_scalar(i ? f->next_pid : f->pid, ev);
	*name = NULL;
	*len = 0;
	if (field_span(i ? f->next_name : f->name, ev, &s)) {
		*name = (const char *)s.p;
		*len = strnlen(*name, s.len);
	}
	if (t->comm_event == COMM_EVENT_EXEC && *len)
		cut_path(name, len);
	return true;
}

bool comm_event_read(const struct event *ev)
{
	struct comms *comms = ev->type->machine->comms;
	enum comm_event kind = ev->type->comm_event;
	const char *name;
	bool first = false;
	int32_t pid;
	size_t len;

	if (!ev->type->comm_fields || !comms_needs(comms, kind))
		return false;
	for (unsigned i = 0; comm_event_nth(ev, i, &pid, &name, &len); i++)
		first |= comms_event(comms, kind, pid, name, len);
	return first;
}
