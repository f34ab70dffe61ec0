/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_CPUSTAT_H
#define ZED_CPUSTAT_H

#include "source.h"

/*
 * The kernel's statistics of a buffer as TEXT_CPUSTAT has them: for each CPU "CPU: 0", then lines
 * like "dropped events: 268" (per_cpu/cpuN/stats).
 */
struct cpustat {
	int cpu;
	uint64_t overrun, commit_overrun, dropped;	/* events lost; 0 where nothing is said */
};

/* The next CPU of the text [*P, END), and *P behind it; false: there is none. */
bool cpustat_next(const char **p, const char *end, struct cpustat *st);

/*
 * Losses that no page of S tells of (a full buffer that was not to be overwritten, what was
 * overwritten before the recorder came): what the statistics count beyond those that its streams
 * have met.  TELL is called for each CPU that has some; ST is a stream of it, or NULL: none of its
 * data is here.  CPUs whose events nobody reads are left out.  The statistics speak of a machine's
 * whole buffer, so of a source with several nothing can be told.  Once, when S is read to its end.
 */
void cpustat_losses(struct source *s,
		    void (*tell)(void *arg, int cpu, const struct stream *st, uint64_t count),
		    void *arg);

#endif
