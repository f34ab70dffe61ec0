/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_MODEL_SINK_H
#define ZED_READER_MODEL_SINK_H

#include "reader/model/catalog.h"
#include "reader/model/source.h"

/*
 * Where events go.  pump calls begin once, event for each that passed the filter, idle when a live
 * trace has nothing, end once after the last event whatever ended the run.  Stopping is a return
 * value.
 */
enum verdict { SINK_ERR = -1, SINK_MORE, SINK_STOP };

/* How a run, or the part of it between begin and end, came to its end. */
enum run_end {
	RUN_FAILED = -1, /* E says why: the sink failed, or strict met damage */
	RUN_DONE,	 /* every input was read to its end */
	RUN_STOPPED,	 /* the sink said so */
	RUN_SIGNALLED,	 /* a signal asked for the end */
};

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

/* begin, lost, beyond, early, idle and end may be NULL: then there is nothing to do. */
struct sink_ops {
	enum verdict (*begin)(struct sink *s, const struct run_info *run, struct err *e);
	enum verdict (*event)(struct sink *s, const struct event *ev, struct err *e);
	/*
	 * Losses that stand before an event which the filter rejects: called in place of event(),
	 * with the event they precede.
	 */
	enum verdict (*lost)(struct sink *s, const struct event *ev, struct err *e);
	/*
	 * An event that the choice of times, CPUs and tasks leaves out.  FOLLOW: its type is wanted
	 * beyond that (WANT_BEYOND).  Else only the loss before it matters, which happened outside
	 * of the part of the trace that the run is about (pump_part()) if !COUNTS; there may be one
	 * with FOLLOW as well, and it is given to lost() only where there is no beyond().
	 */
	enum verdict (*beyond)(struct sink *s, const struct event *ev, bool follow, bool counts,
			       struct err *e);
	/*
	 * Take EV, of a type that is marked early (etype), as soon as a stream has read it: those
	 * of one CPU are in order, those of several are not.  Never one with losses before it, nor
	 * where the run has a filter.
	 */
	void (*early)(struct sink *s, const struct event *ev);
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
