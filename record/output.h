/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_OUTPUT_H
#define ZED_RECORD_OUTPUT_H

#include "kernel/session/session.h"

/*
 * Where a recorder puts what it takes out of the kernel: a file (spool), a zed stream
 * (zedstream_write), the network (client).  Outputs block as little as they can: a consumer that
 * takes nothing must not keep a signal from ending the recording, so each wait checks *STOP.
 *
 * Every function returns 0, or -1 with E; OUTPUT_GONE: the consumer has ended, which is not an
 * error.
 */
#define OUTPUT_GONE 1

struct meta { /* the beginning of a trace.dat v7 "none" up to its first DONE(0) */
	uint8_t *p;
	size_t len;
	uint32_t page_size;
	uint32_t page_head; /* offset of the data in a sub-buffer, bytes */
	const char *clock;
	bool watched; /* names will come with their times (output_ops.names) */
	int32_t self; /* session_self(): records of this task are our own; 0: unknown */
};

struct output;
struct output_end;

struct output_ops {
	/* Once, before all others. */
	int (*begin)(struct output *o, const struct meta *m, struct err *e);
	/* LEN bytes, whole sub-buffers, are in the pipe PIPE: take them all. */
	int (*splice)(struct output *o, int cpu, int pipe, size_t len, struct err *e);
	/* One sub-buffer of PAGE_SIZE bytes in memory; only USED of them matter (header, data and
	 * the count of lost events after them), the rest is zeros. */
	int (*page)(struct output *o, int cpu, const uint8_t *p, uint32_t used, uint32_t page_size,
		    struct err *e);
	/* Nothing earlier than WATERMARK comes, except from the N CPUs in BUSY.  May be NULL. */
	int (*round)(struct output *o, uint64_t watermark, const int *busy, unsigned n,
		     struct err *e);
	/* Lines "PID COMM\n": names that are new or have changed.  May be NULL. */
	int (*comms)(struct output *o, const char *text, size_t len, struct err *e);
	/*
	 * Names with their times (trace/comms/comm_log.h), whole records: first those of all tasks
	 * at the start; all up to a watermark come before that round.  Only where meta said so.
	 */
	int (*names)(struct output *o, const uint8_t *p, size_t len, struct err *e);
	/*
	 * The same for the cgroups of tasks (trace/cgroups/cgroup_log.h): only after names, if the
	 * kernel reports them.  May be NULL.
	 */
	int (*cgroups)(struct output *o, const uint8_t *p, size_t len, struct err *e);
	/*
	 * What processes have mapped (trace/maps/map_log.h), whole records in their order; a file's
	 * before its first use, and again after next().  May be NULL.
	 */
	int (*maps)(struct output *o, const uint8_t *p, size_t len, struct err *e);
	/* The format of an event that was added while recording.  May be NULL. */
	int (*format)(struct output *o, const char *system, const char *text, size_t len,
		      struct err *e);
	/*
	 * CPU has lost LOST events since begin() or next(), according to the kernel; all gaps that
	 * are among them are in pages that came before.  About once a second, if there are more.
	 * May be NULL.
	 */
	int (*lost)(struct output *o, int cpu, uint64_t lost, struct err *e);
	/*
	 * OFFSET ns are to be added to times of the trace clock to get those of the clock that all
	 * sources are compared with; the error is at most WRONG ns either way.  May be NULL.
	 */
	int (*clock)(struct output *o, int64_t offset, uint64_t wrong, struct err *e);
	/*
	 * The end: comms has all known names; stats[i] the kernel's statistics of cpus[i] as text;
	 * events and dropped are of all CPUs.
	 */
	int (*end)(struct output *o, const struct output_end *end, struct err *e);
	/*
	 * Called when `due`: end the current file (as end()) and continue with another, which gets
	 * the same metadata and formats; all known names are given again.  May be NULL.
	 */
	int (*next)(struct output *o, const struct output_end *end, struct err *e);
	/*
	 * Is it time for next()?  TIME: CLOCK_MONOTONIC, ns; 0: tracing has ended, and what remains
	 * is not urgent, but if it is `away`, it is for the last time.  NULL if next is.
	 */
	bool (*due)(struct output *o, uint64_t time);
	/*
	 * Asked once a second: is what was written so far still found under its name?  -1 with E if
	 * another process has removed or renamed it.  NULL: it has no name.
	 */
	int (*check)(struct output *o, struct err *e);
	/*
	 * If it failed, if its consumer has gone, or before end(): how many of the events of CPU
	 * that it was given will a reader of the output find?  -1: all, or not known.  NULL: never
	 * known.
	 */
	int64_t (*found)(struct output *o, int cpu);
	void (*close)(struct output *o); /* after end(), or without it to give up */
};

struct output_end {
	const char *comms;
	size_t comms_len;
	const int *cpus;
	char *const *stats; /* may have NULLs */
	unsigned ncpus;
	uint64_t events, dropped;
	const uint64_t *read; /* events of cpus[i] */
};

struct output {
	const struct output_ops *ops;
	const volatile int *stop; /* set by a signal: ends long waits */
	struct notes *notes;	  /* gets the reason of a wait; may be NULL */
	uint64_t flush_ns;	  /* how often partly filled pages are read; 0: only at the end */
	uint64_t quiet_ns;	  /* ... while nothing comes; 0: as the recorder likes */
	uint64_t bytes;		  /* bytes of pages taken so far */
	uint64_t own;		  /* events that we caused ourselves, as far as they were seen */
	uint64_t turn;		  /* bytes of a CPU between two calls of due(); 0: any */
	bool takes_names;	  /* ops->names exists, and is used */
	/*
	 * It takes nothing until next(), which is called when due() says so: what comes stays in
	 * the kernel's buffers, which keep the newest, and count what they overwrite.
	 */
	bool away;
	bool gaps; /* it has lost some of what it was given: found() */
};

#endif
