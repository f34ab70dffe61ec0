/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_ZEDPERL_H
#define ZED_PROGRAMS_ZEDPERL_ZEDPERL_H

#include "interp/perlsink.h"
#include "programs/options.h"
#include "programs/script/script_options.h"
#include "programs/zedperl/serve_metrics.h"
#include "programs/zedperl/starter/starter.h"
#include "record/cut/stretches.h"

/* --part: gives the events of FROM, and checks at its end whether parts can be joined. */
struct part_end {
	struct stage stage; /* must be first */
	struct stage *from;
	struct cli *cli;
};

/* The modes of zedperl; one bit each: the number of the mode in zedperl_options.c. */
enum zedperl_mode {
	SCRIPT = SCRIPT_RUNS,
	GENERATE = SCRIPT_GENERATES,
	LIST = SCRIPT_LISTS,
	CHECK = 8,
	EXPORT = 16,
};

/* perl's own command line: "zedperl", switches, "--", the script and its arguments. */
struct perl_line {
	char **argv;
	size_t argc, cap;
};

/*
 * Many traces, or their states: FILES and those listed in FILES_FROM, and the number of processes.
 */
struct fleet {
	char **files;
	int nfiles;
	unsigned jobs;
	const char *files_from, *resume;
	bool each;
	char *folder; /* of their states */
	bool folder_is_ours;
	int folder_lock; /* then */
};

/* State of a running script. */
struct running {
	struct states *states;
	struct perlsink *sink;
	struct part_end part_end;
	struct times kept; /* the times of Zed::keep */
	bool timeless;	   /* no event matters for a later one */
	bool answers;	   /* it cuts its answer to a part of the time */
};

/* zedperl's command line: filled by zedperl_options.c and positionals.c. */
struct zedperl {
	enum zedperl_mode mode;
	struct starter_ask starter_for; /* -g: events that are named */
	struct perl_line perl;
	struct script_words script;
	char *found;	    /* the memory of its path */
	bool alone;	    /* it does not read a trace itself: its words name traces for it */
	bool verify;	    /* --check: check the script, without calling its handlers */
	const char *export; /* the file to write, "-": stdout; NULL: not given */
	const char *cut;    /* --cut: the file for Zed::keep; NULL: not given */
	/*
	 * --map: the run ends with its state, in OUTPUT (NULL, "-": stdout); --reduce: there is no
	 * trace, but fleet's FILES with states.
	 */
	bool map, reduce;
	const char *output;
	struct fleet fleet; /* -j, or --reduce */
	struct metrics_run metrics;
	struct running running;
};

/* ---- zedperl_options.c ---- */

/* zedperl's options.  Their sets fill the struct zedperl that is cli_init()'s arg. */
extern const struct cli_spec ZEDPERL_SPEC;

/*
 * Set Z->mode from them.  False if they do not go together, which was reported.
 */
bool zedperl_asked(struct cli *c, struct zedperl *z);

/* ---- positionals.c ---- */

/* One more word for perl's command line; owned by Z from here on. */
void zedperl_arg(struct zedperl *z, char *arg);

/*
 * Sort the words that are not options into inputs, script and its arguments.  False: they, or the
 * options, do not go together, or the script cannot be read; that was reported and *STATUS is set.
 */
bool zedperl_words(struct cli *c, struct zedperl *z, int *status);

/* The usage of Z's words on a command line, up to the arguments of its script. */
const char *zedperl_form(const struct zedperl *z);

/* ---- script.c ---- */

/*
 * Run perl with Z's command line over C's open inputs; a live session is switched on after
 * trace_begin.  Returns the exit status, the script's own if it has one.
 */
int script_run(struct cli *c, struct zedperl *z);

/* ---- export.c ---- */

/*
 * zedperl --export: read C's open inputs to their end and write their stable events to PATH ("-":
 * stdout).  An existing file is kept unless all went well, or there was only damage that could be
 * skipped.  Returns the exit status.
 */
int export_stable(struct cli *c, const struct stable *s, const char *path);

/* ---- stable_check.c ---- */

/*
 * zedperl --stable-check: open each of C's inputs and print on stdout, sorted by name, every stable
 * event of S: what it is made from in that input, or why it is not available there.  Only formats
 * are read.  Inputs with the same table share one.  Returns the exit status.
 */
int check_inputs(struct cli *c, const struct stable *s);

/* The same for the running kernel, whose formats are read from tracefs; nothing is recorded. */
int check_kernel(struct cli *c, const struct stable *s);

#endif
