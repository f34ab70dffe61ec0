/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_WORKER_H
#define ZED_RECORD_FILE_WORKER_H

#include <pthread.h>
#include <stdbool.h>

/*
 * One thread that does one job after another for a recorder, which must not wait.  It runs at the
 * priority of ordinary programs and takes no signals.
 */
struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*job)(void *arg); /* NULL: idle */
	void *arg;
	bool runs, quit;
};

/* False: a thread cannot be started (worker_do() then does each job at once). */
bool worker_start(struct worker *w);

/* Begin JOB; the job before must have been waited for. */
void worker_do(struct worker *w, void (*job)(void *arg), void *arg);

/* Is it still running?  What a job wrote may be read once this has returned false. */
bool worker_busy(struct worker *w);

void worker_wait(struct worker *w);

/* Is the caller its thread, at a job? */
bool worker_is_self(const struct worker *w);

/* Wait for its job, and end it. */
void worker_stop(struct worker *w);

#endif
