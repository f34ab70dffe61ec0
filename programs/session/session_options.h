/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_SESSION_OPTIONS_H
#define ZED_PROGRAMS_SESSION_SESSION_OPTIONS_H

#include "programs/options.h"
#include "programs/event_names.h"
#include "programs/session/command.h"
#include "kernel/session/session.h"
#include "record/budget.h"

#include <sys/types.h>

/*
 * A tracing session on the command line: the options that zedtrace and zedperl --live have in
 * common, each defined once.  cli.session points to it, from before the options are read.
 */
struct session_words {
	struct cli_texts filters; /* as they were written */
	pid_t *pids;
	size_t npids, cap_pids;
	pid_t *exclude;
	size_t nexclude, cap_exclude;
	bool children;
	bool cgroup; /* PIDS has the tasks of a cgroup: those that they create belong to it */
	const char *cpus, *clock;
	unsigned buffer_kb, subbuf_kb; /* 0: the kernel's */
	uint64_t duration;	       /* ns; 0: until it is stopped */
	uint64_t slack;		       /* longest time that events are held back, ns */
	struct budget_limits budget;
	bool stacks, user_stacks;	/* of all events */
	struct cli_texts stack_words;	/* of these: lists of EVENTS */
	struct event_names stack_names; /* what these mean */
};

#define SESSION_SLACK 20000000 /* ns; of 193 million events none was more than 2.7 ms late */

/* The defaults of a struct session_words. */
#define SESSION_WORDS_INIT \
	{ \
		.slack = SESSION_SLACK \
	}

void session_words_fini(struct session_words *w);

/* The options, of CLI_OF_SESSION. */
extern const struct cli_opt SESSION_OPTIONS[];
extern const struct cli_rule SESSION_RULES[];

/* --filter, --pid and --cpu of a session, for cli.chooser: the kernel chooses. */
extern const struct cli_chooser SESSION_CHOOSER;

/*
 * Set O from the words; its notes are the caller's; borrows from W, COMMAND and EVENTS, the events
 * to record.  COMMAND: the process to be traced, if there is one: with -c only it and its children
 * are.  -1 with E (ERR_USAGE): --stack names something that is not an event.
 */
int session_words_mean(struct session_words *w, struct command *command,
		       const struct event_names *events, struct session_opts *o, struct err *e);

/*
 * Add the tasks that are now in the cgroup PATH, or below it, to those of which events are
 * recorded.  -1 with E (ERR_USAGE): there are none, or cgroups cannot be read here.
 */
int session_words_cgroup(struct session_words *w, const char *path, struct err *e);

/* Exclude the processes of --exclude from the system calls of S.  -1 with E. */
int session_words_exclude(const struct session_words *w, struct session *s, struct err *e);

#endif
