// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pidns: finds out whether this process, and the /proc that it sees, have the kernel's numbers of
 * tasks.
 */
#include "kernel/pidns.h"

#include <stdbool.h>
#include <sys/stat.h>

/* The inode of the initial PID namespace: PROC_PID_INIT_INO in the kernel's proc_ns.h. */
#define INITIAL_INODE 0xeffffffcu

/* Is the namespace file PATH that of the initial one?  Not if it cannot be looked at. */
static bool is_initial(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_ino == INITIAL_INODE;
}

enum pidns pidns_here(void)
{
	if (is_initial("/proc/self/ns/pid"))
		return PIDNS_INITIAL;
	/* The first process that a /proc shows is in the namespace that it was mounted in. */
	return is_initial("/proc/1/ns/pid") ? PIDNS_PROC : PIDNS_OTHER;
}
