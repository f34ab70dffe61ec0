/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_INDEX_PROCESS_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_INDEX_PROCESS_H

#include "programs/zedperl/explore/explore_priv.h"

#include <sys/types.h>

/*
 * The index of the trace, made by a process of its own while the page is there already: in the
 * cache folder for a large trace, else in a file in memory that the server holds.
 */
#define INDEX_CACHED_FROM (64u << 20) /* bytes of a trace from which on its index is kept */

struct index_process {
	struct explore *x;     /* of the server: index_file and indexed are set in it */
	pid_t pid;	       /* 0: none */
	int ended;	       /* readable when it has ended; -1 */
	int file;	       /* in memory; -1: none */
	volatile double *done; /* shared with it: 0 to 1; or NULL */
};

/* Begin.  If that fails there is no index, and answers read the trace. */
void indexprocess_start(struct index_process *p, struct explore *x);

/* Tell X how much is made. */
void indexprocess_look(struct index_process *p);

/* P->ended is readable: give X what it has made. */
void indexprocess_end(struct index_process *p);

/* End it, and close everything; also without a start. */
void indexprocess_stop(struct index_process *p);

#endif
