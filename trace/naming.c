// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * naming: names of tasks from the events of the trace: reads those that tell of new tasks and new
 * names, and hands the names to the machine.
 */
#include "trace/naming.h"

#include "base/mem.h"
#include "trace/field.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

/* How to read one type; by its dense index. */
struct reading {
	bool made;
	const struct field *pid, *name;
	const struct field *next_pid, *next_name; /* switches */
};

struct naming {
	struct reading *v;
	size_t cap;
};

struct naming *naming_new(void)
{
	return mem_zalloc(sizeof(struct naming));
}

void naming_free(struct naming *n)
{
	if (!n)
		return;
	free(n->v);
	free(n);
}

static const struct {
	const char *system, *name;
	const char *pid, *comm;
} KINDS[] = {
	[NAMING_RENAME] = { "task", "task_rename", "pid", "newcomm" },
	[NAMING_EXEC] = { "sched", "sched_process_exec", "pid", "filename" },
	[NAMING_NEW] = { "task", "task_newtask", "pid", "comm" },
	[NAMING_FORK] = { "sched", "sched_process_fork", "child_pid", "child_comm" },
	[NAMING_SWITCH] = { "sched", "sched_switch", "prev_pid", "prev_comm" },
};

enum naming_kind naming_kind_of(const char *system, const char *name)
{
	if (strcmp(system, "task") && strcmp(system, "sched"))
		return NAMING_NONE;
	for (unsigned i = NAMING_NONE + 1; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (!strcmp(KINDS[i].name, name) && !strcmp(KINDS[i].system, system))
			return i;
	return NAMING_NONE;
}

bool naming_needs(const struct etype *t)
{
	const struct machine *s = machine_of_names(t->machine);

	if (!t->naming || s->watched)
		return false;
	/* Where every change is told, these add nothing. */
	if (t->naming == NAMING_EXEC || t->naming == NAMING_SWITCH)
		return !s->renamed && (t->naming == NAMING_EXEC || s->asked);
	return true;
}

static const struct field *number(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->loc == FIELD_AT && f->size == 4 &&
			       (f->kind == FIELD_INT || f->kind == FIELD_UINT) ?
		       f :
		       NULL;
}

static const struct field *string(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->kind == FIELD_STR ? f : NULL;
}

static const struct reading *reading_of(struct naming *n, const struct etype *t)
{
	struct reading *r;

	if (t->idx >= n->cap)
		n->v = mem_grow_zeroed(n->v, &n->cap, (size_t)t->idx + 1, sizeof(*n->v));
	r = &n->v[t->idx];
	if (r->made)
		return r;
	r->made = true;
	/* Newer kernels leave the pid out where it is that of the running task. */
	r->pid = number(t, KINDS[t->naming].pid);
	if (!r->pid && (t->naming == NAMING_RENAME || t->naming == NAMING_EXEC))
		r->pid = number(t, "common_pid");
	r->name = r->pid ? string(t, KINDS[t->naming].comm) : NULL;
	if (t->naming == NAMING_SWITCH) {
		r->next_pid = number(t, "next_pid");
		r->next_name = r->next_pid ? string(t, "next_comm") : NULL;
	}
	return r;
}

static void saw(const struct event *ev, const struct field *pid, const struct field *name,
		enum machine_saw how)
{
	int32_t task = (int32_t)field_scalar(pid, ev);
	const char *text, *slash;
	struct span s;
	size_t len;

	if (task <= 0 || !field_span(name, ev, &s))
		return;
	text = (const char *)s.p;
	len = strnlen(text, s.len);
	if (ev->type->naming == NAMING_EXEC) {
		slash = memrchr(text, '/', len);
		len -= slash ? (size_t)(slash + 1 - text) : 0;
		text = slash ? slash + 1 : text;
		if (len > 15)
			len = 15; /* TASK_COMM_LEN - 1 */
	}
	if (len)
		machine_saw_comm(ev->type->machine, task, text, len, how);
}

bool naming_see(struct naming *n, const struct event *ev)
{
	struct machine *s = machine_of_names(ev->type->machine);
	bool rename = ev->type->naming == NAMING_RENAME, first;
	const struct reading *r;
	enum machine_saw how;

	if (!naming_needs(ev->type))
		return false;
	r = reading_of(n, ev->type);
	if (!r->name)
		return false;
	first = rename && !s->renamed;
	s->renamed |= rename;
	how = rename ? SAW_AFTER : s->renamed ? SAW_NOW : SAW_UNLESS_LISTED;
	saw(ev, r->pid, r->name, how);
	if (r->next_name)
		saw(ev, r->next_pid, r->next_name, how);
	return first;
}
