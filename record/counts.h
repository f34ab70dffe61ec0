/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_COUNTS_H
#define ZED_RECORD_COUNTS_H

#include "record/recorder.h"

/*
 * How many events the kernel says were read, and lost: of a whole recording, and of each of its
 * files if it makes several.
 */
struct counts {
	struct session *s; /* borrowed, as are: */
	struct notes *notes;
	const int *cpus;
	unsigned n;
	struct cpu_stats *before; /* of each CPU, when we came (session_attach) */
	struct cpu_stats *part;	  /* of each CPU, when the file at hand began */
	char **stats;		  /* of this file, as the kernel writes them; NULL: not read */
	uint64_t *read;		  /* events of this file */
};

void counts_init(struct counts *t, struct session *s, struct notes *notes);
void counts_fini(struct counts *t);

/*
 * The numbers of the whole recording into RES, whose cpus are made, and those of the file at hand
 * into T.  LAST: its last file; otherwise what follows counts for the next one.  (What a full
 * buffer has lost when a file ends, the next one's first page tells: a statistic of it would count
 * twice.)
 */
void counts_take(struct counts *t, bool last, struct recorder_result *res);

/*
 * Of the events that the kernel says were read, those that OUT has: when it failed, its consumer
 * is gone, or others have been at our buffers: then STATS (else NULL) tell what it lacks.
 * Returns how many were dropped like this.
 */
uint64_t counts_own(struct output *out, struct recorder_result *res, char **stats);

#endif
