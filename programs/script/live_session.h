/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_LIVE_SESSION_H
#define ZED_PROGRAMS_SCRIPT_LIVE_SESSION_H

#include "programs/amount.h"
#include "programs/script/live_budget.h"
#include "programs/session/command.h"
#include "programs/session/script_events.h"
#include "programs/session/session_options.h"
#include "stable/catalogue.h"

struct live_flight;

/* A live run of a script. */
struct live_run {
	const char *events;   /* of --live=EVENTS: words; NULL: the events of SCRIPT or CODE */
	const char *instance; /* of another program, "": the top one; NULL: we make one */
	enum script_language language;
	const char *script, *code;
	const struct stable *stable; /* the meaning of stable names; borrowed */
	struct session_words words;
	struct session *session; /* the source's ... */
	struct source *source;	 /* ... which is the pump's */
	struct amount keep;	 /* --flight; 0: no events are kept */
	struct live_flight *flight;
	struct live_budget budget;
	struct command command; /* after "--"; pid 0: none */
	uint64_t began, until;	/* CLOCK_MONOTONIC, ns; 0: no -d */
	bool started;
	bool signalled; /* a signal has asked for the end */
};

/*
 * Fork C->words.command, if there is one, held back until live_start().  From here on SIGINT,
 * SIGTERM and SIGHUP set cli_stop, up to the script's own handlers.  0, or the exit status.
 */
int live_command(struct live_run *l, struct cli *c);

/*
 * Make the session and its source, tracing off; or for L->instance the source, as it is.  A filter
 * that the kernel refuses becomes one of C's.  NULL with E.
 */
struct source *live_begin(struct live_run *l, struct cli *c, struct err *e);

/* Switch tracing on, and let the command run; does nothing if that was done.  -1 with E. */
int live_start(struct live_run *l, struct err *e);

/* Remove what only this run needs.  Not in a forked child. */
void live_close(struct live_run *l);

/* Is there anything for live_over() to check? */
bool live_may_end(const struct live_run *l);

/* Should the run end: has the time of -d passed, or the command ended? */
bool live_over(struct live_run *l);

/* For a wait up to then: poll_hook.fds. */
int live_over_fds(const struct live_run *l, struct pollfd *fds, int room, int *ms);

/*
 * After the run, whose exit status is STATUS: report how many events we caused, if they are many,
 * remove the session, wait for the command, and return the exit status: that of command_end(),
 * unless STATUS is the script's own and WINS.
 */
int live_end(struct live_run *l, struct cli *c, int status, bool wins);

/* The interpreter has restored the handlers, but the instance has still to be removed. */
void live_ignore_signals(void);

#endif
