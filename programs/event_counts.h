/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_EVENT_COUNTS_H
#define ZED_PROGRAMS_EVENT_COUNTS_H

#include "programs/options.h"

/* Numbers of events, by the idx of their type; V is to be freed. */
struct event_counts {
	uint64_t *v;
	size_t n;
};

/* Read C's open inputs to their end, counting events into K, which is zeroed.  The exit status. */
int count_events(struct cli *c, struct event_counts *k);

#endif
