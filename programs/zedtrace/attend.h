/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_ATTEND_H
#define ZED_PROGRAMS_ZEDTRACE_ATTEND_H

#include "programs/zedtrace/service.h"
#include "record/recorder.h"

/* How a recording (not --flight) serves those who ask while it runs: the guest of its recorder. */
struct attend {
	/* Set by the caller, borrowed: */
	struct service *service;
	struct cli *cli;
	const struct zedtrace *zedtrace;
	struct session *session;
	pid_t command;		 /* the process that is recorded; 0: none */
	struct output *rotated;	 /* the output of --rotate; NULL: there is one file */
	struct exec_queue *exec; /* of --exec; NULL: not given */

	struct recorder_guest guest; /* for recorder_opts, after attend_init() */
	/* Its own: */
	bool turning, reloading; /* SERVICE_SNAPSHOT, SERVICE_RELOAD are still to be answered */
	bool again;		 /* another reload was asked for meanwhile */
	unsigned files;		 /* completed, when that was last known ... */
	char last[512];		 /* ... and the last of them; "": none */
};

void attend_init(struct attend *a);

#endif
