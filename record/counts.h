/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_COUNTS_H
#define ZED_RECORD_COUNTS_H

#include "record/recorder.h"

/*
 * How many events the kernel says were read, and lost: of a whole recording, and of each of its
 * files if it makes several.
 */
struct counts {
	struct session *s;     /* borrowed, as are: */
	struct others *others; /* who may make the kernel count anew; NULL: not watched */
	struct notes *notes;
	const int *cpus;
	unsigned n;
	struct cpu_stats *before;  /* of each CPU, when we attached (session_attach) */
	struct cpu_stats *part;	   /* of each CPU, when the file at hand began */
	struct stats_total *total; /* of each CPU, over resets by others */
	char **stats;		   /* of this file, as the kernel writes them; NULL: not read */
	uint64_t *read;		   /* events of this file */
};

void counts_init(struct counts *t, struct session *s, struct notes *notes);
void counts_fini(struct counts *t);

/*
 * How many events CPU t->cpus[I] has lost since the file at hand began, according to the kernel.
 * About once a second.
 */
uint64_t counts_lost(struct counts *t, unsigned i);

/*
 * Store the numbers of the whole recording in RES, whose cpus are allocated, and those of the
 * current file in T.  LAST: this is its last file; otherwise what follows counts for the next one.
 * (What a full buffer has lost when a file ends is in the first page of the next file: a statistic
 * of it would count twice.)
 */
void counts_take(struct counts *t, bool last, struct recorder_result *res);

/*
 * The kernel's numbers now, of a recording that continues: events that were read or wait to be, and
 * events lost.  A CPU whose statistics cannot be read is left out.
 */
void counts_peek(const struct counts *t, uint64_t *events, uint64_t *lost);

/*
 * Reduce the events of RES that the kernel counts as read to those that are in OUT: for when it
 * failed, its consumer has exited, or another process has read our buffers.  The rest counts as
 * dropped, and STATS (else NULL) get a line about it.  Returns how many were dropped like this.
 */
uint64_t counts_own(struct output *out, struct recorder_result *res, char **stats);

#endif
