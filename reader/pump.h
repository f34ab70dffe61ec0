/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PUMP_H
#define ZED_READER_PUMP_H

#include "reader/filter/filter.h"
#include "reader/merge.h"
#include "reader/model/naming.h"
#include "reader/model/sink.h"
#include "reader/model/source.h"

/*
 * The one loop: pull from merge, filter, push into the sink.  Policy about damage lives here: a bad
 * piece costs that piece, is counted, and the first one of each stream is reported; strict stops at
 * the first.
 */
struct pump_stats {
	uint64_t records;	     /* read, left-out ones included */
	uint64_t passed;	     /* given to the sink, in order */
	uint64_t early;		     /* given to it without */
	uint64_t lost, lost_unknown; /* known number; places with an unknown one */
	uint64_t damaged;	     /* pieces skipped */
	uint64_t late;		     /* events earlier than one before */
	uint64_t bytes_done, bytes_total;
	uint64_t first_ts, last_ts; /* of records given to the sink; first_ts UINT64_MAX: none */
};

struct pump_opts {
	bool strict;
	struct source_opts source; /* of every input */
	bool force_merge;	   /* merge inputs of different clocks all the same */
	volatile const int *stop;  /* set by a signal handler: end after this event ... */
	bool halt_first;	   /* ... or, once, after pump_halt(), where that can be done */
	volatile unsigned *beat;   /* counted up with each event once *stop is set; or NULL */
	/* Called about every 64 Ki records and once at the end; may be NULL. */
	void (*progress)(void *arg, const struct pump_stats *st);
	void *progress_arg;
};

struct pump {
	struct run_info run; /* what sinks are given; must be first */
	struct catalog *catalog;
	struct source **sources;
	unsigned nsources;
	struct filter *filter;
	struct merge *merge;
	struct naming *naming;
	struct pump_stats stats;
	struct pump_opts opts;
	struct pollfd *fds; /* what is waited for (live) */
	size_t cap_fds;
	struct period **periods; /* by source and stream: period.h; NULL: not asked for */
	bool relative;		 /* run.base is still to come: the time of the first event */
	bool started, halted;
	bool filtered; /* the filter, or pump.c, may reject something */
};

/* Start with nothing open.  O is copied. */
void pump_init(struct pump *p, const struct pump_opts *o);
void pump_fini(struct pump *p);

/*
 * Open one more input.  -1 with E if it cannot be opened at all, or if its clock is another than
 * that of the inputs before (without force_merge).
 */
int pump_open(struct pump *p, const char *path, struct err *e);

/* Take over an open source (live).  As pump_open(); S is closed on failure. */
int pump_add(struct pump *p, struct source *s, struct err *e);

/*
 * Ask for an orderly end: if every source that is not at its end is live, stop them
 * (source_ops.stop) and return true.  The run goes on until they are empty, and ends in RUN_DONE.
 * False: nothing was done (files, or stopped before).
 */
bool pump_halt(struct pump *p);

/* Run: begin, all events, end.  end is called whatever ended the run, once. */
enum run_end pump_run(struct pump *p, struct sink *s, struct err *e);

/*
 * The part of the run between begin and end, for a sink that has to be re-entered (Perl's die):
 * may be called again after it was left by a longjmp or an error, and goes on behind the event
 * that the sink was given last.
 */
enum run_end pump_events(struct pump *p, struct sink *s, struct err *e);

#endif
