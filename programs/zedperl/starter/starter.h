/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H

#include "programs/options.h"

/* zedperl -g [EVENT]... TRACE...: which events the script is for.  Zeroed: none is named. */
struct starter_ask {
	bool all;	     /* the word "all" was among them */
	struct words *words; /* or NULL */
};

/*
 * Take C's word AT as one more input, or as events, which go into A.  A trace is what exists (but a
 * folder that is none) or looks like the name of a file, and the last word if there were none else.
 * -1 with E: an invalid word.
 */
int starter_word(struct starter_ask *a, struct cli *c, int at, struct err *e);
void starter_ask_fini(struct starter_ask *a);

/*
 * Write the script to stdout, from C's open inputs: for what was asked; or, with --perf (PERF), in
 * the shape of perf's scripts, for all events where none is named.  Returns the exit status; a name
 * that no input has was said.
 */
int starter_write(struct cli *c, const struct starter_ask *a, bool perf);

#endif
