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

/* What zedperl is asked to do; one bit each: the number of the mode in zedperl_options.c. */
enum zedperl_mode {
	SCRIPT = 1,
	GENERATE = 2,
	LIST = 4,
	CHECK = 8,
	EXPORT = 16,
};

/* perl's own command line: "zedperl", switches, "--", the script and its arguments. */
struct perl_line {
	char **argv;
	size_t argc, cap;
	char *code; /* of -e, a line each; NULL: there is a script file */
};

/* Many traces, or their states: FILES and those that FILES_FROM names, by so many processes. */
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

/* Of a script while it runs. */
struct running {
	struct states *states;
	struct perlsink *sink;
	struct part_end part_end;
	struct times kept; /* what Zed::keep was told */
	bool timeless;	   /* it keeps nothing of an event for a later one */
	bool answers;	   /* it cuts its answer to a part of the time */
};

/* What zedperl's command line said: filled by zedperl_options.c and positionals.c. */
struct zedperl {
	enum zedperl_mode mode;
	struct starter_ask starter_for; /* -g: events that are named */
	struct perl_line perl;
	const char *script;  /* the word that names it, then its path */
	char *found;	     /* the memory of that path */
	bool alone;	     /* it reads no trace: its words name some for it to have read */
	unsigned convention; /* --perf, --zed: enum perlsink_args */
	bool keep_going;
	bool verify;	/* --check: look at the script, call nothing of it */
	uint64_t every; /* --every, ns; 0: not that */
	bool every_total;
	const char *export; /* the file to write, "-": stdout; NULL: not that */
	const char *cut;    /* --cut: the file for Zed::keep; NULL: not that */
	/*
	 * --map: the run ends with its state, in OUTPUT (NULL, "-": stdout); --reduce: there is no
	 * trace, but FILES of fleet with states.
	 */
	bool map, reduce;
	const char *output;
	struct fleet fleet; /* -j, or --reduce */
	bool live;
	struct live_run run;
	struct metrics_run metrics;
	struct running running;
};

/* ---- zedperl_options.c ---- */

/* zedperl's options.  Their sets fill the struct zedperl that is cli_init()'s arg. */
extern const struct cli_spec ZEDPERL_SPEC;

/*
 * What they ask for, into Z->mode.  False where they do not go together, which was said.
 */
bool zedperl_asked(struct cli *c, struct zedperl *z);

/* ---- positionals.c ---- */

/* One more word for perl's command line; owned by Z from here on. */
void zedperl_arg(struct zedperl *z, char *arg);

/*
 * Sort the words that are no options into inputs, script and its arguments.  False: they, or the
 * options, make no sense together, or the script cannot be read; that was said and *STATUS is set.
 */
bool zedperl_words(struct cli *c, struct zedperl *z, int *status);

/* How the words of Z stand on a command line, up to the arguments of its script. */
const char *zedperl_form(const struct zedperl *z);

/* ---- script.c ---- */

/*
 * Has any of C's open inputs events?  What a latency tracer wrote is text, with nothing to call a
 * sub with: then that is reported.
 */
bool script_has_events(struct cli *c);

/*
 * Run perl with Z's command line over C's open inputs; a live session is switched on after
 * trace_begin.  Returns the exit status, the script's own where it has one.
 */
int script_run(struct cli *c, struct zedperl *z);

/* ---- export.c ---- */

/*
 * zedperl --export: read C's open inputs to their end and write their stable events to PATH ("-":
 * stdout).  A file that is there keeps what it has unless all went well, or was damage that could
 * be passed over.  Returns the exit status.
 */
int export_stable(struct cli *c, const struct stable *s, const char *path);

/* ---- stable_check.c ---- */

/*
 * zedperl --stable-check: open each of C's inputs and print on stdout, sorted by name, every stable
 * event of S: what it is made of in that input, or why it is not available there.  Only formats are
 * looked at.  Inputs that give the same table share one.  Returns the exit status.
 */
int check_inputs(struct cli *c, const struct stable *s);

/* The same of the running kernel, whose formats are read from tracefs; nothing is recorded. */
int check_kernel(struct cli *c, const struct stable *s);

#endif
