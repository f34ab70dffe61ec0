/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_CUT_CUT_H
#define ZED_RECORD_CUT_CUT_H

#include "trace/sink.h"

/*
 * A part of a trace as a trace.dat v7 of its own: the records that come as events, byte by byte and
 * with their times, and everything else in the trace.  For a single source, which must have
 * source_ops.metadata.
 *
 * A loss belongs to the event after it, as everywhere: it is kept if that event's time is one of
 * those chosen, before the next chosen event of its CPU.
 */
struct cut;

struct cut_opts {
	const char *path; /* the path of the result: data is kept beside it until it is written */
	struct notes *notes;
	/* Is TS one of the times that were chosen?  Events of others are left out.  NULL: all. */
	bool (*in_time)(void *arg, uint64_t ts);
	void *arg;
};

/* O is copied, its strings are borrowed.  NULL with E. */
struct cut *cut_new(const struct cut_opts *o, struct err *e);
void cut_free(struct cut *c);

/* The sink of the run; borrowed. */
struct sink *cut_sink(struct cut *c);

/*
 * After the run, while its sources are still open: write the trace.dat to FD, which
 * is a new file.  -1 with E.
 */
int cut_write(struct cut *c, int fd, struct err *e);

uint64_t cut_records(const struct cut *c);

#endif
