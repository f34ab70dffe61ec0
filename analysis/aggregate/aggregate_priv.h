/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_AGGREGATE_PRIV_H
#define ZED_ANALYSIS_AGGREGATE_AGGREGATE_PRIV_H

#include "analysis/aggregate/aggregate.h"

/* Shared by aggregate.c, ranking.c and top.c. */

/* Report, once, that A counts something as `other`: there are more than LIMIT WHAT. */
void agg_say_full(struct aggregate *a, uint64_t limit, const char *what);

/* Free the records of all values. */
void top_free(struct aggregate *a);
/* Merge the records of FROM into VALUE, keeping the largest. */
void top_merge(struct aggregate *a, struct agg_top *value, const struct agg_top *from);

#endif
