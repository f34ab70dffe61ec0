/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_LOSS_H
#define ZED_TRACE_LOSS_H

#include "trace/source.h"

/*
 * How many events were lost: one figure, whichever part of a trace knows it.
 *
 * A CPU of a buffer has places, the gaps between two of its records, each with a number or without
 * one: a sub-buffer says that events were lost before it, and, if it has room for that, how many.
 * And it has a total, the kernel's statistics: events overwritten (overrun, commit overrun), not
 * taken by a full buffer (dropped events), and read by others (which we count).  The total includes
 * what the places say.  What it has beyond their numbers, the rest, was lost at the places without
 * a number, which so have one number together; if there are none, it was lost at unknown times.  A
 * gap and its part of the rest are one loss, and no event counts twice: places and unknown times
 * together are the total.  (ring_buffer.c of the kernel stores a number at a place as overrun since
 * the last one.)
 */
struct losses {
	uint64_t events;   /* all that are known: at places, and at unknown times */
	uint64_t places;   /* gaps */
	uint64_t unsized;  /* of these, those without a number of their own ... */
	uint64_t summed;   /* ... and those whose numbers are known together, and in `events` */
	uint64_t timeless; /* of the events, those lost at unknown times */
};

/* What the statistics of a CPU count beyond the numbers at its places. */
struct losses_rest {
	int cpu;
	const struct stream *of; /* NULL: the source has no data of it */
	uint64_t events;
	bool placed;	  /* they were lost at places without a number; else at unknown times */
	uint64_t unsized; /* how many of these places no rest was told of before */
};

/* A place: LOST is what the event after it has, LOST_UNKNOWN or a number. */
void losses_place(struct losses *l, uint32_t lost);
void losses_rest(struct losses *l, const struct losses_rest *r);

void losses_add(struct losses *l, const struct losses *more);
/* Leaves what was lost after LESS was all of L. */
void losses_subtract(struct losses *l, const struct losses *less);

/*
 * Of how many places are the lost events not among `events`?  (Of a part of a trace, `summed` may
 * be that of the whole.)
 */
static inline uint64_t losses_unknown(const struct losses *l)
{
	return l->unsized > l->summed ? l->unsized - l->summed : 0;
}

/*
 * "0 lost", "7 lost", "27 lost (22 at 2 places, 1 without a number of its own; 5 at unknown
 * times)", "7 lost, an unknown number at 1 place": into BUF, returned.  VERB: " lost", or "".
 */
#define LOSSES_TEXT 240
const char *losses_text(const struct losses *l, const char *verb, char buf[LOSSES_TEXT]);

/* Add to L the losses of S up to where it was read: at places, and what losses_next_rest() told. */
void losses_met(struct losses *l, const struct source *s);

/*
 * Add what S, which is still read, has lost beyond that: at unknown times, and according to the
 * statistics of its recorder (stream.counted), whose places, if it has some, may come later.
 */
void losses_ahead(struct losses *l, const struct source *s);

/*
 * Call TELL for each CPU with a rest that was not told before: when S has been read to its end.
 * CPUs whose events are not read are skipped.
 */
void losses_each_rest(struct source *s, void (*tell)(void *arg, const struct losses_rest *r),
		      void *arg);

/*
 * While S is read (live): the next stream with a rest that was not told before, and is told now.
 * False: there is none.
 */
bool losses_next_rest(struct source *s, struct losses_rest *r);
bool losses_has_next_rest(const struct source *s);

#endif
