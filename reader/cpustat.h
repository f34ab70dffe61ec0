/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_CPUSTAT_H
#define ZED_CPUSTAT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
