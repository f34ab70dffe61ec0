/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_SINK_H
#define ZED_TRACE_SINK_H

#include "trace/catalog.h"
#include "trace/source.h"

/*
 * What takes the events of a run and does nothing else (a printer, a file): run_into() calls begin
 * once, event for each, idle when a live trace has nothing, end once after the last event whatever
 * ended the run.  Stopping is a return value.
 */
enum verdict { SINK_ERR = -1, SINK_MORE, SINK_STOP };

/* What a sink may know of the run besides its events; borrowed, the same from begin to end. */
struct run_info {
	struct catalog *catalog;
	struct source *const *sources; /* in order of opening: origin.source counts them */
	unsigned nsources;
	uint64_t base; /* times are shown as so much less: the first record's, or 0 */
	/* Has S, a stream of these sources, given all its events?  Not before the first one. */
	bool (*is_over)(const struct run_info *run, const struct stream *s);
};

struct sink;

/* All but event may be NULL: then there is nothing to do. */
struct sink_ops {
	enum verdict (*begin)(struct sink *s, const struct run_info *run, struct err *e);
	enum verdict (*event)(struct sink *s, const struct event *ev, struct err *e);
	/* Losses that stand before EV, which is left out. */
	enum verdict (*lost)(struct sink *s, const struct event *ev, struct err *e);
	enum verdict (*idle)(struct sink *s, struct err *e);
	/*
	 * A source has come that was not there at begin(), and the run_info has it.  False, and
	 * NULL: this sink must have known it then, and gets nothing of it; so it is with all later.
	 */
	bool (*more)(struct sink *s);
	enum verdict (*end)(struct sink *s, struct err *e);
	void (*close)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
};

#endif
