/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_PRIORITY_H
#define ZED_PROGRAMS_SESSION_PRIORITY_H

#include <stdbool.h>

/*
 * When a process that watches the running system gets a CPU.  It has little to do, but has to do it
 * at once.  A nice value other than 0, or a scheduling class, is the user's choice and is kept; so
 * is everything if we may not change it.
 */

/*
 * Ahead of ordinary programs: nice -10, and soon (below).  For what empties the kernel's buffers: a
 * busy CPU fills its own within a few milliseconds, the time for which another process may keep
 * ours waiting.  (A storm of 7 million events a second, its consumer on our CPU: 1.2 % lost
 * without, less than 0.1 % with this.)  Processes that we start from then on do not inherit it.
 */
void priority_first(void);

/*
 * As much of a CPU as others get, but in short turns, and so as soon as there is something to do
 * (from Linux 6.12 on; sched_setattr(2), sched_runtime).  Needs no rights.  CHILDREN: processes
 * that we start from then on, too.
 */
void priority_soon(bool children);

#endif
