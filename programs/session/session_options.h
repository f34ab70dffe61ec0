/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_SESSION_OPTIONS_H
#define ZED_PROGRAMS_SESSION_SESSION_OPTIONS_H

#include "programs/options.h"
#include "programs/event_names.h"
#include "kernel/session/session.h"

#include <sys/types.h>

/*
 * What a command line says of a tracing session: the options that zedtrace and zedperl --live have
 * in common, each defined once, with its help line.  cli.session points to it, from before the
 * options are read.
 */
struct session_words {
	const char **filters; /* as they were written; borrowed, as all texts here */
	size_t nfilters, cap_filters;
	pid_t *pids;
	size_t npids, cap_pids;
	pid_t *exclude;
	size_t nexclude, cap_exclude;
	bool children;
	const char *cpus, *clock;
	unsigned buffer_kb, subbuf_kb; /* 0: the kernel's */
	uint64_t duration, slack;      /* ns; 0: none; UINT64_MAX: not said */
	bool stacks, user_stacks;      /* of all events */
	const char **stack_words;      /* of these: lists of EVENTS */
	size_t nstack_words, cap_stack_words;
	struct event_names stack_names; /* what these mean */
};

#define SESSION_SLACK 20000000 /* ns; of 193 million events none came more than 2.7 ms late */

/* For a struct session_words of which nothing was said. */
#define SESSION_WORDS_INIT \
	{ \
		.slack = UINT64_MAX \
	}

void session_words_fini(struct session_words *w);

/* The options, for cli_spec.session. */
extern const struct cli_opt SESSION_OPTIONS[];

/* --filter, --pid and --cpu of a session, for cli.chooser: the kernel chooses. */
extern const struct cli_chooser SESSION_CHOOSER;

/* The first option of SESSION_OPTIONS that was given, as a message names it; NULL: none. */
const char *session_words_given(const struct session_words *w);

/* The first option given that sets something in an instance, which its owner does; NULL: none. */
const char *session_words_set(const struct session_words *w);

/* How long events may be held back, ns. */
uint64_t session_words_slack(const struct session_words *w);

/*
 * Does "-c" have a task or a command to follow?  Else -1 with E (ERR_USAGE).
 */
int session_words_check(const struct session_words *w, bool command, struct err *e);

/*
 * What the words mean, into O, whose notes are the caller's; borrows from W and EVENTS, which are
 * to be recorded.  COMMAND: the process to be traced, or 0: with -c only it and its children are.
 * -1 with E (ERR_USAGE): --stack names what is no event.
 */
int session_words_mean(struct session_words *w, pid_t command, const struct event_names *events,
		       struct session_opts *o, struct err *e);

/* Keep those of --exclude out of the system calls of S.  -1 with E. */
int session_words_exclude(const struct session_words *w, struct session *s, struct err *e);

/*
 * A number of bytes, "4096", "64K", "16M", "2G", of which a bare number counts UNIT, and its KiB.
 * -1 with E (ERR_USAGE).
 */
int session_size(const char *text, uint64_t unit, uint64_t *out, struct err *e);
int session_kb(const char *text, unsigned *out, struct err *e);

#endif
