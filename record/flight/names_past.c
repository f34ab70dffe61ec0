// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names_past: the names that tasks had a while ago: a table of names, and a log of changes after
 * it, whose older half goes into the table when it becomes long.
 */
#include "record/flight/names_past.h"

#include "base/mem.h"
#include "trace/comms/comm_log.h"
#include "kernel/session/watch.h"
#include "record/task_names.h"

#include <stdlib.h>
#include <string.h>

#define LOG_MAX (4u << 20) /* bytes: some 150,000 changes */

struct names_past {
	struct notes *notes;
	struct watch *watch;  /* NULL: the kernel does not report names */
	struct names *before; /* when the log began */
	struct names *now;
	struct comm_log_buf log;
};

struct names_past *namespast_new(struct session *s, struct notes *n)
{
	struct names_past *p = mem_zalloc(sizeof(*p));

	p->notes = n;
	p->watch = watch_open(s, n);
	p->before = names_new(session_root(s), p->watch != NULL, session_has_proc(s));
	p->now = names_new(session_root(s), p->watch != NULL, session_has_proc(s));
	return p;
}

void namespast_free(struct names_past *p)
{
	if (!p)
		return;
	if (p->watch)
		watch_say_lost(p->watch, p->notes);
	watch_close(p->watch);
	names_free(p->before);
	names_free(p->now);
	free(p->log.p);
	free(p);
}

/* The older half becomes part of the table. */
static void shorten(struct names_past *p)
{
	struct comm_record r;
	size_t at = 0;

	while (at < p->log.len / 2 && comm_log_next(p->log.p, p->log.len, &at, &r))
		names_learn(p->before, r.pid, r.name, r.len);
	memmove(p->log.p, p->log.p + at, p->log.len - at);
	p->log.len -= at;
}

static void changed(void *arg, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	struct names_past *p = arg;

	comm_log_put(&p->log, ts, pid, name, len);
	names_learn(p->now, pid, name, len);
}

void namespast_tend(struct names_past *p)
{
	if (!p->watch)
		return;
	watch_read(p->watch, changed, p);
	if (p->log.len > LOG_MAX)
		shorten(p);
}

unsigned namespast_fds(const struct names_past *p, struct pollfd *fds, unsigned max)
{
	return p->watch ? watch_fds(p->watch, fds, max) : 0;
}

bool namespast_watched(const struct names_past *p)
{
	return p->watch != NULL;
}

static void add(void *arg, pid_t pid, const char *name)
{
	comm_log_put(arg, 0, pid, name, strlen(name));
}

int namespast_give(struct names_past *p, struct output *out, struct err *e)
{
	struct comm_log_buf all = { NULL };
	int rc;

	if (!p->watch || !out->ops->names)
		return 0;
	namespast_tend(p);
	names_each(p->before, add, &all);
	rc = out->ops->names(out, all.p, all.len, e);
	if (rc == 0 && p->log.len)
		rc = out->ops->names(out, p->log.p, p->log.len, e);
	free(all.p);
	return rc;
}

void namespast_last(struct names_past *p, const char **text, size_t *len)
{
	names_all(p->now, text, len);
}
