/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CPUSTAT_H
#define ZED_TRACE_CPUSTAT_H

#include "trace/source.h"

/*
 * The kernel's statistics of a buffer as TEXT_CPUSTAT has them: for each CPU "CPU: 0", then lines
 * like "dropped events: 268" (per_cpu/cpuN/stats).
 */
struct cpustat {
	int cpu;
	uint64_t entries, read; /* events in the buffer at the end, and those read before */
	uint64_t overrun, commit_overrun, dropped; /* events lost; 0 if not stated */
	/* our own lines: events read by others, and those that a cut leaves out on purpose */
	uint64_t others, left_out;
};

/* The next CPU of the text [*P, END), and *P after it; false: none. */
bool cpustat_next(const char **p, const char *end, struct cpustat *st);

/* Where the first CPU of the text [P, END) begins; END: there is none. */
const char *cpustat_first(const char *p, const char *end);

/*
 * Sets *NAME, *LEN bytes of the text, to the name on the last line "Buffer: NAME" of [P, END), if
 * there is one: the CPUs after it are of this buffer, those before the first such line of the top
 * one.
 */
void cpustat_buffer(const char *p, const char *end, const char **name, size_t *len);

/*
 * What the statistics of BUFFER ("": the top one) say about its clock: the kernel writes ns times
 * with a decimal point, "now ts:    23.961290", and others without, "now ts: 50509170099".
 * trace-cmd puts the text of an instance after a line "Buffer: NAME".
 */
enum cpustat_clock { CPUSTAT_UNTOLD, CPUSTAT_NS, CPUSTAT_TICKS };

enum cpustat_clock cpustat_clock(const char *text, size_t len, const char *buffer);

#endif
