/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_LANE_IRQS_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_LANE_IRQS_H

#include "analysis/timeline/timeline.h"
#include "base/outbuf.h"
#include "stable/catalogue.h"

/*
 * When handlers of interrupts and softirqs ran on each CPU, through the stable events irq::enter,
 * irq::exit and their kind.  A handler that began before the trace, or in a loss, is not known.
 */
struct lane_irqs;

enum lane_irq_kind { LANE_IRQ, LANE_SOFTIRQ };

/* Those that overlap FROM to TO (ns), at most MOST.  C, STABLE and N (borrowed) must outlive it. */
struct lane_irqs *lane_irqs_new(struct catalog *c, const struct stable *stable, struct notes *n,
				uint64_t from, uint64_t to, size_t most);
void lane_irqs_free(struct lane_irqs *q);

/* Does it follow events of that type? */
bool lane_irqs_follow(struct lane_irqs *q, const struct etype *t);

/* EV, up to TO, has come; or only the losses before it (ALONE). */
void lane_irqs_see(struct lane_irqs *q, const struct event *ev, bool alone);

/* Handlers that still run do so at TO. */
void lane_irqs_end(struct lane_irqs *q);

/*
 * Append them as a JSON array of [CPU's place in A, from, to, kind, name]; times after BASE.
 * False: there are more than MOST, and the array is empty.
 */
bool lane_irqs_put(const struct lane_irqs *q, struct outbuf *o, const struct timeline_answer *a,
		   uint64_t base);

#endif
