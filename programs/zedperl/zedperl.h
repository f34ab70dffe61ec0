/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_ZEDPERL_H
#define ZED_PROGRAMS_ZEDPERL_ZEDPERL_H

#include "interp/perlsink.h"
#include "programs/options.h"
#include "programs/zedperl/live.h"
#include "record/cut/times.h"

/* What zedperl's command line said: filled by zedperl.c and args.c. */
struct zedperl {
	/* perl's own command line: "zedperl", switches, "--", the script and its arguments */
	char **argv;
	size_t argc, cap;
	bool code; /* -e was given: no script file */
	bool starter, list, check, keep_going, scripts;
	enum perlsink_args convention; /* --perf, --zed */
	const char *export;	       /* the file to write, "-": stdout; NULL: not that */
	const char *cut;	       /* --cut: the file for Zed::keep; NULL: not that */
	struct times kept;	       /* what it was told */
	const char *script;	       /* the word that names it, then its path */
	char *found;		       /* the memory of that path */
	bool alone; /* it reads no trace: its words name some for it to have read */

	bool live, live_only; /* it was given; an option was that makes sense with it only */
	struct live_run run;
};

/* One more word for perl's command line; owned by Z from here on. */
void zedperl_arg(struct zedperl *z, char *arg);

/*
 * Sort the words that are no options into inputs, script and its arguments.  False: they, or the
 * options, make no sense together, or the script cannot be read; that was said and *STATUS is set.
 */
bool zedperl_words(struct cli *c, struct zedperl *z, int *status);

#endif
