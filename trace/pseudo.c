// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pseudo: names that every event has, whatever its fields.
 */
#include "trace/pseudo.h"

#include <string.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static const struct {
	const char *name;
	enum pseudo what;
} PSEUDO[] = {
	{ "ts", PSEUDO_TS },
	{ "secs", PSEUDO_SECS },
	{ "nsecs", PSEUDO_NSECS },
	{ "cpu", PSEUDO_CPU },
	{ "CPU", PSEUDO_CPU },
	{ "pid", PSEUDO_PID },
	{ "tid", PSEUDO_PID },
	{ "comm", PSEUDO_COMM },
	{ "COMM", PSEUDO_COMM },
	{ "cgroup", PSEUDO_CGROUP },
	{ "sequence", PSEUDO_SEQUENCE },
	{ "event", PSEUDO_EVENT },
	{ "instance", PSEUDO_INSTANCE },
	{ "source", PSEUDO_SOURCE },
	{ "common_cpu", PSEUDO_CPU },
	{ "common_pid", PSEUDO_PID },
	{ "common_comm", PSEUDO_COMM },
	{ "common_cgroup", PSEUDO_CGROUP },
	{ "common_ts", PSEUDO_TS },
	{ "common_sequence", PSEUDO_SEQUENCE },
	{ "common_event", PSEUDO_EVENT },
	{ "common_instance", PSEUDO_INSTANCE },
	{ "common_source", PSEUDO_SOURCE },
};

static bool is_common(const char *name)
{
	return !strncmp(name, "common_", 7);
}

enum pseudo pseudo_named(const char *name, enum pseudo_scope scope)
{
	if (scope == PSEUDO_COMMON && !is_common(name))
		return PSEUDO_NONE;
	for (unsigned i = 0; i < COUNT(PSEUDO); i++)
		if (!strcmp(name, PSEUDO[i].name))
			return PSEUDO[i].what;
	return PSEUDO_NONE;
}

const char *pseudo_name(unsigned i)
{
	return i < COUNT(PSEUDO) ? PSEUDO[i].name : NULL;
}

/* The field of that name, the event's own before the common ones; or NULL. */
static const struct field *field_named(const struct etype *t, const char *name)
{
	const struct field *f;

	if (!strcmp(name, "common_cpu") || !strcmp(name, "common_comm") ||
	    !strcmp(name, "common_cgroup"))
		return NULL;
	f = field_find_in(t->fields + t->ncommon, t->nfields - t->ncommon, name);
	return f ? f : field_find(t, name);
}

struct meaning pseudo_meaning(const struct etype *t, const char *name, enum pseudo_scope scope)
{
	struct meaning m = { .field = field_named(t, name) };
	const struct field *task;

	if (m.field)
		return m;
	m.what = pseudo_named(name, scope);
	task = is_common(name) ? NULL : field_of_task(t);
	if (!task || (m.what != PSEUDO_PID && m.what != PSEUDO_COMM && m.what != PSEUDO_CGROUP))
		return m;
	m.field = task;
	if (m.what == PSEUDO_PID || task->kind == FIELD_NONE)
		m.what = PSEUDO_NONE;
	return m;
}
