/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_LANE_LOSSES_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_LANE_LOSSES_H

#include "analysis/timeline/timeline.h"
#include "base/outbuf.h"
#include "run/merge.h"

/* Where events were lost in a window: LANE_LOSSES_MOST places, and how many more there are. */
#define LANE_LOSSES_MOST 20000

struct lane_loss {
	uint32_t source;
	int cpu;
	bool anywhere;	   /* some may be of any CPU of the source */
	uint32_t lost;	   /* LOST_UNKNOWN, or how many */
	uint64_t from, to; /* ns: the events before and after, within the window */
};

struct lane_losses {
	uint64_t from, to; /* the window, ns, both inclusive */
	struct lane_loss *v;
	size_t n, cap;
	uint64_t left;
};

/* EV has come, with or without losses before it; it may be later than the window. */
void lane_losses_see(struct lane_losses *l, const struct event *ev);

/* M has no more events in the window: what was lost across its end is known from the next ones. */
void lane_losses_ahead(struct lane_losses *l, const struct merge *m);

/*
 * Append them as a JSON array of [CPU's place in A, from, to, how many or null], in order of time;
 * times after BASE.  On one CPU, those less than WIDTH ns apart become one.  LANE_LOSSES_MOST at
 * most, as one that may be of any CPU is there for each; L->left counts the others.
 */
void lane_losses_put(struct lane_losses *l, struct outbuf *o, const struct timeline_answer *a,
		     uint64_t base, uint64_t width);
void lane_losses_fini(struct lane_losses *l);

/* The place of CPU of the input SOURCE in A's lanes; -1: it has none. */
int lane_of_cpu(const struct timeline_answer *a, uint32_t source, int cpu);

#endif
