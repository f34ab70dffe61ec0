// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task_cgroups: where all tasks are in the tree of cgroups, from /proc and from the kernel's events
 * of new and moved tasks.
 */
#include "kernel/session/task_cgroups.h"

#include "base/mem.h"
#include "kernel/cgroup_files.h"
#include "kernel/procs.h"
#include "trace/cgroups/cgroup_table.h"

#include <stdlib.h>
#include <string.h>

#define MANY (1u << 18)	  /* tasks: those that have ended are forgotten */
#define MAX_THREADS 32768 /* of a process that is moved */

struct task_cgroups {
	int hierarchy;
	struct cgroup_table *present;
	uint32_t room; /* tasks until drop_ended() */
};

static void read_task(void *arg, pid_t tid)
{
	struct task_cgroups *t = arg;
	char path[CGROUP_FILES_PATH];

	if (cgroup_of_task(tid, t->hierarchy, path))
		cgroup_table_apply(t->present,
				   &(struct cgroup_record){ .pid = tid,
							    .len = (uint16_t)strlen(path),
							    .path = path });
}

struct task_cgroups *taskcgroups_new(const struct watch *w)
{
	struct task_cgroups *t;

	if (!w || watch_hierarchy(w) < 0)
		return NULL;
	t = mem_zalloc(sizeof(*t));
	t->hierarchy = watch_hierarchy(w);
	t->present = cgroup_table_new();
	t->room = MANY;
	procs_tasks(read_task, t);
	return t;
}

void taskcgroups_free(struct task_cgroups *t)
{
	if (!t)
		return;
	cgroup_table_free(t->present);
	free(t);
}

static bool lives(void *arg, int32_t pid)
{
	return procs_start(pid) != 0;
}

static void drop_ended(struct task_cgroups *t)
{
	uint32_t n;

	cgroup_table_prune(t->present, lives, NULL);
	n = cgroup_table_count(t->present);
	t->room = 2 * n > MANY ? 2 * n : MANY;
}

/* ---- changes ---- */

struct following {
	struct task_cgroups *t;
	struct cgroup_log_buf *log;
};

static void pass_on(struct following *f, const struct cgroup_record *r)
{
	if (cgroup_table_count(f->t->present) >= f->t->room)
		drop_ended(f->t);
	cgroup_table_apply(f->t->present, r);
	cgroup_log_put(f->log, r);
}

/* The path of R's task, which the kernel did not report, as /proc has it now. */
static void look_up(struct following *f, const struct cgroup_record *r)
{
	struct cgroup_record found = *r;
	char path[CGROUP_FILES_PATH];

	if (cgroup_of_task(r->pid, f->t->hierarchy, path)) {
		found.path = path;
		found.len = (uint16_t)strlen(path);
	}
	pass_on(f, &found);
}

/* R moved its task: the other threads of its process went with it, or did not. */
static void look_at_threads(struct following *f, const struct cgroup_record *r)
{
	pid_t *tids = mem_alloc(MAX_THREADS * sizeof(*tids));
	unsigned n = procs_threads(r->pid, tids, MAX_THREADS);

	for (unsigned i = 0; i < n; i++)
		if (tids[i] != r->pid)
			look_up(f, &(struct cgroup_record){ .ts = r->ts, .pid = tids[i] });
	free(tids);
}

static void take(void *arg, const struct cgroup_record *r)
{
	struct following *f = arg;

	if (r->like || r->len)
		pass_on(f, r);
	else
		look_up(f, r);
	if (r->len)
		look_at_threads(f, r);
}

void taskcgroups_follow(struct task_cgroups *t, struct watch *w, struct cgroup_log_buf *log)
{
	struct following f = { t, log };

	watch_cgroups(w, take, &f);
}

/* ---- all of them ---- */

void taskcgroups_all(const struct task_cgroups *t, struct cgroup_log_buf *log)
{
	cgroup_table_log(t->present, log);
}
