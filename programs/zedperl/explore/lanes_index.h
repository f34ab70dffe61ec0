/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_LANES_INDEX_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_LANES_INDEX_H

#include "index/index.h"
#include "programs/zedperl/explore/explore_priv.h"

/* The index of C's open trace, X's or that in the cache folder; NULL: there is none. */
const struct trace_index *explore_index(const struct explore *x, const struct cli *c);

/*
 * The answer of lanes for a window of so many events that they are not shown one by one, from the
 * index X alone; nothing is read.  False: there are few events, or the index is not as fine as the
 * cells that Q asks for; nothing is appended.
 */
bool lanes_from_index(const struct trace_index *x, const struct request *q, struct outbuf *o);

#endif
