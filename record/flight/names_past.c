// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names_past: the names and cgroups that tasks had a while ago: a table of each, and a log of
 * changes after it, whose older half goes into the table when it becomes long; and the last looks
 * at what processes have mapped.
 */
#include "record/flight/names_past.h"

#include "base/mem.h"
#include "kernel/session/task_cgroups.h"
#include "kernel/session/task_maps.h"
#include "kernel/session/watch.h"
#include "record/task_names.h"
#include "trace/cgroups/cgroup_table.h"
#include "trace/comms/comm_log.h"

#include <stdlib.h>
#include <string.h>

#define LOG_MAX (4u << 20) /* bytes: some 150,000 changes */

struct names_past {
	struct notes *notes;
	struct watch *watch;  /* NULL: the kernel does not report names */
	struct names *before; /* when the log began */
	struct names *now;
	struct comm_log_buf log;
	struct task_cgroups *cgroups;	     /* now; NULL: they are not followed */
	struct cgroup_table *cgroups_before; /* when MOVES began */
	struct cgroup_log_buf moves;
	struct task_maps *maps; /* NULL: not asked for */
	struct map_log_buf mapped;
};

/* The complete records of LOG up to about byte END go into the table.  Returns where that ended. */
static size_t apply_moves(struct cgroup_table *t, const struct cgroup_log_buf *log, size_t end)
{
	struct cgroup_record r;
	size_t at = 0;

	while (at < end && cgroup_log_next(log->p, log->len, &at, &r))
		cgroup_table_apply(t, &r);
	return at;
}

static void begin_cgroups(struct names_past *p)
{
	p->cgroups = taskcgroups_new(p->watch);
	if (!p->cgroups)
		return;
	p->cgroups_before = cgroup_table_new();
	taskcgroups_all(p->cgroups, &p->moves);
	apply_moves(p->cgroups_before, &p->moves, p->moves.len);
	p->moves.len = 0;
}

struct names_past *namespast_new(struct session *s, bool maps, struct notes *n)
{
	struct names_past *p = mem_zalloc(sizeof(*p));

	p->notes = n;
	p->watch = watch_open(s, n);
	p->before = names_new(session_root(s), p->watch != NULL, session_has_proc(s));
	p->now = names_new(session_root(s), p->watch != NULL, session_has_proc(s));
	begin_cgroups(p);
	p->maps = maps ? taskmaps_new(s, p->watch) : NULL;
	return p;
}

void namespast_free(struct names_past *p)
{
	if (!p)
		return;
	if (p->watch)
		watch_say_lost(p->watch, p->notes);
	if (p->maps)
		taskmaps_say_missing(p->maps, p->notes);
	watch_close(p->watch);
	names_free(p->before);
	names_free(p->now);
	taskcgroups_free(p->cgroups);
	taskmaps_free(p->maps);
	cgroup_table_free(p->cgroups_before);
	free(p->log.p);
	free(p->moves.p);
	free(p->mapped.p);
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

static void shorten_moves(struct names_past *p)
{
	size_t at = apply_moves(p->cgroups_before, &p->moves, p->moves.len / 2);

	memmove(p->moves.p, p->moves.p + at, p->moves.len - at);
	p->moves.len -= at;
}

static void changed(void *arg, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	struct names_past *p = arg;

	comm_log_put(&p->log, ts, pid, name, len);
	names_learn(p->now, pid, name, len);
}

/* What is kept is the last look at each process. */
static void tend_maps(struct names_past *p)
{
	if (!p->maps)
		return;
	taskmaps_follow(p->maps, p->watch, &p->mapped);
	p->mapped.len = 0;
}

static void tend_names(struct names_past *p)
{
	if (!p->watch)
		return;
	watch_read(p->watch, changed, p);
	if (p->log.len > LOG_MAX)
		shorten(p);
	if (p->cgroups)
		taskcgroups_follow(p->cgroups, p->watch, &p->moves);
	if (p->moves.len > LOG_MAX)
		shorten_moves(p);
}

void namespast_tend(struct names_past *p)
{
	tend_names(p);
	tend_maps(p);
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

static int give_cgroups(struct names_past *p, struct output *out, struct err *e)
{
	struct cgroup_log_buf all = { NULL };
	int rc;

	if (!p->cgroups || !out->ops->cgroups)
		return 0;
	cgroup_table_log(p->cgroups_before, &all);
	rc = out->ops->cgroups(out, all.p, all.len, e);
	if (rc == 0 && p->moves.len)
		rc = out->ops->cgroups(out, p->moves.p, p->moves.len, e);
	free(all.p);
	return rc;
}

static int give_maps(struct names_past *p, struct output *out, struct err *e)
{
	int rc;

	if (!p->maps || !out->ops->maps)
		return 0;
	tend_maps(p);
	taskmaps_last(p->maps, &p->mapped);
	p->mapped.len = 0;
	taskmaps_all(p->maps, &p->mapped);
	rc = out->ops->maps(out, p->mapped.p, p->mapped.len, e);
	p->mapped.len = 0;
	taskmaps_forget(p->maps);
	return rc;
}

static int give_names(struct names_past *p, struct output *out, struct err *e)
{
	struct comm_log_buf all = { NULL };
	int rc;

	if (!p->watch || !out->ops->names)
		return 0;
	tend_names(p);
	names_each(p->before, add, &all);
	rc = out->ops->names(out, all.p, all.len, e);
	if (rc == 0 && p->log.len)
		rc = out->ops->names(out, p->log.p, p->log.len, e);
	free(all.p);
	return rc ? rc : give_cgroups(p, out, e);
}

int namespast_give(struct names_past *p, struct output *out, struct err *e)
{
	int rc = give_names(p, out, e);

	return rc ? rc : give_maps(p, out, e);
}

void namespast_last(struct names_past *p, const char **text, size_t *len)
{
	names_all(p->now, text, len);
}
