/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_TASK_MAPS_H
#define ZED_KERNEL_SESSION_TASK_MAPS_H

#include "kernel/session/watch.h"
#include "trace/maps/map_log.h"

/*
 * What the processes of a session have mapped that can be executed, for the names of functions in
 * their stacks: /proc/PID/maps of all of them, or of those that the session is limited to, at the
 * beginning, of a process that runs another program some times from then on, and of all at the end.
 * A process that is a copy of another has what that one has.  One that runs a program and has ended
 * before it is looked at is counted.
 *
 * Time is bounded: a second at the beginning and at the end, and a tenth in between, of
 * which 200 ms at once.  Of more than 65,536 processes, or 64 MiB of mappings, those that have
 * ended are forgotten.  Where the watch has lost something, all that live are looked at: what one
 * that has changed ran in between is not known then.
 */
struct task_maps;

/*
 * Look at the processes that there are.  S is borrowed until taskmaps_free(); W, which may be NULL,
 * is told to note processes.  NULL: their numbers in /proc are not those of events.
 */
struct task_maps *taskmaps_new(struct session *s, struct watch *w);
void taskmaps_free(struct task_maps *t); /* NULL is fine */

/*
 * Add to LOG what is new by the last watch_read() of W, and what is due.  The first call may come
 * after taskmaps_all().
 */
void taskmaps_follow(struct task_maps *t, struct watch *w, struct map_log_buf *log);

/* When taskmaps_follow() should be called again: CLOCK_MONOTONIC, ns. */
uint64_t taskmaps_due(const struct task_maps *t);

/* Add to LOG what has changed of those that live: libraries that they have loaded. */
void taskmaps_last(struct task_maps *t, struct map_log_buf *log);

/* Add to LOG all files, and the last look at each process: first those of processes that live. */
void taskmaps_all(struct task_maps *t, struct map_log_buf *log);

/* Forget the processes that had ended when this was last called. */
void taskmaps_forget(struct task_maps *t);

/* Report how many processes are missing. */
void taskmaps_say_missing(const struct task_maps *t, struct notes *n);

#endif
