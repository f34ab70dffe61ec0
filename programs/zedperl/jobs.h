/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_JOBS_H
#define ZED_PROGRAMS_ZEDPERL_JOBS_H

#include "programs/zedperl/zedperl.h"

#define JOBS_MOST 1024 /* processes at a time */
#define PARTS_MOST JOBS_MOST

/* How long one of them waits for a writer of a FIFO that is among its traces. */
#define JOB_WRITER_MS 3000

/*
 * zedperl -j: run Z's script on each of its traces (Z->files, and those that --files-from names) in
 * processes of their own, several traces in one if the script keeps them apart, and leave their
 * states as Z->files, for a run that reduces them; or, with --each, print the output of each.
 * Failures are listed.  Returns the exit status: 0 or 1 if there are states, or everything was
 * printed.
 */
int jobs_run(struct cli *c, struct zedperl *z);

/* After that run: remove what jobs_run() has left for it. */
void jobs_clean(struct zedperl *z);

#endif
