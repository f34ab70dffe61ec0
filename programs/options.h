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
 * Shared by the programs: their command lines (rows.h says what an option is), and in the
 * neighbouring files notices on stderr (messages.h), the stop flag (stop.h), opening the inputs and
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
	CLI_SIGNAL = 128, /* plus the signal's number: ended by it */
};

struct cli;

struct script_words;
struct session_words;

/*
 * The functions that take --filter, --pid and --cpu.  -1 with E, which is reported with the
 * option's name.
 */
enum cli_taken { CLI_FILTER, CLI_PIDS, CLI_CPUS, CLI_TAKEN };
struct cli_chooser {
	int (*take[CLI_TAKEN])(struct cli *c, const char *value, struct err *e);
};

/* Words that are not options: their name in messages, and the modes in which they are valid. */
struct cli_positional {
	const char *name;
	unsigned modes;
	const char *instead;
};

/* The properties of a program; constant. */
struct cli_spec {
	const char *prog;  /* "zedprint": precedes every notice */
	const char *usage; /* the usage lines of --help, without "usage: ", '\n' between */
	const char *about; /* one paragraph under it */
	const char *more;  /* after the options: examples; may be NULL */
	const struct cli_table *tables; /* of its options, as --help lists them */
	const struct cli_mode *modes;	/* NULL: only one */
	struct cli_positional word, command_word;
	bool endless; /* it may run for very long: all notices are shown */
	/*
	 * Options end at the first argument that is not one: what follows belongs to the script.
	 * Otherwise options may be anywhere.  "--" ends them in both cases.
	 */
	bool stop_at_first;
	bool command; /* what follows "--" is a command, separate from the positionals */
	bool floods;  /* writes to stdout all the time: no progress if that is the terminal */
	void (*version)(void); /* prints further lines of --version on stdout; may be NULL */
	const char *no_option; /* the message for an unknown long option; or NULL */
	/* --help WORD: print help on WORD to stdout; the exit status.  May be NULL. */
	int (*help_of)(struct cli *c, const char *word);
};

/* An option of the program. */
struct cli_row {
	const struct cli_opt *opt;
	const struct cli_table *table;
	int key; /* its letter; 0 if an earlier option has it */
};

/* An option that was given; its value is borrowed, or NULL. */
struct cli_given {
	const struct cli_row *row;
	const char *value;
	bool by_letter; /* "-o", not "--output" */
	unsigned line;	/* of a file of settings (config.h); 0: the command line */
};

#define CLI_ROWS 128 /* options of a program, at most */

struct cli {
	const struct cli_spec *spec;
	void *arg;			   /* the program's own, for its options */
	struct session_words *session;	   /* where options of a session go; or NULL */
	struct script_words *script;	   /* where options of a script go; or NULL */
	const struct cli_chooser *chooser; /* NULL: the reader filters */

	struct cli_row rows[CLI_ROWS + 1]; /* opt = NULL after the last */
	unsigned nrows;
	struct cli_given *given; /* in order */
	size_t ngiven, cap_given;

	struct config_lines *config; /* of files of settings (config.h); NULL: none was read */

	struct cli_words words;	  /* the command line */
	struct cli_choice choice; /* the events it means */
	struct cli_run run;	  /* the open inputs, and the state of the run */
};

/* Prepare C.  SPEC and ARG are borrowed. */
void cli_init(struct cli *c, const struct cli_spec *spec, void *arg);

/* Free everything, including the pump with its inputs and filter. */
void cli_fini(struct cli *c);

/*
 * Read the options.  True: continue.  False: *STATUS is the exit status (--help and --version were
 * printed on stdout: 0; a usage error was reported: 2).
 */
bool cli_parse(struct cli *c, int argc, char **argv, int *status);

/* Is WORD, "--name", "--name=VALUE" or "-n", an option of this program? */
bool cli_is_option(const struct cli *c, const char *word);

/* The last one given of the option with this long name; NULL: none. */
const struct cli_given *cli_given(const struct cli *c, const char *name);

/* The row of the option whose long name is the LEN bytes at NAME; NULL: the program has none. */
const struct cli_row *cli_row(const struct cli *c, const char *name, size_t len);

/* As if G had been on the command line.  -1 with E: its value is invalid. */
int cli_give(struct cli *c, const struct cli_given *g, struct err *e);

/* The same for a positional, borrowed.  Only for programs whose spec has a command. */
void cli_add_word(struct cli *c, char *word);

/* Treat what was given as option FROM as option TO from here on. */
void cli_given_as(struct cli *c, const char *from, const char *to);

/* The traits (enum cli_trait) of all given options, together. */
unsigned cli_traits(const struct cli *c);

/* "--name=value", "-n" and the like, to be freed: passes the option to another process. */
char *cli_given_word(const struct cli_given *g);

/*
 * "-o", "--output" or "output (line 3)", as the user wrote it, its name in messages; into BUF,
 * returned.
 */
#define CLI_NAME_SIZE 64
const char *cli_name(const struct cli_given *g, char buf[CLI_NAME_SIZE]);

/* The same of the last one given of the option with this long name; "--output" if none was. */
const char *cli_name_of(const struct cli *c, const char *name, char buf[CLI_NAME_SIZE]);

/* Add a positional argument as one more input. */
void cli_input(struct cli *c, const char *path);

#endif
