/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_COMMAND_LINE_H
#define ZED_PROGRAMS_COMMAND_LINE_H

#include "programs/rows.h"
#include "run/times.h"
#include "trace/source.h"

/* The command line, except for the options of a single program. */
struct cli_words {
	char **args; /* the positionals, borrowed from argv */
	int nargs;
	bool dashes;	/* not spec->command: "--" preceded args */
	char **command; /* the words after "--", NULL-terminated, borrowed; NULL: none */
	char **memory;	/* spec->command: of args */
	size_t cap_memory;

	struct cli_texts inputs;    /* -i, in order, then cli_input() */
	size_t ninputs_i;	    /* those of -i */
	struct cli_texts instances; /* --instance; "": the top one */
	struct cli_texts stable, synthetic;
	const char *symfs;	     /* --symfs; NULL: not given */
	struct cli_texts debug_dirs; /* --debug-dir */
	const char *vmlinux;	     /* --vmlinux; NULL: not given */
	const char *debuginfod;	     /* --debuginfod: URLs; NULL: not given */
	bool lines;		     /* --inline */
	struct source_opts source;   /* notes, --meta, --raw-ts, --wall; slack: the program's */
	struct cli_times {
		struct time_word from, to, around; /* --start, --end, --around */
		struct time_word span;		   /* how much before and after `around` */
		bool common_window;
	} times;
	uint64_t head, tail; /* 0: not given */
	uint64_t wait;	     /* ns: how long others wait for a silent input; 0: not given */
	/* Part PART, from 1, of PARTS of the chosen time; PARTS 0: all of it. */
	unsigned part, parts;

	bool index; /* --index */
	bool relative, ns, strict, force_merge, stats, verbose, help, version;
};

#endif
