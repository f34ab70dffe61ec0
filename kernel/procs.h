/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_PROCS_H
#define ZED_KERNEL_PROCS_H

#include "base/err.h"

#include <sys/types.h>

/* What /proc says about processes.  A process that ends while it is looked at is not an error. */

/*
 * Our own number in /proc, and that of our parent: those of getpid() and getppid(), unless /proc is
 * that of another PID namespace (pidns.h).  All numbers below are /proc's.
 */
pid_t procs_self(void);
pid_t procs_parent(void);

/* When PID began, in clock ticks since boot (field 22 of stat); 0: there is no such process. */
uint64_t procs_start(pid_t pid);

/* The process PID that began at START. */
enum procs_life {
	PROCS_GONE,   /* it does not exist, or is a zombie: its parent has not waited for it */
	PROCS_ENDING, /* it was killed, or is just ending, and may still have files open */
	PROCS_LIVES,
};
enum procs_life procs_life(pid_t pid, uint64_t start);

/* The command name of task PID into BUF (at most 16 bytes with its NUL); false: it has ended. */
bool procs_comm(pid_t pid, char buf[16]);

/* Call GIVE for every task (thread) of the system, with its name. */
void procs_each(void (*give)(void *arg, pid_t tid, const char *comm), void *arg);

/* The same without names; and for every process, until it returns false. */
void procs_tasks(void (*give)(void *arg, pid_t tid), void *arg);
void procs_processes(bool (*give)(void *arg, pid_t pid), void *arg);

/* The tasks of process PID (its own number included) into TIDS; returns how many, at most MAX. */
unsigned procs_threads(pid_t pid, pid_t *tids, unsigned max);

/* The process that task TID is a thread of; 0: it has ended. */
pid_t procs_process(pid_t tid);

/*
 * The number of task TID, a thread as well, in its own PID namespace, which may be one within that
 * of /proc; 0: it has ended, or the kernel (before 4.1) does not tell.
 */
pid_t procs_inner(pid_t tid);

/*
 * The processes that have the pipe FD open for reading, except this one, into PIDS; returns
 * how many, at most MAX.  0 if FD is not a pipe.
 */
unsigned procs_pipe_readers(int fd, pid_t *pids, unsigned max);

#endif
