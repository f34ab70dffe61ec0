/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_JOB_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_JOB_H

#include "programs/zedperl/fleet/tell.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum job_is { JOB_WAITS, JOB_RUNS, JOB_DONE, JOB_SPLIT, JOB_FAILED };

/*
 * Some traces, and the process that is run on them.  In the folder of all jobs its files are called
 * NAME plus a suffix:
 *
 *	.state	the state
 *	.out	with --each, what it writes to stdout
 *	.err	what it writes to stderr; once it is known that nothing was damaged: JOB_SAID
 *	.end	tell.h; it is there until -j has seen how the process ended
 */
struct job {
	const char *folder;
	unsigned first, n; /* first and number of its traces in the list */
	unsigned part;	   /* part of the trace's time, from 1 on; 0: all of it */
	enum job_is is;
	pid_t pid;
	unsigned tries;
	int status;
	bool killed; /* by a signal */
	enum tell told;
	char name[40];
};

#define JOB_SAID ".said"

/* The path of its file with the suffix ENDING, to be freed. */
char *job_path(const struct job *job, const char *ending);

/* The same for its messages. */
char *job_said(const struct job *job);

void job_remove(const struct job *job, const char *ending);
bool job_has(const struct job *job, const char *ending);

/* Record how it ended, from JOB->is and ->status, for a run that continues later. */
void job_note_end(const struct job *job);

/* Is NAME, of LEN letters, that of the job ARG?  For folder_drop_begun(). */
bool job_is_named(void *arg, const char *name, size_t len);

#endif
