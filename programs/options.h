/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_OPTIONS_H
#define ZED_PROGRAMS_OPTIONS_H

#include "programs/chosen.h"
#include "programs/command_line.h"
#include "programs/messages.h"
#include "programs/rows.h"
#include "programs/open_inputs.h"

#define ZED_VERSION "0.1"

/*
 * What the programs share: their command lines (rows.h says what an option is), and beside this
 * file notices on stderr (messages.h), the stop flag (stop.h), opening the inputs and
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
 *			end = run_into(&c.run.pump, &c.run.pump.stage, sink, &e);
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

/* Who takes --filter, --pid and --cpu.  -1 with E, which is said with the option's name. */
enum cli_taken { CLI_FILTER, CLI_PIDS, CLI_CPUS, CLI_TAKEN };
struct cli_chooser {
	int (*take[CLI_TAKEN])(struct cli *c, const char *value, struct err *e);
};

/* Words that are no options: what a message calls one, and where they make sense. */
struct cli_positional {
	const char *name;
	unsigned modes;
	const char *instead;
};

/* What differs from program to program; constant. */
struct cli_spec {
	const char *prog;  /* "zedprint": stands before every notice */
	const char *usage; /* the usage lines of --help, without "usage: ", '\n' between */
	const char *about; /* one paragraph under it */
	const char *more;  /* after the options: examples; may be NULL */
	const struct cli_table *tables; /* of its options, as --help lists them */
	const struct cli_mode *modes;	/* NULL: one alone */
	struct cli_positional word, command_word;
	bool endless; /* it may run for very long: all notices are shown */
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

/* An option that there is. */
struct cli_row {
	const struct cli_opt *opt;
	const struct cli_table *table;
	int key; /* its letter; 0 where an option before it has that */
};

/* An option that was given; its value is borrowed, or NULL. */
struct cli_given {
	const struct cli_row *row;
	const char *value;
};

#define CLI_ROWS 128 /* of a program at most */

struct cli {
	const struct cli_spec *spec;
	void *arg;			   /* the program's own, for its options */
	struct session_words *session;	   /* where options of a session go; or NULL */
	const struct cli_chooser *chooser; /* NULL: what is read is filtered */

	struct cli_row rows[CLI_ROWS + 1]; /* opt = NULL behind the last */
	unsigned nrows;
	struct cli_given *given; /* in order */
	size_t ngiven, cap_given;

	struct cli_words words;	  /* what the command line said */
	struct cli_choice choice; /* which events it means */
	struct cli_run run;	  /* what is open, and how it goes */
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

/* The last that was given of the option with this long name; NULL: none was. */
const struct cli_given *cli_given(const struct cli *c, const char *name);

/* What was given as option FROM is to be taken as option TO from here on. */
void cli_given_as(struct cli *c, const char *from, const char *to);

/* The traits (enum cli_trait) of all that were given, together. */
unsigned cli_traits(const struct cli *c);

/* "--name=value", "-n" and the like, to be freed: it says the same to another process. */
char *cli_given_word(const struct cli_given *g);

/* "-o", or "--output" where it has no letter, as messages name it; into BUF, returned. */
#define CLI_NAME_SIZE 64
const char *cli_name(const struct cli_row *row, char buf[CLI_NAME_SIZE]);

/* A positional argument is one more input. */
void cli_input(struct cli *c, const char *path);

#endif
