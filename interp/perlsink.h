/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERLSINK_H
#define ZED_INTERP_PERLSINK_H

#include "interp/common/host.h"
#include "interp/perl/interp.h"

/*
 * The run of a script, which asks for events and calls the script's subs: trace_begin, events,
 * trace_end, and every way in which a script can end that.  This header does not need perl.h.
 */
struct perlsink;

struct perlsink *perlsink_new(struct interp *in, const struct host_opts *o);

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
void perlsink_run(struct perlsink *ps, struct script_result *r);

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
