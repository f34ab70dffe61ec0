/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_COUNT_H
#define ZED_RECORD_COUNT_H

#include "base/err.h"

/* How many events a finished trace.dat has, for the report of a program that did not record it. */
struct count_cpu {
	int cpu;
	uint64_t events, dropped, bytes; /* dropped: from the counts in the pages */
};

struct count {
	struct count_cpu *cpus; /* in order; those with data */
	unsigned ncpus;
	uint64_t events, dropped, bytes;
	uint64_t gaps; /* places where an unknown number was dropped in addition */
};

/* Read the top buffer of the file PATH through.  -1 with E; damage is reported to N. */
int count_file(struct count *c, const char *path, struct notes *n, struct err *e);
void count_fini(struct count *c);

/*
 * "Channel: trace", a line for each of CPUS CPUs (0: those with data only), and the total, in the
 * format of 2009 (KiB rounded up); to be freed.
 */
char *count_text(const struct count *c, unsigned cpus);

#endif
