/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_FILTER_COMM_LIST_H
#define ZED_RUN_FILTER_COMM_LIST_H

#include "base/err.h"
#include "trace/comms/comms.h"

/*
 * Names of tasks that are asked for, as shell-like patterns.  A task has the name that
 * comms_name(->comms) gives at that time.
 */
struct comm_list;

struct comm_list *comm_list_new(void);
void comm_list_free(struct comm_list *l); /* NULL is fine */

/*
 * "sh,kworker*": names with commas between, blanks are part of them.  -1 with E (ERR_USAGE): one is
 * empty.
 */
int comm_list_add(struct comm_list *l, const char *text, struct err *e);

/* Is a task of that name asked for? */
bool comm_list_takes(const struct comm_list *l, const char *name);

/*
 * Is the task PID of C asked for, by the name that it has now?  Patterns are matched when a task is
 * first met, and again when names have changed.
 */
bool comm_list_takes_task(struct comm_list *l, struct comms *c, int32_t pid);

/* The I-th pattern; NULL: no more. */
const char *comm_list_at(const struct comm_list *l, size_t i);

/* The next pattern, from the *I-th on, that no task checked so far had; *I is moved past it. */
const char *comm_list_unmet(const struct comm_list *l, size_t *i);

#endif
