/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_ANSWER_BARS_H
#define ZED_INTERP_COMMON_ANSWER_BARS_H

#include "analysis/aggregate/aggregate.h"
#include "base/outbuf.h"

/*
 * Append the buckets of S, a value of A (AGG_HIST or AGG_LHIST), as lines with bars.
 */
void answer_bars(const struct aggregate *a, const struct agg_spread *s, struct outbuf *o);

#endif
