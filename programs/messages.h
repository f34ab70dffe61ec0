/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_MESSAGES_H
#define ZED_PROGRAMS_MESSAGES_H

#include "base/err.h"

#include <stdio.h>

struct cli;

/* "PROG: TEXT" as one line on stderr, made plain; the progress line is erased first. */
void cli_say(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same with the text of E; for an expression, with two more lines: it and a caret below. */
void cli_say_err(struct cli *c, const struct err *e);

/* Erase the progress line, if one is shown: before the program writes to a terminal itself. */
void cli_clear(struct cli *c);

/* Write TEXT to TO, made plain (base/plain.h); KEEP says which tabs and newlines stay. */
void cli_put(FILE *to, const char *text, size_t len, unsigned keep);
void cli_puts(FILE *to, const char *text);

/*
 * "PROG: TEXT", or only TEXT if PROG is "", with a newline to stderr, made plain as by cli_put().
 * In one write(2): other processes may write to the same file, such as those of -j, and a server's
 * processes for its clients.
 */
void cli_put_line(const char *prog, const char *text, size_t len, unsigned keep);

/* A usage error: prints the text, and if HINT "try 'PROG --help'".  Returns CLI_USAGE. */
int cli_usage(struct cli *c, bool hint, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Check that everything printed on stdout has arrived: STATUS, or CLI_DAMAGE with a message.  A
 * pager that was quit early is not an error.
 */
int cli_end_output(struct cli *c, int status);

#define CLI_MAX_NOTES 1000 /* notices shown for one run without -v */

/*
 * For struct notes; ARG is the struct cli.  A file can have any number of errors: without -v only
 * warnings and damage are shown, and of those the first CLI_MAX_NOTES.  A recorder or server runs
 * for long, and shows all of them.
 */
void cli_note(void *arg, enum note_level level, const char *text);

#endif
