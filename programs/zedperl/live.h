/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_LIVE_H
#define ZED_PROGRAMS_ZEDPERL_LIVE_H

#include "programs/options.h"
#include "reader/stable/catalogue.h"

/* A live run of zedperl. */
struct live_run {
	const char *events; /* of --live=EVENTS: words; NULL: what SCRIPT is for */
	const char *script;
	const struct stable *stable; /* what stable names stand for; borrowed */
	const char *clock;	     /* NULL: the default */
	unsigned buffer_kb;	     /* of each CPU; 0: the kernel's own */
	struct session *session;     /* the source's */
	bool started;
};

/*
 * Make the session and its source, tracing off.  From here on SIGINT, SIGTERM and SIGHUP set
 * cli_stop, up to the script's own handlers.  NULL with E.
 */
struct source *live_begin(struct live_run *l, struct cli *c, struct err *e);

/* Switch tracing on; nothing if that was done.  -1 with E. */
int live_start(struct live_run *l, struct err *e);

/* Perl has given its handlers back, and the instance has still to be taken away. */
void live_ignore_signals(void);

/* The size of a buffer as the user writes it.  -1 with E. */
int live_buffer(const char *value, unsigned *kb, struct err *e);

#endif
