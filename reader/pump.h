/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PUMP_H
#define ZED_PUMP_H

#include "filter.h"
#include "merge.h"
#include "sink.h"
#include "source.h"

/*
 * The one loop: pull from merge, filter, push into the sink.  Policy about damage lives here: a bad
 * piece costs that piece, is counted, and the first one of each stream is said; strict stops at the
 * first.
 */
struct pump_stats {
	uint64_t records;	/* read, left-out ones included */
	uint64_t passed;	/* given to the sink */
	uint64_t lost, lost_unknown;	/* known number; places with an unknown one */
	uint64_t damaged;	/* pieces skipped */
	uint64_t late;		/* events earlier than one before */
	uint64_t bytes_done, bytes_total;
	uint64_t first_ts, last_ts; /* of records given to the sink; first_ts UINT64_MAX: none */
};

struct pump_opts {
	struct notes *notes;
	bool strict;
	bool raw_ts;
	bool wall;		/* LTT: wall-clock times */
	bool force_merge;	/* merge inputs of different clocks all the same */
	const char *meta;
	uint64_t slack;		/* live: source_opts.slack, ns */
	volatile const int *stop;	/* set by a signal handler: end after this event ... */
	bool gentle;		/* ... or, once, after pump_halt(), where that can be done */
	/* Called about every 64 Ki records and once at the end; may be NULL. */
	void (*progress)(void *arg, const struct pump_stats *st);
	void *progress_arg;
};

struct pump {
	struct catalog *catalog;
	struct source **sources;
	unsigned nsources;
	struct filter *filter;
	struct merge *merge;
	struct pump_stats stats;
	struct pump_opts opts;
	bool started, halted;
	bool filtered;		/* the filter, or pump.c, may reject something */
};

/* Start with nothing open.  O is copied. */
void pump_init(struct pump *p, const struct pump_opts *o);
void pump_fini(struct pump *p);

/*
 * Open one more input.  -1 with E if it cannot be opened at all, or if its clock is another than
 * that of the inputs before (without force_merge).
 */
int pump_open(struct pump *p, const char *path, struct err *e);

/* What the options mean for a source. */
struct source_opts pump_source_opts(const struct pump *p);

/* Take over an open source (live).  As pump_open(); S is closed on failure. */
int pump_add(struct pump *p, struct source *s, struct err *e);

/*
 * A wish to end well: if every source that is not at its end is live, stop them (source_ops.stop)
 * and return true: the run goes on until they are empty, and ends in PUMP_DONE.  False: nothing
 * was done (files, or stopped before).
 */
bool pump_halt(struct pump *p);

/*
 * Tell which types the sink has use for: WANT has one byte per etype idx for the first
 * catalog_count() types and is copied (NULL: all).  Types that come later are wanted.  May be
 * called at any time; counts and losses are not affected by it.
 */
void pump_want(struct pump *p, const uint8_t *want);

enum pump_end {
	PUMP_FAILED = -1,	/* E says why: the sink failed, or strict met damage */
	PUMP_DONE,		/* every input was read to its end */
	PUMP_STOPPED,		/* the sink said so */
	PUMP_SIGNALLED,		/* opts.stop was set */
};

/* Run: begin, all events, end.  end is called whatever ended the run, once. */
enum pump_end pump_run(struct pump *p, struct sink *s, struct err *e);

/*
 * The part of the run between begin and end, for a sink that has to be re-entered (Perl's die):
 * may be called again after it was left by a longjmp or an error, and goes on behind the event
 * that the sink was given last.
 */
enum pump_end pump_events(struct pump *p, struct sink *s, struct err *e);

#endif
