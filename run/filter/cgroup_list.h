/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_FILTER_CGROUP_LIST_H
#define ZED_RUN_FILTER_CGROUP_LIST_H

#include "base/err.h"
#include "trace/machine.h"

/* Cgroups that are asked for, each with all below it, by their paths. */
struct cgroup_list;

struct cgroup_list *cgroup_list_new(void);
void cgroup_list_free(struct cgroup_list *l); /* NULL is fine */

/*
 * "/system.slice/ssh.service"; slashes at the end do not count.  -1 with E (ERR_USAGE): it does not
 * begin with '/'.
 */
int cgroup_list_add(struct cgroup_list *l, const char *path, struct err *e);

/* Is the task PID of M in one of them at NOW, the time of an event? */
bool cgroup_list_takes_task(struct cgroup_list *l, struct machine *m, uint64_t now, int32_t pid);

/* The I-th path; NULL: no more. */
const char *cgroup_list_at(const struct cgroup_list *l, size_t i);

/* The next path, from the *I-th on, that no task checked so far was in; *I is moved past it. */
const char *cgroup_list_unmet(const struct cgroup_list *l, size_t *i);

#endif
