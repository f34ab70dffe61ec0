/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_JOBS_PRIV_H
#define ZED_PROGRAMS_ZEDPERL_JOBS_PRIV_H

/* Shared by jobs.c and jobs_report.c. */

#include "programs/zedperl/fleet/fleet_progress.h"
#include "programs/zedperl/fleet/job.h"
#include "programs/zedperl/fleet/said.h"
#include "programs/zedperl/job_list.h"
#include "programs/zedperl/jobs.h"

struct jobs {
	struct cli *c;
	struct zedperl *z;
	struct job_list list;
	struct job *v;
	size_t n, cap;
	unsigned running, said; /* processes; results that were printed (--each) */
	unsigned over, failed, damaged;
	int no_process;	 /* why one could not be started */
	bool uncompiled; /* the script does not compile: no process will do more than the first */
	struct said said_lines;
	struct progress progress;
};

/* --each: print the output of the processes that have ended, in the order of the list. */
void jobs_print_results(struct jobs *j);

/*
 * Print a process's messages: for a failed one a few lines, after FIRST, which is NULL for others.
 */
void jobs_say(struct jobs *j, const struct job *job, const char *first);

/* The script does not compile: print perl's message, once.  Returns the exit status. */
int jobs_say_uncompiled(struct jobs *j);

/* Remove all but the state; if that stays, the messages about a damaged trace stay with it. */
void jobs_remove_rest(const struct jobs *j, const struct job *job);

/* After the last process: print what is left to say; the states are Z's files.  The exit status. */
int jobs_finish(struct jobs *j);

#endif
