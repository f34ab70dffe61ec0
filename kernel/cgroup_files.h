/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_CGROUP_FILES_H
#define ZED_KERNEL_CGROUP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The cgroups of tasks, from /proc/PID/cgroup (cgroups(7)): a line "ID:CONTROLLERS:PATH" for each
 * hierarchy that the task is in.  With cgroups v2 there is one, "0::PATH"; with v1, or both, there
 * are several, and a task may be in a different place of each.
 */
#define CGROUP_FILES_PATH 4097 /* bytes of a path with its NUL */

/*
 * The number of the hierarchy whose paths are those of tasks: 0, that of v2, if any process is
 * outside of its root; else that of the cpu controller, if it has its own; else 0.  -1: there are
 * no cgroups, or /proc shows paths of another cgroup namespace than the kernel's events do.
 */
int cgroup_hierarchy(void);

/*
 * The path of task PID, a number of /proc, in HIERARCHY; without the kernel's " (deleted)".  False:
 * the task has ended, or is not in it.
 */
bool cgroup_of_task(pid_t pid, int hierarchy, char path[CGROUP_FILES_PATH]);

/* Call GIVE for every task that is in the cgroup ROOT of HIERARCHY, or below it. */
void cgroup_tasks(const char *root, int hierarchy, void (*give)(void *arg, pid_t tid), void *arg);

/*
 * The path in TEXT, such a file, of HIERARCHY or, if that is negative, of the hierarchy with the
 * controller cpu, whose number *ID gets (may be NULL).  NULL: there is none.  Not terminated: *LEN
 * bytes.
 */
const char *cgroup_line(const char *text, int hierarchy, int *id, size_t *len);

#endif
