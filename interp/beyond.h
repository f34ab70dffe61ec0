/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BEYOND_H
#define ZED_INTERP_BEYOND_H

#include "interp/api/sink.h"

/*
 * Losses that end after the time that was asked for, and began before that was over: trace_lost is
 * not called for them, and an unknown share of them is in it.  For scripts that do not load
 * Zed::Asked, which get them all.
 */

/* A loss that does not count; EV follows it. */
void beyond_see(struct perlsink *ps, const struct event *ev);

/* The run has ended: if by --head or a signal, the losses before the events that come next ... */
void beyond_see_ahead(struct perlsink *ps);

/* ... and a message about all of them, if there are any. */
void beyond_say(const struct perlsink *ps);

#endif
