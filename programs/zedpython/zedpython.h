/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPYTHON_ZEDPYTHON_H
#define ZED_PROGRAMS_ZEDPYTHON_ZEDPYTHON_H

#include "programs/script/script_options.h"
#include "programs/script/starter_events.h"

/* zedpython's command line: filled by zedpython_options.c and python_words.c. */
struct zedpython {
	unsigned mode;		    /* enum script_mode */
	struct starter_ask starter; /* -g: events that are named */
	struct script_words script;
	struct cli_texts folders; /* -I */
	char **args;		  /* the words after the script, borrowed */
	int nargs;
};

/* ---- zedpython_options.c ---- */

/* zedpython's options.  Their sets fill the struct zedpython that is cli_init()'s arg. */
extern const struct cli_spec ZEDPYTHON_SPEC;

/* ---- python_words.c ---- */

/*
 * Select the mode, and sort the words that are not options into inputs, script and its arguments.
 * False: they, or the options, do not go together, or the script cannot be read; that was reported
 * and *STATUS is set.
 */
bool zedpython_words(struct cli *c, struct zedpython *z, int *status);

/* ---- python_run.c ---- */

/*
 * Run the script over C's open inputs; a live session is switched on after trace_begin.  Returns
 * the exit status, the script's own if it has one.
 */
int zedpython_run(struct cli *c, struct zedpython *z);

#endif
