/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_DELIVER_H
#define ZED_INTERP_PYTHON_DELIVER_H

#include "interp/python/base/python_inc.h"
#include "interp/common/beyond.h"
#include "interp/python/py_interval.h"
#include "interp/python/base/py_timers.h"
#include "run/pump.h"
#include "run/stage.h"

struct pyrun;
struct py_binding;

/*
 * trace.run(): the events of a run, given to its handlers; losses, intervals, timers.
 */

/* Something to look at between two calls: py_delivery.attention. */
#define PY_STOP 1u     /* the run ends */
#define PY_HANDLERS 2u /* on() or off() was called */
#define PY_LOSSES 4u   /* losses without a place are to be told */
#define PY_FORKED 8u   /* this process is a child that the script made by fork */

enum py_phase { PY_PHASE_LOAD, PY_PHASE_BEGIN, PY_PHASE_EVENTS, PY_PHASE_END, PY_PHASE_OVER };

/* Where a run is, and how it ends. */
struct py_delivery {
	enum py_phase phase;
	unsigned attention;
	const struct event *ev; /* the current event as the function sees it; NULL outside of one */
	const struct py_binding *calling; /* the last call made for it */
	const char *sub; /* the function of the script that is called outside of events, or NULL */
	enum run_end end;
	int status;	 /* of sys.exit() or of an exception that was reported; -1: none */
	int signal;	 /* SIGPIPE: standard output was closed; SIGINT: KeyboardInterrupt; or 0 */
	bool reports;	 /* exceptions are printed, and not raised in run() */
	bool stop, died; /* ended by stop(); by an exception */
	uint64_t deaths; /* handlers that raised and were passed over (--keep-going) */
	struct py_timers timers;
	struct interval interval;
	struct beyond beyond;
	struct poll_hook hook; /* live: looks for losses without a place */
};

/*
 * Threads of the script may ask for something while the reader waits for events, without the GIL,
 * and has something to ask for, too.
 */
static inline void deliver_attend(struct py_delivery *d, unsigned what)
{
	__atomic_fetch_or(&d->attention, what, __ATOMIC_RELAXED);
}

static inline void deliver_attended(struct py_delivery *d, unsigned what)
{
	__atomic_fetch_and(&d->attention, ~what, __ATOMIC_RELAXED);
}

void deliver_init(struct py_delivery *d);
void deliver_fini(struct py_delivery *d);
int deliver_traverse(struct py_delivery *d, visitproc visit, void *arg);

/*
 * trace.run(): trace_begin, the events, trace_end; the functions of that name are those of the
 * program's script.  An exception ends the run, after which trace_end still runs; sys.exit() ends
 * it without.  0; -1: an exception is set; never if d.reports, as it was printed when it occurred.
 * How the run has ended is in R->handlers->d.
 */
int deliver_run(struct pyrun *r);

/*
 * The program's script has read the trace itself, by iteration or run(): what is left of its end,
 * with exceptions printed.
 */
void deliver_end(struct pyrun *r);

/*
 * Deal with the exception that is set, which nothing of the script has caught: print it, unless it
 * is sys.exit() or a closed standard output; D's status, signal and died say what it asks for.
 */
void deliver_report(struct pyrun *r);

/* Print the exception that is set, as Python does, and where it happened; clears it. */
void deliver_print(struct pyrun *r);

/* Has the reader of our standard output exited? */
bool deliver_is_unread(void);

#endif
