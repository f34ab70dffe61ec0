/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_COMMAND_H
#define ZED_PROGRAMS_SESSION_COMMAND_H

#include "programs/options.h"

#include <poll.h>
#include <sys/types.h>

/*
 * The command to be recorded: forked before tracing begins, so that its process number is known,
 * and held back until command_go().  If we die before, it ends without having run.
 */
struct command {
	pid_t pid;	/* 0: none */
	int go, failed; /* pipes: let it go; the errno of an exec that failed */
	int fd;		/* can be read once it has ended; -1: this kernel has no such descriptors */
	bool ended;
	int status; /* ended: status as from waitpid() */
};

#define COMMAND_NOT_FOUND 127 /* as in a shell */
#define COMMAND_NOT_RUN 126

/*
 * Can NAME be executed (along PATH, as execvp() looks)?  0, else COMMAND_NOT_FOUND or
 * COMMAND_NOT_RUN with E.
 */
int command_check(const char *name, struct err *e);

/*
 * Fork for ARGV.  TO_STDERR: its standard output is our standard error (ours is a stream of pages).
 * Call it before signals are caught or ignored: it inherits their state.  -1 with E.
 */
int command_fork(struct command *c, char *const *argv, bool to_stderr, struct err *e);

void command_go(struct command *c);

/*
 * Have it write TEXT to the file MARKER, before command_go(): session_child.mark, ARG being the
 * struct command.
 */
void command_mark(void *arg, const char *marker, const char *text);

/* Has it ended?  Does not wait. */
bool command_over(struct command *c);

/*
 * For a wait up to its end: its descriptor into FDS, if ROOM is not 0; how many.  In a kernel
 * before 5.3 *MS is lowered instead.
 */
int command_fds(const struct command *c, struct pollfd *fds, int room, int *ms);

/* Wait for its end; once *STOP is set, at most GRACE more seconds.  False: it still runs. */
bool command_wait(struct command *c, const volatile int *stop, double grace);

/*
 * The exit status that a shell would show: its own, or 128 and the signal's number.  With E set
 * (return COMMAND_NOT_RUN or COMMAND_NOT_FOUND) if it could not be executed after all.
 */
int command_status(struct command *c, const char *name, struct err *e);

/*
 * All of that for C->words.command: check it and fork for it.  0, or the exit status; errors were
 * reported.
 */
int command_begin(struct command *c, struct cli *cli, bool to_stderr);

/*
 * After a run whose exit status would be STATUS: wait for its end, for at most a second once
 * cli_stop is set, and return the exit status: its own, unless it succeeded and the run failed.
 */
int command_end(struct command *c, struct cli *cli, int status);

/* Close the pipes.  A command that was never started ends without running, and is waited for. */
void command_drop(struct command *c);

#endif
