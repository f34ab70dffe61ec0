/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_VIEW_PROCESS_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_VIEW_PROCESS_H

#include "programs/zedperl/explore/request.h"

#include <sys/types.h>

/*
 * One view's answer, made by a process of its own: with limits of memory, CPU time and size,
 * without any descriptor of the server, and with what it starts in a process group of its own, so
 * that all of it can be ended.  Its answer is a file in memory (memfd), so that it need not wait
 * for a client.
 */
#define VIEW_MEMORY (8ull << 30) /* bytes of address space */
#define VIEW_TIME 600		 /* seconds, for an answer: its trace may never open */
#define VIEW_CPU 300		 /* seconds, of each process */
#define VIEW_SIZE (64u << 20)	 /* bytes of an answer */

struct view_process {
	pid_t pid;  /* 0: none */
	int ended;  /* readable when it has ended; -1 */
	int answer; /* the file; -1 */
	int said;   /* ... of its messages; -1 */
};

/* Nothing is running or open. */
void viewprocess_init(struct view_process *p);

/* Start one.  -1 with E. */
int viewprocess_start(struct view_process *p, struct explore *x, const struct explore_view *v,
		      const struct request *q, struct err *e);

/*
 * P->ended is readable: wait for it (which takes no time).  The HTTP status of its answer, which
 * is in P->answer, of *SIZE bytes: 200, 400, 500; that is written here if the process could not.
 */
unsigned viewprocess_end(struct view_process *p, uint64_t *size);

/* End it, with all that it has started, and close everything. */
void viewprocess_stop(struct view_process *p);

/* In a forked process: at most VIEW_MEMORY, and no core. */
void viewprocess_memory(void);

/* ... and VIEW_CPU, VIEW_SIZE, VIEW_TIME: it ends with a signal at these. */
void viewprocess_confine(void);

/* In a forked process: signals as a program of its own has them. */
void viewprocess_signals(void);

/*
 * The answer of V to Q, or an error as JSON, appended to O, in this process.  The HTTP status.
 */
unsigned view_answered(struct explore *x, const struct explore_view *v, const struct request *q,
		       struct outbuf *o);

#endif
