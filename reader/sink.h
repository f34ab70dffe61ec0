/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_H
#define ZED_SINK_H

#include "err.h"
#include "event.h"

/*
 * Where events go.  pump calls begin once, event for each that passed the filter, idle when a live
 * trace has nothing, end once after the last event whatever ended the run.  Stopping is a return
 * value.
 */
enum verdict { SINK_ERR = -1, SINK_MORE, SINK_STOP };

struct sink;

struct sink_ops {
	enum verdict (*begin)(struct sink *s, struct err *e);
	enum verdict (*event)(struct sink *s, const struct event *ev, struct err *e);
	/*
	 * Losses that stand before an event which the filter rejects: called in place of event(),
	 * with the event they precede.  May be NULL.
	 */
	enum verdict (*lost)(struct sink *s, const struct event *ev, struct err *e);
	enum verdict (*idle)(struct sink *s, struct err *e);	/* may be NULL */
	enum verdict (*end)(struct sink *s, struct err *e);
	void (*close)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
};

#endif
