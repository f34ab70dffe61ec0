/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_LANES_INDEX_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_LANES_INDEX_H

#include "analysis/timeline/timeline.h"
#include "index/index.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "trace/comms/comms.h"

/* The index of C's open trace, X's or that in the cache folder; NULL: there is none. */
const struct trace_index *explore_index(const struct explore *x, const struct cli *c);

/*
 * The answer of lanes for a window of so many events that they are not shown one by one, from the
 * index X alone; nothing is read.  False: there are few events, or the index is not fine enough;
 * nothing is appended.
 */
bool lanes_from_index(const struct trace_index *x, const struct request *q, struct outbuf *o);

/*
 * The last time not after TS from which on a run is like one of the whole trace, once T has got the
 * states at it: a checkpoint of X.  0: there is none, or X cannot help a run to begin there.
 */
uint64_t lanes_checkpoint(const struct trace_index *x, uint64_t ts);

/* Give T the states at that checkpoint.  NAMES: those of the time of the run's first event. */
void lanes_assume(const struct trace_index *x, uint64_t checkpoint, struct timeline *t,
		  struct comms *names);

#endif
