/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_LIVE_BUDGET_H
#define ZED_PROGRAMS_SCRIPT_LIVE_BUDGET_H

#include "record/budget.h"
#include "run/pump.h"

struct cli;

/* --max-rate and --max-cpu of a live run: once a second, between two events. */
struct live_budget {
	struct budget *budget; /* NULL: no limits */
	struct source *source; /* the live one */
	struct poll_hook hook;
	uint64_t next; /* CLOCK_MONOTONIC ns */
};

/*
 * Keep S, whose source is SOURCE, within the limits L, if there are any; P looks after it.  All are
 * borrowed for the run.
 */
void livebudget_begin(struct live_budget *b, struct session *s, struct source *source,
		      const struct budget_limits *l, struct pump *p, struct notes *n);

/* After the run: report what was switched off. */
void livebudget_say(const struct live_budget *b, struct cli *c);
void livebudget_fini(struct live_budget *b);

#endif
