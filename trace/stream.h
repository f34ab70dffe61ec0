/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_STREAM_H
#define ZED_TRACE_STREAM_H

#include "base/err.h"
#include "trace/event.h"

/* The result of an upstream call. */
enum pull {
	PULL_ERR = -1,
	PULL_EOF,
	PULL_OK,
	PULL_WAIT,  /* nothing now; more may come (live) */
	PULL_AGAIN, /* no wanted event for a while: call again at once (to notice a stop) */
};

/* The times of a first and a last record.  None: first is later than last. */
struct period {
	uint64_t first, last;
};

#define PERIOD_NONE ((struct period){ UINT64_MAX, 0 })

static inline bool period_any(const struct period *s)
{
	return s->first <= s->last;
}

/*
 * Where a stream is before the first record of a sub-buffer, no losses preceding it: a stream of
 * the same data can continue there (stream_ops.jump).  Of the end of a stream: only what is
 * counted.
 */
struct stream_place {
	uint64_t off;	 /* bytes of the file: of the sub-buffer, or of its chunk's header */
	uint64_t chunks; /* packed: how many follow, its own included */
	uint64_t ts;	 /* no record from there on is earlier, ns */
	uint64_t number; /* of sub-buffers with records before it */
	uint64_t last;	 /* the stamp of the record before it */
	uint64_t seq, seen, lost, lost_places, lost_unknown, timeless; /* as those of a stream */
	struct trail trail;
	bool any, follows; /* is there a record before it, and is the trail unbroken? */
};

/*
 * Events of one CPU of one buffer, in its order.  next() fills ev, which stays valid until the
 * following call.  PULL_ERR: one piece of the input is damaged (E says which); the next call
 * continues after it.  A stream that cannot continue returns PULL_EOF after that.
 */
struct stream;

struct stream_ops {
	enum pull (*next)(struct stream *s, struct err *e);
	void (*close)(struct stream *s); /* NULL: it owns nothing */
	/*
	 * From the next event on, return the stacks recorded after an event as its chain.  NULL:
	 * there are none, or events have chains anyway.
	 */
	void (*stacks)(struct stream *s);
	bool windows; /* supports stream.windowed */
	/*
	 * Before the first event: begin at FROM (NULL: at the beginning), and end, with the numbers
	 * of LAST, before the first sub-buffer whose records are later than stream.end, unless
	 * losses precede it.  Both are copied, and not trusted; but a stream that is disordered
	 * would lose records.  False: it cannot begin there; it is as before.  NULL: it never can.
	 */
	bool (*jump)(struct stream *s, const struct stream_place *from,
		     const struct stream_place *last);
};

/* Lost records that no place has: how many, of them those at unknown times, places. */
struct stream_told {
	uint64_t events, timeless, unsized;
};

/*
 * A stream skips the records that their type's demand (catalog.h) does not want, unless losses
 * precede them.  It may give those of early types to `early` instead, under the same condition, and
 * continue.  If it is windowed, it skips by the same rule what happened before `start` or after
 * `end`, except for types with demand.beyond.
 */
struct stream {
	const struct stream_ops *ops;
	const struct origin *from;
	struct event ev;
	uint64_t watermark;  /* after PULL_WAIT: no earlier event can follow, ns */
	uint64_t held;	     /* ... and the time of an event that it holds back itself; 0: none */
	unsigned seq;	     /* order of opening; breaks ties of time */
	bool multiplexed;    /* delivers the events of all streams of its source, each with its
				   own origin; the others return PULL_EOF */
	bool windowed;	     /* set by the pump */
	uint64_t start, end; /* ns, both inclusive */
	bool may_skip;	     /* set by the pump: what happened before `start` or after `end` need
				not be read, unless losses precede it */
	uint64_t skipped;    /* bytes that were not read for that, and whose
				records are not counted */
	bool unread;	     /* set by the pump: its events are not needed, so none are kept */
	bool aside;	     /* set by the merge: others do not wait for it (merge_set_aside) */
	/* Set before the first event, or NULL: called at each place, before its first record. */
	void (*place)(void *arg, const struct stream *s, const struct stream_place *at);
	void *place_arg;
	bool disordered; /* so far, if `place` is set: a record is earlier than one before
				it, or than a sub-buffer's stamp before it */
	/* set by the pump: takes events of early types, or NULL */
	void (*early)(void *arg, const struct event *ev);
	void *early_arg;
	uint64_t taken;	       /* how many events it took */
	uint64_t seen;	       /* records read, including skipped ones */
	uint64_t lost;	       /* records lost, where their number is known: of events so far */
	uint64_t lost_places;  /* places where records were lost ... */
	uint64_t lost_unknown; /* ... and where their number is unknown */
	uint64_t timeless;     /* records lost at unknown times, beside these: at the end */
	/*
	 * Live: records lost so far according to its recorder's statistics, 0 if not known; and
	 * those of which all places are in what it has delivered (trace/loss.h).
	 */
	uint64_t counted, settled;
	struct stream_told told;	  /* of these, what losses_next_rest() told */
	uint64_t damaged;		  /* pieces of it that could not be read */
	uint64_t bytes_done, bytes_total; /* of the input, for progress */
};

static inline enum pull stream_next(struct stream *s, struct err *e)
{
	return s->ops->next(s, e);
}

#endif
