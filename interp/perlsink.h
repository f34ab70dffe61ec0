/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERLSINK_H
#define ZED_INTERP_PERLSINK_H

#include "interp/api/host.h"
#include "interp/perl/interp.h"

/*
 * The run of a script, which asks for events and calls the script's subs: trace_begin, events,
 * trace_end, and every way in which a script can end that.  This header needs no perl.h.
 */
struct perlsink;

struct perlsink_result {
	enum run_end end; /* how the reading ended; RUN_FAILED: err says why */
	struct err err;
	int status;	 /* the script's own exit status, or -1: it has none */
	int signal;	 /* the signal that ended the run, or 0 */
	bool halted;	 /* a signal has ended what feeds it (live): pump_halt() */
	bool forked;	 /* a child that the script made: ends with status, says nothing */
	bool told;	 /* the state was given to opts.state */
	uint64_t deaths; /* handlers that died and were passed over (keep_going) */
};

struct perlsink *perlsink_new(struct interp *in, const struct perlsink_opts *o);

/* For interp_load: defines the Zed module and the stop handlers.  ARG is the perlsink. */
void perlsink_boot(struct interp *in, void *arg);

/* Once the main program has run: is a sub of the script called for events, losses or intervals? */
bool perlsink_calls(struct perlsink *ps);
/* Does a handler of it follow states, for which it needs what was not chosen as well? */
bool perlsink_follows(const struct perlsink *ps);

/*
 * With maps, after the events of one of PARTS parts: where an aggregation was made that has not
 * the room to be joined with those of the others, as they are in the whole; NULL: all have.
 */
const char *perlsink_crowded(struct perlsink *ps, unsigned parts);

/* The whole run. */
void perlsink_run(struct perlsink *ps, struct perlsink_result *r);

/*
 * In place of the run: LINE is told which events call what, as far as that is known once the main
 * program has run (--check).  Nothing of the script is called any more, its END blocks neither.
 * Returns how many things are to be looked at.
 */
unsigned perlsink_check(struct perlsink *ps, void (*line)(void *arg, const char *text), void *arg);

/*
 * Free; before = true: what holds Perl values, before interp_end(); then, after it, before =
 * false: the rest.
 */
void perlsink_free(struct perlsink *ps, bool before);

#endif
