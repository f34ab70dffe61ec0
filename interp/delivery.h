/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_DELIVERY_H
#define ZED_INTERP_DELIVERY_H

#include "interp/api/sink.h"

/*
 * What happens to an event: its losses are reported, aggregations take it, and each bound sub is
 * called.  A die in a sub leaves all of this by a longjmp; struct perlsink has what is still to be
 * done then.
 */

/*
 * Handle all that PS->from gives, until the run ends: PS->err says why if it is RUN_FAILED.  After
 * a death it is called again, and continues with the rest of the current event.
 */
enum run_end delivery_run(pTHX_ struct perlsink *ps);

/* Takes an event that is only counted, as soon as it is read: pump_early(). */
void delivery_early(void *ps, const struct event *ev);

/*
 * Something asked for attention during Perl code: between two events subs are bound again.  True:
 * no more events.
 */
bool delivery_attend(pTHX_ struct perlsink *ps);

/* If any code asks for stacks: from the next one on, events come with them. */
void delivery_stacks(pTHX_ struct perlsink *ps);

/*
 * Set the base of all times (ns), once it is known; from then on the reader knows that only types
 * with handlers are needed.
 */
void delivery_base(struct perlsink *ps);

/* Zed::when is called before synthetic events are made from the event that is due. */
void delivery_watch(struct perlsink *ps);

/* Is a sub called for events, losses or intervals? */
bool delivery_calls(const struct perlsink *ps);

/*
 * A loss without a place, R of the input SOURCE: after the last event, or between two (live).
 * COUNTS: it is in what was asked for.  May leave by a die.
 */
void delivery_loss(pTHX_ struct perlsink *ps, unsigned source, const struct losses_rest *r,
		   bool counts);

/* Live: such losses are told as soon as they are known. */
void delivery_watch_losses(struct perlsink *ps);

#endif
