/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_RECORDER_H
#define ZED_RECORD_RECORDER_H

#include "kernel/session/watch.h"
#include "record/budget.h"
#include "record/output.h"

struct pollfd;
struct recorder;

/*
 * What is served beside the loop: a socket, a service manager.  Nothing of it may wait, or cost
 * more than a few tests if there is nothing to do.
 */
struct recorder_guest {
	/*
	 * Its descriptors, at most MAX of them into FDS; returns how many.  May lower *UNTIL
	 * (CLOCK_MONOTONIC, ns), when it is to be called again.
	 */
	unsigned (*fds)(void *arg, struct pollfd *fds, unsigned max, uint64_t *until);
	/* In each turn of the loop, at NOW.  READY: poll() reported one of them. */
	void (*look)(void *arg, struct recorder *r, bool ready, uint64_t now);
	/* The loop has ended; what follows may take long. */
	void (*ends)(void *arg);
	void *arg;
};
#define RECORDER_GUEST_FDS 16

/*
 * The recorder's loop: full sub-buffers go from the kernel to the output by splice, partly filled
 * ones by read (every output->flush_ns, and at the end); rounds, names and new formats in between.
 */
struct recorder_opts {
	struct session *session;  /* borrowed, not started */
	struct output *output;	  /* borrowed */
	struct meta *meta;	  /* borrowed: of meta_read(), from before OUTPUT was opened */
	uint64_t slack;		  /* ns: how late a committed record may be seen */
	double seconds;		  /* end after so long; 0: no limit */
	const volatile int *stop; /* set by a signal: end cleanly; a second signal kills */
	bool (*over)(void *arg);  /* asked every round: has the command ended?  May be NULL */
	void *arg;
	bool maps; /* record what processes have mapped (kernel/session/task_maps.h) */
	struct watch_ahead *names;  /* of SESSION; taken over in any case.  NULL: begun only here */
	int reader_of;		    /* -1, or our end of the pipe whose reader is to be kept out
					   of the system calls */
	void (*started)(void *arg); /* tracing is on: the command may start.  May be NULL */
	const struct recorder_guest *guest; /* borrowed; may be NULL */
	unsigned percent;	     /* a CPU's buffer wakes us in a storm when it is this full */
	struct budget_limits budget; /* of a session of ours only */
	struct notes *notes;
};

struct recorder_cpu {
	int cpu;
	uint64_t events, bytes;
	uint64_t overrun, commit_overrun, dropped;
};

struct recorder_result {
	struct recorder_cpu *cpus; /* freed by recorder_result_fini() */
	unsigned ncpus;
	uint64_t events, dropped, bytes;
	uint64_t own;	/* events that recording itself caused, as far as they were seen */
	uint64_t ns;	/* how long it traced */
	bool gone;	/* the consumer ended first */
	bool at_most;	/* ... or the output failed, and how many events it kept is not known */
	char *switched; /* budget_report(), freed by recorder_result_fini() */
};

/* How far a recording is, for a guest. */
struct recorder_progress {
	uint64_t events, lost; /* by the kernel's statistics, which are read for it */
	uint64_t bytes;	       /* of pages taken */
	uint64_t ns;	       /* since the start */
};
void recorder_progress(const struct recorder *r, struct recorder_progress *p);

/* Start, record, stop, drain, end the output.  -1 with E; R is filled as far as it goes. */
int recorder_run(const struct recorder_opts *o, struct recorder_result *r, struct err *e);
void recorder_result_fini(struct recorder_result *r);

#endif
