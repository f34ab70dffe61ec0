/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_STREAM_H
#define ZED_TRACE_STREAM_H

#include "base/err.h"
#include "trace/event.h"

/* What an upstream call answers. */
enum pull {
	PULL_ERR = -1,
	PULL_EOF,
	PULL_OK,
	PULL_WAIT,  /* nothing now; more may come (live) */
	PULL_AGAIN, /* nothing wanted for a while: ask again at once (so that a stop is noticed) */
};

/* The times of a first and a last record.  None: first lies after last. */
struct period {
	uint64_t first, last;
};

#define PERIOD_NONE ((struct period){ UINT64_MAX, 0 })

static inline bool period_any(const struct period *s)
{
	return s->first <= s->last;
}

/*
 * Events of one CPU of one buffer, in its order.  next() fills ev, which stays valid until the
 * following call.  PULL_ERR: one piece of the input is damaged (E says which); the next call goes
 * on after it. A stream that cannot go on says PULL_EOF after that.
 */
struct stream;

struct stream_ops {
	enum pull (*next)(struct stream *s, struct err *e);
	void (*close)(struct stream *s); /* NULL: it owns nothing */
	/*
	 * From the next event on, give the stacks that were recorded after an event as its chain.
	 * NULL: there are none, or chains come anyway.
	 */
	void (*stacks)(struct stream *s);
	bool windows; /* knows what stream.windowed means */
};

/*
 * A stream skips the records that are not wanted by their type's demand (demand.h), unless losses
 * stand before them.  Those of early types it may give to `early` instead, under the same
 * condition, and go on.  If it is windowed, it skips by the same rule what happened before `start`
 * or after `end`, but for types that are wanted beyond.
 */
struct stream {
	const struct stream_ops *ops;
	const struct origin *from;
	struct event ev;
	uint64_t watermark;  /* after PULL_WAIT: nothing earlier can come, ns */
	uint64_t held;	     /* ... and the time of an event that it keeps back itself; 0: none */
	unsigned seq;	     /* order of opening; breaks ties of time */
	bool multiplexed;    /* gives the events of all streams of its source, each with its own
				   origin; the others say PULL_EOF */
	bool windowed;	     /* set by the pump */
	uint64_t start, end; /* ns, both inclusive */
	bool unread;	     /* set by the pump: its events are not wanted, so nothing is kept */
	/* set by the pump: takes events of early types, or NULL */
	void (*early)(void *arg, const struct event *ev);
	void *early_arg;
	uint64_t taken;			  /* how many it took */
	uint64_t seen;			  /* records read, left out ones included */
	uint64_t lost;			  /* records known to be lost */
	uint64_t lost_unknown;		  /* places where an unknown number was lost */
	uint64_t damaged;		  /* pieces of it that could not be read */
	uint64_t bytes_done, bytes_total; /* of the input, for progress */
};

static inline enum pull stream_next(struct stream *s, struct err *e)
{
	return s->ops->next(s, e);
}

#endif
