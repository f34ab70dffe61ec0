/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_OPTIONS_H
#define ZED_PROGRAMS_OPTIONS_H

#include "programs/messages.h"
#include "programs/times.h"
#include "run/choose/limit.h"
#include "run/choose/words.h"
#include "run/synthetic/synthetic.h"

#include <stdio.h>
#include <time.h>

#define ZED_VERSION "0.1"

/*
 * What zedperl and zedprint share: the common options (each defined once, with its help line), and
 * beside this file notices on stderr (messages.h), the stop flag (stop.h), opening the inputs and
 * the exit status (open_inputs.h), and which events are chosen (chosen.h).  A main reads
 *
 *	struct cli c;
 *	int status;
 *
 *	cli_init(&c, &SPEC, arg);
 *	if (cli_parse(&c, argc, argv, &status)) {
 *		... cli_input(&c, a positional that is a TRACE) ...
 *		if (cli_open(&c, &status)) {
 *			cli_catch();              (zedperl: its own handlers, which set cli_stop)
 *			end = run_into(&c.pump, &c.pump.stage, sink, &e);
 *			status = cli_finish(&c, end, &e);
 *		}
 *	}
 *	cli_fini(&c);
 *	return status;
 *
 * Nothing in options.c exits or returns from a failure other than by its value.
 */
enum cli_exit {
	CLI_OK = 0,
	CLI_DAMAGE = 1,	  /* something was skipped, or one of several inputs was not opened */
	CLI_USAGE = 2,	  /* usage, or nothing could be opened */
	CLI_SIGNAL = 128, /* and the signal's number: ended by it */
};

struct cli;

struct session_words;

/* What --filter, --pid and --cpu said, in order. */
struct cli_choice {
	enum cli_choice_kind { CHOICE_FILTER, CHOICE_PIDS, CHOICE_CPUS } kind;
	const char *value; /* borrowed */
};

/* Who takes them.  -1 with E, which is said with the option's name. */
struct cli_chooser {
	int (*filter)(struct cli *c, const char *value, struct err *e);
	int (*pids)(struct cli *c, const char *value, struct err *e);
	int (*cpus)(struct cli *c, const char *value, struct err *e);
};

/* One option.  A table of them ends with name = NULL. */
struct cli_opt {
	const char *name; /* long name, without "--"; "" for one that has only its letter */
	int key;	  /* its letter, or 0 */
	const char *arg;  /* what the help calls its argument; NULL: it takes none;
				   "[=WHAT]": it may have one, joined by '=' */
	const char *help; /* one line; a '\n' in it starts another, indented by the help */
	/* VALUE: the argument or NULL.  -1 with E (ERR_USAGE): said with the option's name. */
	int (*set)(struct cli *c, const char *value, struct err *e);
	size_t flag; /* without set: the bool of struct cli that becomes true */
};

/* The last members of a cli_opt: it calls FN, or does no more than to set MEMBER of struct cli. */
#define CLI_SET(fn) fn, 0
#define CLI_FLAG(member) NULL, offsetof(struct cli, member)

/* What differs from program to program; constant. */
struct cli_spec {
	const char *prog;	    /* "zedprint": stands before every notice */
	const char *usage;	    /* the usage lines of --help, without "usage: ", '\n' between */
	const char *about;	    /* one paragraph under it */
	const char *more;	    /* after the options: examples; may be NULL */
	const struct cli_opt *opts; /* its own options, listed first; may be NULL */
	/* Options of a tracing session (programs/session), a head of theirs, one of --filter ... */
	const struct cli_opt *session;
	const char *session_head, *choosing_head; /* lines of --help; may be NULL */
	bool no_reading; /* takes no traces: of the common options only the general ones */
	/*
	 * Options end at the first argument that is none: what follows belongs to the script.  Else
	 * options may stand anywhere.  "--" ends them in both.
	 */
	bool stop_at_first;
	bool command; /* what follows "--" is a command, kept apart from the positionals */
	bool floods;  /* writes to stdout all the time: no progress if that is the terminal */
	void (*version)(void); /* prints further lines of --version on stdout; may be NULL */
	const char *no_option; /* what to say of a long option that nothing is known of; or NULL */
	/* --help WORD: what is to be known of WORD, on stdout; the exit status.  May be NULL. */
	int (*help_of)(struct cli *c, const char *word);
};

