/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_ZEDPERL_H
#define ZED_PROGRAMS_ZEDPERL_ZEDPERL_H

#include "interp/perlsink.h"
#include "programs/options.h"
#include "programs/zedperl/live_session.h"
#include "programs/zedperl/serve_metrics.h"
#include "programs/zedperl/starter/starter.h"
#include "record/cut/stretches.h"

/* --part: gives the events of FROM, and looks at the end of it whether parts can be joined. */
struct part_end {
	struct stage stage; /* must be first */
	struct stage *from;
	struct cli *cli;
};

/* What zedperl's command line said: filled by zedperl.c and positionals.c. */
struct zedperl {
	/* perl's own command line: "zedperl", switches, "--", the script and its arguments */
	char **argv;
	size_t argc, cap;
	char *code;	/* of -e, a line each; NULL: there is a script file */
	uint64_t every; /* --every, ns; 0: not that */
	bool every_total;
	bool starter, list, check, keep_going, scripts;
	struct starter_ask starter_for;
	bool verify;		       /* --check: look at the script, call nothing of it */
	enum perlsink_args convention; /* --perf, --zed */
	const char *export;	       /* the file to write, "-": stdout; NULL: not that */
	const char *cut;	       /* --cut: the file for Zed::keep; NULL: not that */
	struct times kept;	       /* what it was told */
	const char *script;	       /* the word that names it, then its path */
	char *found;		       /* the memory of that path */
	/*
	 * --map: the run ends with its state, in OUTPUT (NULL, "-": stdout); --reduce: there is no
	 * trace, but FILES with states.
	 */
	bool map, reduce;
	const char *output;
	struct states *states; /* while it runs */
	struct perlsink *sink; /* likewise */
	struct part_end part_end;
	bool timeless; /* the script keeps nothing of an event for a later one */
	bool answers;  /* it cuts its answer to a part of the time */
	char **files;
	int nfiles;
	/* -j: so many processes at a time, for FILES and what FILES_FROM names */
	unsigned jobs;
	const char *files_from, *resume;
	bool each;
	char *folder; /* of their states */
	bool folder_is_ours;
	int folder_lock; /* then */
	bool alone;	 /* it reads no trace: its words name some for it to have read */

	bool live;
	struct live_run run;
	struct metrics_run metrics;
};

/* One more word for perl's command line; owned by Z from here on. */
void zedperl_arg(struct zedperl *z, char *arg);

/*
 * Sort the words that are no options into inputs, script and its arguments.  False: they, or the
 * options, make no sense together, or the script cannot be read; that was said and *STATUS is set.
 */
bool zedperl_words(struct cli *c, struct zedperl *z, int *status);

/* How the words of Z stand on a command line, up to the arguments of its script. */
const char *zedperl_form(const struct zedperl *z);

#endif
