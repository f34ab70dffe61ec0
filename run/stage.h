/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_STAGE_H
#define ZED_RUN_STAGE_H

#include "base/err.h"
#include "trace/event.h"
#include "trace/source.h"

/*
 * Where events come from: a consumer asks for the next one, again and again.  The first stage is
 * the run itself (pump.h); others ask the one before them, and change what they get.  An item is
 * done with when the next one is asked for, so a consumer may abandon its work half-way (Perl's
 * die), and ask again.
 */
enum next {
	NEXT_FAILED = -1, /* failed, E says why: the end */
	NEXT_EVENT,
	/*
	 * Losses before EV, which itself is left out: they happened in the part of the trace that
	 * the run is about.
	 */
	NEXT_LOST,
	/*
	 * The choice of times, CPUs and tasks leaves EV out.  FOLLOW: its type is needed beyond
	 * that (WANT_BEYOND), and there may be losses before it; COUNTS: these happened in the part
	 * that the run is about.  Otherwise only the losses matter, to whatever follows states.
	 */
	NEXT_BEYOND,
	NEXT_DUE,    /* EV has reached a time that the consumer waits for: EV comes next */
	NEXT_IDLE,   /* nothing is there yet (live): the next call waits for it */
	NEXT_SIGNAL, /* pump_opts.asks: handle a signal before the next call */
	NEXT_SOURCE, /* a source has come, whose events come from the next call on; pump_refuse() */
	NEXT_END,    /* as END says */
};

/* How a run came to its end. */
enum run_end {
	RUN_FAILED = -1, /* E says why: the consumer failed, or strict found damage */
	RUN_DONE,	 /* every input was read to its end */
	RUN_STOPPED,	 /* the consumer, or a stage, needs no more */
	RUN_SIGNALLED,	 /* a signal asked for the end */
};

/* What came.  EV is borrowed until the next call. */
struct item {
	const struct event *ev;
	bool follow, counts; /* only for NEXT_BEYOND */
	enum run_end end;    /* only for NEXT_END */
};

struct stage {
	/* After NEXT_FAILED and NEXT_END there is no next one. */
	enum next (*next)(struct stage *s, struct item *it, struct err *e);
	/*
	 * The next event made from the record of the last item (what it raised), as next() would
	 * give it.  False: there are no more; no new record is asked for.  NULL: there never are
	 * any.
	 */
	bool (*rest)(struct stage *s, struct item *it, enum next *got);
	/*
	 * After the last call of next(), whatever it returned: the consumer is done with that item,
	 * and needs no more.
	 */
	void (*leave)(struct stage *s);
};

static inline enum next stage_next(struct stage *s, struct item *it, struct err *e)
{
	return s->next(s, it, e);
}

static inline bool stage_rest(struct stage *s, struct item *it, enum next *got)
{
	return s->rest && s->rest(s, it, got);
}

static inline void stage_leave(struct stage *s)
{
	s->leave(s);
}

#endif
