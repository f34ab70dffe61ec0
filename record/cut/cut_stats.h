/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_CUT_CUT_STATS_H
#define ZED_RECORD_CUT_CUT_STATS_H

#include "trace/source.h"

/*
 * The statistics of a recording, as a cut of it has them.  They count the events that were
 * recorded; a line of ours, "left out: N", says how many of these the cut was not to have, so that
 * no reader takes them for missing.
 */
struct cut_stats {
	uint64_t *lacks; /* of each stream of the source: source_ops.lacks */
	struct source *source;
};

void cutstats_init(struct cut_stats *t, struct source *s);
void cutstats_fini(struct cut_stats *t);

/*
 * The payload P of an option CPUSTAT for the cut, which has CHOSEN(ARG, CPU) records of a CPU; to
 * be freed.
 */
char *cutstats_text(const struct cut_stats *t, const void *p, size_t len,
		    uint64_t (*chosen)(void *arg, int cpu), void *arg, size_t *out_len);

#endif
