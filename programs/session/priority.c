// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * priority: sets when our process gets a CPU that others want as well.
 */
#include "programs/session/priority.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST (-10)
#define TURN_NS 500000 /* the kernel takes 0.1 to 100 ms */

#define RESET_ON_FORK 1 /* the kernel's SCHED_FLAG_RESET_ON_FORK */

/* The kernel's struct sched_attr, its first version (3.14), which is never made smaller. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* Has the user left this to us? */
static bool is_ordinary(void)
{
	errno = 0;
	return getpriority(PRIO_PROCESS, 0) == 0 && !errno && sched_getscheduler(0) == SCHED_OTHER;
}

static bool set_attr(int nice, bool children)
{
	struct attr a = {
		.size = sizeof(a),
		.policy = SCHED_OTHER,
		.flags = children ? 0 : RESET_ON_FORK,
		.nice = nice,
		.runtime = TURN_NS,
	};

	return syscall(SYS_sched_setattr, 0, &a, 0) == 0;
}

void priority_first(void)
{
	if (is_ordinary() && !set_attr(FIRST, false))
		set_attr(0, false);
}

void priority_soon(bool children)
{
	if (is_ordinary())
		set_attr(0, children);
}
