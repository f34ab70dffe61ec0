/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_BEYOND_H
#define ZED_INTERP_COMMON_BEYOND_H

#include "run/pump.h"

/*
 * Losses that end after the time that was asked for, and began before that was over: trace_lost is
 * not called for them, and an unknown share of them is in it.  For scripts that do not load
 * Zed::Asked, which get them all.
 */
struct beyond {
	uint64_t n;
	int cpu; /* of the first */
	uint64_t lost, from, to;
};

/* A loss that does not count; EV follows it.  END is the last time that was asked for (ns). */
void beyond_see(struct beyond *b, const struct event *ev, uint64_t end);

/* The run has ended: if by --head or a signal, the losses before the events that come next ... */
void beyond_see_ahead(struct beyond *b, const struct pump *run);

/*
 * ... and a message about all of them to N, if there are any.  END: as above.  READ: the time is
 * what was read, as a signal or a death has ended the run.
 */
void beyond_say(const struct beyond *b, struct pump *run, uint64_t end, bool read, struct notes *n);

#endif
