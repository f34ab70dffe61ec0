/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_TASK_CGROUPS_H
#define ZED_KERNEL_SESSION_TASK_CGROUPS_H

#include "kernel/session/watch.h"

/*
 * The cgroups of all tasks, now, and each change with its time.  They come from /proc at the
 * beginning, then from a watch; where the kernel reports too little of a change, from /proc again.
 * Of more than 262,144 tasks those that have ended are forgotten.
 */
struct task_cgroups;

/* Read those of all tasks.  NULL: W (may be NULL) does not follow cgroups. */
struct task_cgroups *taskcgroups_new(const struct watch *w);
void taskcgroups_free(struct task_cgroups *t); /* NULL is fine */

/* Add to LOG what the last watch_read() of W has seen, with its times. */
void taskcgroups_follow(struct task_cgroups *t, struct watch *w, struct cgroup_log_buf *log);

/* Add to LOG where each task is, with the time 0. */
void taskcgroups_all(const struct task_cgroups *t, struct cgroup_log_buf *log);

#endif
