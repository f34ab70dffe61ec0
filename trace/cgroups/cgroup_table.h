/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CGROUPS_CGROUP_TABLE_H
#define ZED_TRACE_CGROUPS_CGROUP_TABLE_H

#include "trace/cgroups/cgroup_log.h"

/*
 * The cgroup of each task, by pid.  A path is kept once, for as long as a task has it.  A path that
 * is returned is borrowed until the table changes.
 */
struct cgroup_table;

#define CGROUP_TABLE_MAX (1u << 20)    /* tasks: of more the oldest is forgotten */
#define CGROUP_TABLE_BYTES (64u << 20) /* of paths: of more the tasks there have none */

struct cgroup_table *cgroup_table_new(void);
void cgroup_table_free(struct cgroup_table *t); /* NULL is fine */

/* What R says holds, whatever its time. */
void cgroup_table_apply(struct cgroup_table *t, const struct cgroup_record *r);

/* The cgroup of PID; NULL: unknown. */
const char *cgroup_table_path(const struct cgroup_table *t, int32_t pid);

/* The number of tasks, those whose cgroup is unknown included. */
uint32_t cgroup_table_count(const struct cgroup_table *t);

/* Add to LOG where each task is, with the time 0; each path is in it once. */
void cgroup_table_log(const struct cgroup_table *t, struct cgroup_log_buf *log);

/* Forget the tasks for which KEEP is false. */
void cgroup_table_prune(struct cgroup_table *t, bool (*keep)(void *arg, int32_t pid), void *arg);

#endif
