/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_STAGE_H
#define ZED_RUN_STAGE_H

#include "base/err.h"
#include "trace/event.h"
#include "trace/source.h"

/*
 * Where events come from: who wants them asks for the next one, again and again.  The first stage
 * is the run itself (pump.h); others ask the one before them, and change what they get.  What is
 * done with an item is over when the next one is asked for, so a consumer may leave what it does
 * half-way (Perl's die), and ask again.
 */
enum next {
	NEXT_FAILED = -1, /* E says why: the end */
	NEXT_EVENT,
	/*
	 * Losses that stand before EV, which is left out itself: they happened in the part of the
	 * trace that the run is about.
	 */
	NEXT_LOST,
	/*
	 * The choice of times, CPUs and tasks leaves EV out.  FOLLOW: its type is wanted beyond
	 * that (WANT_BEYOND), and there may be losses before it; COUNTS: these happened in the
	 * part that the run is about.  Else only the losses matter, to what follows states.
	 */
	NEXT_BEYOND,
	NEXT_DUE,    /* a time has come that the consumer waits for, with EV: that comes next */
	NEXT_IDLE,   /* nothing is there yet (live): the next call waits for it */
	NEXT_SIGNAL, /* pump_opts.asks: a signal wants to be looked at, before the next call */
	NEXT_SOURCE, /* a source has come, whose events come from the next call on; pump_refuse() */
	NEXT_END,    /* as END says */
};

/* How a run came to its end. */
enum run_end {
	RUN_FAILED = -1, /* E says why: the consumer failed, or strict met damage */
	RUN_DONE,	 /* every input was read to its end */
	RUN_STOPPED,	 /* the consumer, or a stage, wants no more */
	RUN_SIGNALLED,	 /* a signal asked for the end */
};

/* What came.  EV is borrowed until the next call. */
struct item {
	const struct event *ev;
	bool follow, counts; /* of NEXT_BEYOND alone */
	enum run_end end;    /* of NEXT_END alone */
};

struct stage {
	/* After NEXT_FAILED and NEXT_END there is no next one. */
	enum next (*next)(struct stage *s, struct item *it, struct err *e);
	/*
	 * The next that is made of the same record as the last item (what it raised), as next()
	 * would give it.  False: that was all; no new record is asked for.  NULL: it always was.
	 */
	bool (*rest)(struct stage *s, struct item *it, enum next *got);
	/*
	 * After the last call of next(), whatever it was: the consumer has done with that item, and
	 * wants no more.
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
