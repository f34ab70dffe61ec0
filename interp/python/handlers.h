/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_HANDLERS_H
#define ZED_INTERP_PYTHON_HANDLERS_H

#include "interp/python/base/python_inc.h"
#include "interp/python/deliver.h"
#include "interp/python/py_call.h"
#include "interp/python/base/script_functions.h"
#include "expr/test.h"
#include "interp/common/named.h"
#include "stable/map.h"

struct py_convention; /* py_convention.h */

/*
 * Which functions get which event.  The bindings of a type are in the order of their calls: the
 * script's function of its name, those of stable events made from it, handlers of trace.on() in the
 * order of their registration; trace_unhandled if there are none of these; in perf's convention
 * process_event, in any case.
 */
enum py_kind { PY_FUNCTION, PY_STABLE, PY_NAMED, PY_UNHANDLED, PY_PROCESS };

/* A handler of trace.on(). */
struct py_handler {
	struct named *named; /* its events, names and filter */
	PyObject *function;  /* owned */
};

struct py_binding {
	enum py_kind kind;
	PyObject *function;		   /* owned */
	struct py_handler *handler;	   /* PY_NAMED: borrowed; else NULL */
	const struct stable_event *stable; /* the stable event made before the call, or NULL */
	struct stable_map *map;
	struct expr_test *where;  /* the filter before the call, or NULL */
	const struct etype *type; /* as the function sees it: a stable event's, or the raw one */
	struct py_call *call;	  /* made when the first event of the type is met */
	struct py_binding *next;  /* the next of the same event */
};

/* A function of the script named like a stable event. */
struct py_stable_function {
	const struct stable_event *event;
	PyObject *function; /* owned */
};

/* What a run has for each event type, and where trace.run() is. */
struct py_handlers {
	struct py_binding **bound; /* by type idx; NULL: nothing is called */
	unsigned nbound;
	uint8_t *want; /* by type idx: enum wanted */
	struct py_handler **on;
	size_t n, cap;
	uint64_t *told; /* named_key() of those that were checked */
	size_t ntold, cap_told;
	struct expr_names names;	/* of the filters */
	struct script_functions script; /* of the program's trace only */
	struct py_stable_function *stable;
	size_t nstable, cap_stable;
	/* One that the script may be written for, or NULL; OTHER: it is. */
	const struct py_convention *convention;
	bool other;
	/* Functions of the script, found by handlers_start(): owned, or NULL. */
	PyObject *unhandled, *lost, *interval, *process;
	bool follows;  /* one of ON gets events that the choice leaves out */
	bool stacks;   /* streams look for them: pyrun_stacks() */
	bool said;     /* of a function that may not run */
	bool uncalled; /* handlers_hint_uncalled() has looked */
	struct py_delivery d;
};

extern const struct named_words PY_WORDS;

/* R's, made when it is first asked for.  Never NULL. */
struct py_handlers *handlers_of(struct pyrun *r);

/*
 * With R.  Functions usually lead back to the Trace, whose tp_traverse and tp_clear are to call
 * these; bindings, which hold more references to them, are there only while it runs.
 */
void handlers_free(struct pyrun *r);
int handlers_traverse(struct pyrun *r, visitproc visit, void *arg);

/*
 * Before the first event of trace.run(): finds the script's functions, and binds all types.  -1: an
 * exception is set.
 */
int handlers_start(struct pyrun *r);

/* After the last event: the bindings go. */
void handlers_end(struct pyrun *r);

/* Between two events, after on() or off(): bind the types concerned again.  -1: exception. */
int handlers_update(struct pyrun *r);

/* T appeared during the run: its bindings.  -1: an exception is set. */
int handlers_grow(struct pyrun *r, const struct etype *t);

/* Report which types are needed; again whenever that changes. */
void handlers_want(struct pyrun *r);

/* Does an event, a loss or an interval call anything of Python? */
bool handlers_call(struct pyrun *r);

/* py_hints.c: report functions of the script whose names look like those of events, or ours. */
void handlers_hint(struct pyrun *r);

/*
 * py_hints.c: the script begins to read events itself: report handlers, once, which are called by
 * run() only.
 */
void handlers_hint_uncalled(struct pyrun *r);

/* py_stack_use.c: could the code of handlers ask for stacks?  (Not if it makes up names.) */
bool handlers_ask_stack(struct pyrun *r);

/* ---- py_bindings.c: the bindings of one type ---- */

/*
 * Bind T to its current functions and handlers; what was bound and still fits is kept.  True if
 * anything is new.  May run destructors, so not while a binding is still to be called.
 */
bool py_bind(struct pyrun *r, const struct etype *t);
void py_bindings_free(struct pyrun *r, struct py_binding *b);

/* Make B's call, for the first event of its type.  -1: an exception is set. */
int py_binding_plan(struct pyrun *r, struct py_binding *b);
PyObject *py_binding_call_stable(struct pyrun *r, struct py_binding *b, const struct event *ev);

/* One call, of an event as B's function sees it.  0; -1: an exception is set. */
static inline int py_binding_call(struct pyrun *r, struct py_handlers *h, struct py_binding *b,
				  const struct event *ev)
{
	PyObject *result;

	h->d.calling = b;
	h->d.ev = ev;
	if (__builtin_expect(!b->call, 0) && py_binding_plan(r, b) < 0)
		return -1;
	result = __builtin_expect(!b->map, 1) ? b->call->make(b->call, r, ev) :
						py_binding_call_stable(r, b, ev);
	if (__builtin_expect(!result, 0))
		return -1;
	Py_DECREF(result);
	return 0;
}

/* The event as B's function sees it; NULL: it does not get this one. */
static inline const struct event *py_binding_event(struct py_binding *b, const struct event *ev)
{
	if (b->map) {
		ev = stable_map_event(b->map, ev);
		if (!ev)
			return NULL;
	}
	return !b->where || expr_test_pass(b->where, ev) ? ev : NULL;
}

#endif
