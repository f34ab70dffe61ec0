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

/*
 * Losses that no page of S reports (a full buffer without overwriting, events overwritten before
 * the recorder read them): what the statistics count beyond the losses seen by its streams.  TELL
 * is called for each CPU that has some; ST is a stream of it, or NULL if the source has no data of
 * it.  CPUs whose events are not read are skipped.  The statistics describe a machine's whole
 * buffer, so nothing is known for a source with several.  Also the sums of streams
 * (stream.timeless).  Call once, when S has been read to its end.
 */
void cpustat_losses(struct source *s,
		    void (*tell)(void *arg, int cpu, const struct stream *st, uint64_t count),
		    void *arg);

/*
 * What the statistics of BUFFER ("": the top one) say about its clock: the kernel writes ns times
 * with a decimal point, "now ts:    23.961290", and others without, "now ts: 50509170099".
 * trace-cmd puts the text of an instance after a line "Buffer: NAME".
 */
enum cpustat_clock { CPUSTAT_UNTOLD, CPUSTAT_NS, CPUSTAT_TICKS };

enum cpustat_clock cpustat_clock(const char *text, size_t len, const char *buffer);

#endif
