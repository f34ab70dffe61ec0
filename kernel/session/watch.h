/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_WATCH_H
#define ZED_KERNEL_SESSION_WATCH_H

#include "kernel/session/session.h"
#include "trace/cgroups/cgroup_log.h"

/*
 * The names of all tasks while a session runs, each with its time.  A second instance (with the
 * session's name and ".names") records new tasks and new names, and tasks that get into another
 * cgroup, whatever the session records, filters or leaves out.  Nothing of it is in the session's
 * buffers.
 */
struct watch;

/*
 * Begin to watch.  NULL: this kernel cannot report names, or refuses a second instance (reported as
 * information).  S is borrowed until watch_close(); both have the same clock.
 */
struct watch *watch_open(const struct session *s, struct notes *n);
void watch_close(struct watch *w);

/*
 * The same in two steps: begin to make the instance, in a thread, as that is mostly a wait for the
 * kernel; and, before S is started, watch.  Each is followed by one watch_take(), which frees A and
 * returns what watch_open() would, or by watch_drop().
 */
struct watch_ahead;
struct watch_ahead *watch_begin(const struct session *s);
struct watch *watch_take(struct watch_ahead *a, struct notes *n);
void watch_drop(struct watch_ahead *a); /* NULL is fine */

/*
 * Pass on what has happened since the last call, by time: TS is a time of the session's clock.  All
 * names with a time earlier than the call minus the slack of a session have then been given.
 */
void watch_read(struct watch *w,
		void (*give)(void *arg, uint64_t ts, int32_t pid, const char *name, size_t len),
		void *arg);

/*
 * Pass on, by time, what the last watch_read() has seen of cgroups: a new task, which is like its
 * parent, and a task that was moved.  A record with neither a path nor another task: the kernel did
 * not report the path, and /proc has it.  Of a process that was moved only its first thread is
 * reported, as the event does not say whether it was moved alone.
 */
void watch_cgroups(struct watch *w, void (*give)(void *arg, const struct cgroup_record *r),
		   void *arg);

/*
 * A process has begun, as a copy of that of the task PARENT; 0: it may run another program;
 * WATCH_THREAD: no process, but a thread has this number from now on.
 */
#define WATCH_THREAD (-1)

struct watch_process {
	uint64_t ts; /* of the session's clock */
	int32_t pid, parent;
	bool again; /* another name of PID follows in this batch */
};

/*
 * From now on watch_read() notes them, and this passes on, by time, what the last one has noted.  A
 * task that runs another program has another name, as do those that give themselves one.
 */
void watch_note_processes(struct watch *w);
void watch_processes(struct watch *w, void (*give)(void *arg, const struct watch_process *p),
		     void *arg);

/*
 * The hierarchy that these paths are in (kernel/cgroup_files.h); -1: cgroups are not followed, as
 * this kernel has none or does not report them, or /proc has other tasks or paths than its events.
 */
int watch_hierarchy(const struct watch *w);

/*
 * The descriptors on which poll() reports that its buffers fill (SESSION_PERCENT), in the order
 * of its CPUs into FDS, at most MAX.  Returns how many.
 */
struct pollfd;
unsigned watch_fds(const struct watch *w, struct pollfd *fds, unsigned max);

/* How many new tasks and new names the kernel had no room for, as far as was read. */
uint64_t watch_lost(const struct watch *w);

/* To be called at the end: reports them. */
void watch_say_lost(const struct watch *w, struct notes *n);

#endif
