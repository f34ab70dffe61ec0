/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_EVENT_MATCH_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_EVENT_MATCH_H

#include "programs/options.h"

/*
 * What a search looks for:
 *	159			events of that task
 *	SYSTEM[:EVENT]: EXPR	those that pass, as with -F
 *	anything else		those of a task, or of a name (SYSTEM:EVENT), that contains it,
 *				whatever the case; with * or ? it is a pattern for all of either
 */
struct event_match {
	char text[1024]; /* in small letters; "": the pump's filter does it all */
	bool is_pattern;
	uint8_t *types; /* by etype.idx: 0: not asked yet, 1: no, 2: the name has it */
	size_t cap;
};

/*
 * Prepare M for a run over C's open trace.  -1 with E (ERR_USAGE): WHAT is an expression with an
 * error.
 */
int event_match_init(struct event_match *m, struct cli *c, const char *what, struct err *e);
void event_match_fini(struct event_match *m);

/* Is EV, which passed the pump's filter, one of them? */
bool event_match_is(struct event_match *m, const struct event *ev);

#endif
