/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERLSINK_H
#define ZED_INTERP_PERLSINK_H

#include "interp/api/host.h"
#include "interp/perl/interp.h"

/*
 * The run of a script, which asks for events and calls the script's subs: trace_begin, events,
 * trace_end, and every way in which a script can end that.  This header does not need perl.h.
 */
struct perlsink;

struct perlsink_result {
	enum run_end end; /* how the reading ended; RUN_FAILED: err says why */
	struct err err;
	int status;	 /* the script's own exit status, or -1: it has none */
	int signal;	 /* the signal that ended the run, or 0 */
	bool halted;	 /* a signal has ended its sources (live): pump_halt() */
	bool says_cut;	 /* the answer says itself that it is of the part that was read */
	bool forked;	 /* a child forked by the script: ends with status, without messages */
	bool told;	 /* the state was passed to opts.state */
	uint64_t deaths; /* handlers that died and were skipped (keep_going) */
};

struct perlsink *perlsink_new(struct interp *in, const struct perlsink_opts *o);

/* For interp_load: defines the Zed module and the stop handlers.  ARG is the perlsink. */
void perlsink_boot(struct interp *in, void *arg);

/* Once the main program has run: is a sub of the script called for events, losses or intervals? */
bool perlsink_calls(struct perlsink *ps);
/* Does a handler, or an answer, follow states, which also needs events that were not chosen? */
bool perlsink_follows(const struct perlsink *ps);

/*
 * With maps, after the events of one of PARTS parts: the place of an aggregation that has no room
 * to be merged with those of the other parts with the same result as for the whole; NULL: none.
 */
const char *perlsink_crowded(struct perlsink *ps, unsigned parts);

/* The whole run. */
void perlsink_run(struct perlsink *ps, struct perlsink_result *r);

/*
 * In place of the run: LINE gets which events call what, as far as that is known once the main
 * program has run (--check).  Nothing more of the script is called, not even its END blocks.
 * Returns the number of problems.
 */
unsigned perlsink_check(struct perlsink *ps, void (*line)(void *arg, const char *text), void *arg);

/*
 * Free; before = true: what holds Perl values, before interp_end(); then, after it, before =
 * false: the rest.
 */
void perlsink_free(struct perlsink *ps, bool before);

#endif
