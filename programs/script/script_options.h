/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_SCRIPT_OPTIONS_H
#define ZED_PROGRAMS_SCRIPT_SCRIPT_OPTIONS_H

#include "programs/options.h"
#include "programs/script/live_session.h"

/*
 * A script on the command line, in whatever language: the options that zedperl and zedpython have
 * in common, each defined once.  cli.script points to it, from before the options are read.
 */
struct script_words {
	const char *path;    /* the word for the script, then its path; NULL: not given */
	char *code;	     /* of -e, a line each; NULL: there is a script file */
	unsigned convention; /* --perf, --zed: enum host_args */
	bool keep_going;
	uint64_t every; /* --every, ns; 0: not given */
	bool every_total;
	bool live;
	struct live_run run;
};

/* The modes of both programs; further ones follow (cli_mode). */
enum script_mode {
	SCRIPT_RUNS = 1,
	SCRIPT_GENERATES = 2,
	SCRIPT_LISTS = 4,
};

/* The options, of CLI_OF_SCRIPT. */
extern const struct cli_opt SCRIPT_OPTIONS[];
extern const struct cli_rule SCRIPT_RULES[];

/* The name of the script in messages. */
const char *script_name(const struct script_words *s);

/* One more line of code. */
void script_add_code(struct script_words *s, const char *line);

/* --live reads one --instance.  False: there are more, which was reported. */
bool script_one_instance(struct cli *c);

void script_words_fini(struct script_words *s);

#endif
