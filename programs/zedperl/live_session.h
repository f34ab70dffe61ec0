/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_LIVE_SESSION_H
#define ZED_PROGRAMS_ZEDPERL_LIVE_SESSION_H

#include "programs/amount.h"
#include "programs/session/command.h"
#include "programs/session/session_options.h"
#include "stable/catalogue.h"

struct live_flight;

/* A live run of zedperl. */
struct live_run {
	const char *events;   /* of --live=EVENTS: words; NULL: what SCRIPT or CODE is for */
	const char *instance; /* of somebody else, "": the top one; NULL: we make one */
	const char *script, *code;
	const struct stable *stable; /* what stable names stand for; borrowed */
	struct session_words words;
	struct session *session; /* the source's ... */
	struct source *source;	 /* ... which is the pump's */
	struct amount keep;	 /* --flight; 0: nothing is kept */
	struct live_flight *flight;
	struct command command; /* behind "--"; pid 0: none */
	uint64_t began, until;	/* CLOCK_MONOTONIC, ns; 0: no -d */
	bool started;
	bool signalled; /* a signal has asked for the end */
};

/*
 * Make C->words.command, if there is one, held back until live_start().  From here on SIGINT,
 * SIGTERM and SIGHUP set cli_stop, up to the script's own handlers.  0, or the exit status.
 */
int live_command(struct live_run *l, struct cli *c);

/*
 * Make the session and its source, tracing off; or of L->instance its source, as it is.  A filter
 * that the kernel does not take becomes one of C's.  NULL with E.
 */
struct source *live_begin(struct live_run *l, struct cli *c, struct err *e);

/* Switch tracing on, and let the command run; nothing if that was done.  -1 with E. */
int live_start(struct live_run *l, struct err *e);

/* Take away what only this run needs.  Not in a forked child. */
void live_close(struct live_run *l);

/* Is there anything to be looked at by live_over()? */
bool live_may_end(const struct live_run *l);

/* Is it to end: has the time of -d passed, or the command ended? */
bool live_over(struct live_run *l);

/*
 * After the run, whose exit status is STATUS: say how many events we caused, if they are many, take
 * the session away, wait for the command, and give the exit status: that of command_end(), unless
 * STATUS is the script's own and WINS.
 */
int live_end(struct live_run *l, struct cli *c, int status, bool wins);

/* Perl has given its handlers back, and the instance has still to be taken away. */
void live_ignore_signals(void);

#endif