struct cli {
	const struct cli_spec *spec;
	void *arg;   /* the program's own, for its options' set() */
	char **args; /* after cli_parse: the positionals, borrowed from argv */
	int nargs;
	bool dashes;	/* not spec->command: "--" stood before args */
	char **command; /* spec->command: the words behind "--", NULL-terminated, borrowed;
				   NULL: there was none */
	char **words;	/* spec->command: the memory of args */
	size_t cap_words;

	struct session_words *session;	   /* where options of a session go; or NULL */
	const struct cli_chooser *chooser; /* NULL: what is read is filtered (filter) */
	struct cli_choice *choices;
	size_t nchoices, cap_choices;

	/* What the common options said. */
	const char **inputs;	     /* -i, in order, then cli_input(); borrowed strings */
	unsigned ninputs, ninputs_i; /* all; those of -i */
	size_t cap_inputs;
	const char **instances; /* --instance */
	size_t ninstances, cap_instances;
	bool apart; /* inputs are: one has nothing to do with the other, see pump_opts */
	bool relative, ns, strict, force_merge, stats, verbose, want_help, want_version;
	struct source_opts source; /* notes, --meta, --raw-ts, --wall; slack: the program's */
	struct symbols *symbols;   /* --kallsyms; or NULL */
	struct time_word from, to, around; /* --start, --end, --around */
	struct time_word around_span;	   /* how much before and after it */
	bool common_window;
	uint64_t start, end;	   /* what they mean, from cli_open on: 0 and UINT64_MAX: open */
	uint64_t head, tail;	   /* --head, --tail; 0: not given */
	struct limit *limit;	   /* cli_limit() made it; or NULL */
	struct words *events;	   /* --event; NULL: not given */
	const char **stable_paths; /* --stable, in order; borrowed */
	size_t nstable, cap_stable;
	struct stable *stable; /* cli_stable(): the shipped catalogue and what --stable adds */
	const char **defined;  /* --synthetic, in order; borrowed */
	size_t ndefined, cap_defined;
	struct synthetic *synthetic; /* made by cli_open(), with these */
	char **given;		     /* each option as a word, "--name=value", in order; owned */
	size_t ngiven, cap_given;
	/* Of the time that is chosen, part PART of PARTS, from 1 on; PARTS 0: all of it. */
	unsigned part, parts;
	uint64_t chosen; /* a hash of all options that choose events or change their times */
	/* -F --cpu --pid --comm --instance --start --end; pump's from cli_open on. */
	struct filter *filter;

	/*
	 * Set by a program that reads the running system: gives one more input, which has no path.
	 * NULL with E: cli_open() says it and fails.
	 */
	struct source *(*open_live)(struct cli *c, struct err *e);

	const struct pump_guest *guest; /* set by a program before cli_open(): pump.h; or NULL */

	/* The run. */
	struct notes notes;
	uint64_t said; /* notices */
	struct pump pump;
	bool pump_ready;       /* cli_open has initialised pump */
	unsigned failed;       /* inputs that could not be opened */
	struct timespec began; /* CLOCK_MONOTONIC, at cli_open */
	double cpu_began;      /* seconds of CPU used before */
	bool progress_shown;
	double progress_last; /* seconds since began */
};

/* Prepare C.  SPEC and ARG are borrowed. */
void cli_init(struct cli *c, const struct cli_spec *spec, void *arg);

/* Free all, the pump with its inputs and filter included. */
void cli_fini(struct cli *c);

/*
 * Read the options.  True: go on.  False: *STATUS is the exit status (--help and --version were
 * printed on stdout: 0; a usage error was said: 2).
 */
bool cli_parse(struct cli *c, int argc, char **argv, int *status);

/* Is WORD, "--name", "--name=VALUE" or "-n", an option of this program? */
bool cli_is_option(const struct cli *c, const char *word);

/* A positional argument is one more input. */
void cli_input(struct cli *c, const char *path);

#endif
