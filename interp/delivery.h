/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_DELIVERY_H
#define ZED_INTERP_DELIVERY_H

#include "interp/api/sink.h"

/*
 * What becomes of an event: its losses are told, aggregations take it, and each sub that is bound
 * to it is called.  A die in a sub leaves all of it by a longjmp; struct perlsink says what is
 * still to be done then.
 */

/*
 * All that PS->from gives, until something ends that: PS->err says why if it is RUN_FAILED.  After
 * a death it is called again, and goes on with the rest of the event at hand.
 */
enum run_end delivery_run(pTHX_ struct perlsink *ps);

/* An event that is only counted, as soon as it is read: pump_early(). */
void delivery_early(void *ps, const struct event *ev);

/*
 * Something asked for attention during Perl code: between two events subs are bound anew.  True: no
 * more events.
 */
bool delivery_attend(pTHX_ struct perlsink *ps);

/* Where anything asks for stacks: from the next event on they come with it. */
void delivery_stacks(pTHX_ struct perlsink *ps);

/*
 * Take the base of all times (ns), once it is known; from then on the reader is told that only
 * types with handlers matter.
 */
void delivery_base(struct perlsink *ps);

/* Zed::when comes before synthetic events are made of the event that is due. */
void delivery_watch(struct perlsink *ps);

/* Is a sub called for events, losses or intervals? */
bool delivery_calls(const struct perlsink *ps);

/*
 * A loss without a place, after the last event: COUNT events of CPU of the input SOURCE.  May
 * leave by a die.
 */
void delivery_loss(pTHX_ struct perlsink *ps, unsigned source, int cpu, uint64_t count);

#endif
