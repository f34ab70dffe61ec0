/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_PERIOD_H
#define ZED_RUN_PERIOD_H

#include "run/pump.h"

/*
 * When the records of the inputs of a pump happened, whatever is filtered: from both ends of their
 * data, or, if a kind of input cannot do that (source_ops.ends), by reading it a second time beside
 * the run.  Found at the first query, and kept.  Times are those of events, ns or ticks.
 *
 * All return -1 with E (ERR_USAGE) for what is read as it comes, from a pipe or live: there it is
 * not known yet.
 */

/* Of each stream of source I, in their order; borrowed. */
int period_streams(struct pump *p, unsigned i, const struct period **v, struct err *e);

/*
 * Losses of one stream in order of time: how many events, LOST_UNKNOWN if not known, between the
 * record at `from`, TS_UNKNOWN if not known, and that at `to`.
 */
struct period_loss {
	uint64_t lost, from, to;
};

/*
 * The first loss of stream K of source I that ends after TS; borrowed.  NULL: none, or the merge
 * has the next event of each stream; where one stream has those of all CPUs, the source is read a
 * second time, unless it has no losses.
 */
const struct period_loss *period_next_loss(struct pump *p, unsigned i, unsigned k, uint64_t ts);

/* Frees what was found, for pump_fini(); the number of sources is still that of the pump. */
void period_fini(struct pump *p);

/*
 * How many records of each stream of source I were left out of it before their first or after their
 * last one, into V, nstreams of them (source_ops.lacks); 0: none, as far as anything tells, or it
 * has records as early and as late as the source, which is not cut off.  Reads their data, and is
 * not kept.
 */
int period_lacks(struct pump *p, unsigned i, uint64_t *v, struct err *e);

/* Of source I as a whole. */
int period_source(struct pump *p, unsigned i, struct period *out, struct err *e);

/* Of all inputs together. */
int period_all(struct pump *p, struct period *out, struct err *e);

/*
 * The time common to all CPUs with records that pass the pump's filter: from the latest of their
 * first records to the earliest of their last ones.  PERIOD_NONE: one ends before another begins,
 * or there are none.  ENDS (if not NULL) gets which CPUs these are, and when: [0] begins last, [1]
 * ends first; [0].from NULL: none have a record.
 */
struct period_end {
	const struct origin *from; /* borrowed */
	uint64_t ts;
};
int period_common(struct pump *p, struct period *out, struct period_end *ends, struct err *e);

/*
 * How many events of the CPUs that are read were lost at unknown times, as losses_each_rest() (see
 * trace/loss.h) tells at the end of the run; before that by reading the inputs of which it is
 * not 0 so far a second time, each time that it is asked.  -1 for live ones before their end.
 */
int period_untimed(struct pump *p, uint64_t *n, struct err *e);

#endif
