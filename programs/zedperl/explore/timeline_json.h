/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_TIMELINE_JSON_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_TIMELINE_JSON_H

#include "analysis/timeline/timeline.h"
#include "base/outbuf.h"
#include "programs/zedperl/explore/explore_priv.h"

/* The states at the beginning of a window, as timeline_each_state() gave them. */
struct begun_cpu {
	uint32_t source;
	int cpu;
	uint32_t task;
};

struct begun_task {
	uint32_t task;
	uint8_t state; /* enum task_state */
	char letter;
};

struct timeline_begun {
	struct begun_cpu *cpus;
	struct begun_task *tasks;
	size_t ncpus, cap_cpus, ntasks, cap_tasks;
};

/* Call when all events before the window have come to T. */
void timeline_begun_take(struct timeline_begun *b, const struct timeline *t);
void timeline_begun_fini(struct timeline_begun *b);

struct timeline_out {
	struct timeline *timeline;
	struct catalog *catalog;
	struct timeline_answer *a; /* its tasks that are not shown are taken out */
	const struct timeline_begun *begun;
	uint64_t base; /* subtracted from times */
};

/*
 * Of the tasks of O->a, which are sorted by their run time, keep those of Q and the first Q->ntasks
 * of the others.
 */
void timeline_keep_tasks(struct timeline_out *t, const struct request *q);

/*
 * Append what page/timeline-data.js reads: {"timeline": as in the element of that name (what
 * Zed::Page makes of Zed::timeline's answer), with "running" and "states", those of BEGUN:
 * [CPU's place, person] and [person, "ready", "off" or "dead", letter]; "cells-cpu", "cells-task",
 * "marks": bytes in base64, not deflated}, without the brackets.
 */
void timeline_put(const struct timeline_out *t, struct outbuf *o);

#endif
