/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H

#include "programs/options.h"

/* zedperl -g [EVENT]... TRACE...: which events the script is for.  All zero: none are named. */
struct starter_ask {
	bool all;	     /* the word "all" was among them */
	struct words *words; /* or NULL */
};

/*
 * Take C's word AT as one more input, or as events, which go into A.  A word is a trace if it
 * exists (except for a folder that is not a trace) or looks like the name of a file; so is the last
 * word if there was no other trace.  -1 with E: an invalid word.
 */
int starter_word(struct starter_ask *a, struct cli *c, int at, struct err *e);
void starter_ask_fini(struct starter_ask *a);

/*
 * Write the script to stdout, from C's open inputs: for the events asked for; or, with --perf
 * (PERF), in the form of perf's scripts, for all events if none are named.  Returns the exit
 * status; a name that no input has was reported.
 */
int starter_write(struct cli *c, const struct starter_ask *a, bool perf);

#endif
