/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PYRUN_H
#define ZED_INTERP_PYTHON_PYRUN_H

#include "interp/python/py_type.h"
#include "interp/python/values.h"
#include "interp/common/host.h"

struct py_handlers;  /* handlers.h */
struct py_answers;   /* py_answers.h */
struct py_functions; /* py_functions.h */
struct stable_map;
struct opened;

/* Stable maps that handlers have used: pyrun_retire(). */
struct py_maps {
	struct stable_map **v;
	size_t n, cap;
};

/*
 * A run over inputs, as Python sees it: the program's (host), or one that zed.open() has made
 * (opened).  A Trace has one reference, and so has each Event that somebody holds: types and their
 * names live as long.
 */
struct pyrun {
	unsigned refs;
	struct pump *pump;
	const struct host_opts *host; /* the program's; NULL: zed.open()'s */
	struct opened *opened;	      /* NULL: the program's */
	struct stage *from;	      /* what gives the events; NULL: not started */
	const struct stable *stable;
	struct synthetic *synthetic;
	struct notes *notes;
	struct py_values values;

	/* What came last; ev is item.ev, also after NEXT_LOST and NEXT_BEYOND, else NULL. */
	struct item item;
	enum next got;
	const struct event *ev;
	bool busy;		/* in pyrun_next() ... */
	bool apart;		/* ... without the GIL: nothing of the pump may be touched */
	struct err err;		/* of NEXT_FAILED that was the end: why the reading failed */
	volatile int signalled; /* zed.open()'s: an exception of a signal's handler is set */
	bool over;		/* NEXT_END or NEXT_FAILED was given: there is nothing more */
	unsigned until;		/* events before signals are looked at again */

	struct losses lost;	   /* at places, so far; pyrun_losses() has all */
	struct losses lost_before; /* what pyrun_losses() has while apart */
	bool lost_seen; /* the script has looked at them, or they were printed with an answer */
	struct py_types types;
	PyObject *event;    /* the Event of ev, owned; NULL: not asked for (event_object.h) */
	PyObject *spare[2]; /* Events to be used again, owned, or NULL */

	struct py_handlers *handlers;	/* owned by handlers.c; NULL: none */
	struct py_answers *answers;	/* owned by py_answers.c; NULL: none */
	struct py_functions *functions; /* owned by py_functions.c; NULL: none */
	const void *wanted_by; /* the batches for which other events are skipped; NULL: none */
	bool delivers;	       /* trace.run() reads it, and gives events to the answers itself */
	struct py_maps maps;
};

/* The program's run; O is borrowed as long as it lasts.  One reference. */
struct pyrun *pyrun_new(const struct host_opts *o);

/* The run over what zed.open() has opened; takes O over. */
struct pyrun *pyrun_opened(struct opened *o);

void pyrun_hold(struct pyrun *r);
/* The last one frees it, and what zed.open() has opened. */
void pyrun_drop(struct pyrun *r);

/*
 * The Trace is closed: its handlers, answers and unheld Events go; what somebody holds keeps the
 * rest.
 */
void pyrun_release(struct pyrun *r);

/* Give what was said about the inputs as Python's warnings.  -1: one of them is an error. */
int pyrun_tell(struct pyrun *r);

/*
 * Before the run: only some types are needed (one WANT_... per idx; NULL: all).  May be called
 * again while it runs.
 */
void pyrun_want(struct pyrun *r, const uint8_t *want);

/* Start, unless that was done: -1 with an exception. */
int pyrun_start(struct pyrun *r);

/*
 * The next item, into got, item, ev; starts if need be.  Events are given to the answers
 * (answers_take()).  Events that Python holds get their own copy of the record before it goes.
 *
 * NEXT_FAILED: an exception is set.  If r->over is not, it was one of a signal (KeyboardInterrupt),
 * or a warning that is an error: the run may be continued.  After the end: NEXT_END again.
 * The GIL is let go while it waits for live events.  Signals of Python are looked at every few
 * thousand events, and after a wait.
 */
enum next pyrun_next(struct pyrun *r);

/*
 * As pyrun_next() again and again, while it has events, TAKE is true for them, and signals need not
 * be looked at: then it is called again.  PYTHON: TAKE uses Python; else the GIL is let go.
 */
enum next pyrun_sweep(struct pyrun *r, bool (*take)(void *arg, const struct event *ev), void *arg,
		      bool python);

/*
 * After a signal or a stop: the next event made of the record of the last item, as pyrun_next()
 * would give it.  False: none; no new record is asked for.
 */
bool pyrun_rest(struct pyrun *r);

/* The consumer needs no more: after the last pyrun_next(), whatever it returned. */
void pyrun_leave(struct pyrun *r);

/*
 * M was used for handlers, and no longer is: its type lives as long as Events of it may.  Takes it
 * over.
 */
void pyrun_retire(struct pyrun *r, struct stable_map *m);

/* From the next event on, stacks recorded after an event come as its call chain. */
void pyrun_stacks(struct pyrun *r);

/* All losses known by now, into L; while another thread waits for events, those known before. */
void pyrun_losses(const struct pyrun *r, struct losses *l);

/* The time of EV as Python sees it. */
static inline uint64_t pyrun_ts(const struct pyrun *r, const struct event *ev)
{
	return ev->ts - r->values.base;
}

#endif
