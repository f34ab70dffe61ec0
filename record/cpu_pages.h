/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_CPU_PAGES_H
#define ZED_RECORD_CPU_PAGES_H

#include "record/output.h"

/*
 * The sub-buffers of a session on their way to an output: full ones by splice, never looked at;
 * partly filled ones by read.
 */
struct cpu_source {
	int cpu, fd;	/* its trace_pipe_raw, borrowed; -1: not (or no longer) to be read */
	uint64_t bytes; /* given to the output */
	bool busy;	/* had more data when its turn ended */
	bool offline;	/* poll() does not report it now: the CPU is not online */
};

struct cpu_pages {
	struct session *s; /* borrowed, as are these: */
	struct output *out;
	struct notes *notes;
	struct cpu_source *v;
	unsigned n;
	int pipe[2];
	size_t chunk; /* bytes of one splice: whole sub-buffers */
	uint32_t page_size;
	uint8_t *page;
};

#define CPU_TURN (4u << 20) /* bytes of one CPU before the others get their turn */

/* -1 with E.  Call fini in any case; it accepts a zeroed struct. */
int cpupages_init(struct cpu_pages *p, struct session *s, struct output *out, struct notes *notes,
		  struct err *e);
void cpupages_fini(struct cpu_pages *p);

/*
 * Give the output everything that is there, at most LIMIT bytes a CPU; partly filled sub-buffers up
 * to TIME of the trace clock (0: none).  Returns 0, or the output's answer.  A CPU whose file fails
 * is reported and given up.  An output that goes away is given nothing more.
 */
int cpupages_take(struct cpu_pages *p, uint64_t time, uint64_t limit, struct err *e);

/*
 * Give the output one sub-buffer of each CPU, full or not, after SEE was called with it: LEN bytes
 * at P.  As cpupages_take().
 */
int cpupages_sample(struct cpu_pages *p,
		    void (*see)(void *arg, int cpu, const uint8_t *p, uint32_t len), void *arg,
		    struct err *e);

/* Tracing is off: give it what is left.  As cpupages_take(). */
int cpupages_drain(struct cpu_pages *p, struct err *e);

#endif
