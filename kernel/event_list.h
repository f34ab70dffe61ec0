/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_EVENT_LIST_H
#define ZED_KERNEL_EVENT_LIST_H

#include "base/err.h"

/* The events of a kernel, sorted by system, then name. */
struct tracefs_event {
	const char *system, *name;
};

struct tracefs_events {
	struct tracefs_event *v;
	unsigned n;
	char *text; /* the text that the names point into */
};

/* From DIR/available_events.  -1 with E. */
int tracefs_events(struct tracefs_events *l, const char *dir, struct err *e);
void tracefs_events_fini(struct tracefs_events *l);

/* Their order, for qsort(): by system, then name. */
int tracefs_event_order(const void *a, const void *b);

/*
 * Set CHOSEN[i] (l->n bytes, given by the caller) for each event that PATTERN names: "sched",
 * "sched:sched_switch", "sched::sched_switch", globs in either part ("block:*_rq_*", "*"), and the
 * names that a Perl sub can have (a byte outside [A-Za-z0-9_] as '_': zedperl-scripts(7)).  Returns
 * how many there are; if none, -1 with E (ERR_USAGE), which names the nearest.
 */
int tracefs_match(const struct tracefs_events *l, const char *pattern, bool *chosen, struct err *e);

#endif
