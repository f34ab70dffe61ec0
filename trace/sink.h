/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_SINK_H
#define ZED_TRACE_SINK_H

#include "trace/catalog.h"
#include "trace/source.h"

/*
 * A consumer of a run's events (a printer, a file): run_into() calls begin once, event for each,
 * idle when a live trace has nothing, and end once after the last event, however the run ended.  A
 * return value stops the run.
 */
enum verdict { SINK_ERR = -1, SINK_MORE, SINK_STOP };

/* What a sink may know about the run besides its events; borrowed, unchanged from begin to end. */
struct run_info {
	struct catalog *catalog;
	struct source *const *sources; /* in order of opening: origin.source counts them */
	unsigned nsources;
	uint64_t base; /* subtracted from displayed times: the first record's time, or 0 */
	/*
	 * Has S, a stream of these sources, delivered all its events?  Only after the first event.
	 */
	bool (*is_over)(const struct run_info *run, const struct stream *s);
};

struct sink;

/* All but event may be NULL: nothing to do. */
struct sink_ops {
	enum verdict (*begin)(struct sink *s, const struct run_info *run, struct err *e);
	enum verdict (*event)(struct sink *s, const struct event *ev, struct err *e);
	/* Losses before EV, which is skipped. */
	enum verdict (*lost)(struct sink *s, const struct event *ev, struct err *e);
	/* The same of losses that do not count, as EV is not in the chosen time.  May be NULL. */
	void (*lost_beyond)(struct sink *s, const struct event *ev);
	enum verdict (*idle)(struct sink *s, struct err *e);
	/*
	 * A source was added after begin(); the run_info has it.  False, or NULL: this sink cannot
	 * take sources after begin(), and gets no events of this one or later ones.
	 */
	bool (*more)(struct sink *s);
	enum verdict (*end)(struct sink *s, struct err *e);
	void (*close)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
};

#endif
