/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_PIDNS_H
#define ZED_KERNEL_PIDNS_H

/*
 * Whose numbers are those of tasks?  Events, filters, set_event_pid and saved_cmdlines have the
 * kernel's, which are those of the initial PID namespace.  In another namespace (a container,
 * unshare -p) getpid() and fork() have that namespace's, and /proc those of the namespace that it
 * was mounted in (pid_namespaces(7), proc(5)).
 */
enum pidns {
	PIDNS_INITIAL, /* all are the kernel's */
	PIDNS_PROC,    /* /proc's are, ours are not: docker run -v /proc:/proc, unshare -pf */
	PIDNS_OTHER,   /* neither: of other tasks the kernel's numbers are unknown */
};

/* Where this process is.  Costs two or three system calls. */
enum pidns pidns_here(void);

#endif
