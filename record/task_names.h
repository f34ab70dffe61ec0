/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_TASK_NAMES_H
#define ZED_RECORD_TASK_NAMES_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Command names of tasks, as lines "PID COMM\n".  The kernel keeps those of the last 128 tasks or
 * so that it traced (saved_cmdlines, shared by all its users); the names of running tasks are read
 * as well, at the start and at the end, so that fewer stay "<...>".  Of more than 262,144 tasks
 * those that have ended are forgotten, the oldest half.
 */
struct names;

/*
 * Read the names of running tasks; ROOT is that of tracefs, borrowed.  NULL: the trace is of other
 * tasks, and none are read.  WATCHED: each change will be passed to names_learn(), and they are not
 * read again.  PROC: /proc has them, by the numbers of events (session_has_proc()); else the names
 * of tasks that were not passed to names_learn() are those of saved_cmdlines, old ones included.
 */
struct names *names_new(const char *root, bool watched, bool proc);
void names_free(struct names *n);

/* Only with WATCHED: PID is called NAME from now on, which the caller passes on itself. */
void names_learn(struct names *n, pid_t pid, const char *name, size_t len);

/* Every name that is known to be the present one, unsorted: without PROC only what was learned. */
void names_each(const struct names *n, void (*give)(void *arg, pid_t pid, const char *name),
		void *arg);

/*
 * Read saved_cmdlines; *TEXT gets the lines that are new or have changed since the last call (the
 * first call: all that is known), borrowed until the next one, *LEN bytes.  It cannot fail: what
 * cannot be read is skipped.
 */
void names_update(struct names *n, const char **text, size_t *len);

/* Read the names of running tasks once more; then *TEXT gets every known name, by PID. */
void names_all(struct names *n, const char **text, size_t *len);

#endif
