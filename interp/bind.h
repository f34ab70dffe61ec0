/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BIND_H
#define ZED_BIND_H

#include "perl_inc.h"
#include "args.h"
#include "catalog.h"

/*
 * Which sub gets which event.  The GV is kept, not the CV, so that a sub may be redefined while
 * the run lasts.  An event type may have several bindings (names that collide are different
 * types, each with a binding to the same GV).
 */
struct binding {
	GV *gv;			/* holds a reference */
	const struct etype *type;
	struct arg_plan *plan;	/* made when the first event of the type is met */
	bool with_name;		/* trace_unhandled: the event's name stands first */
	struct binding *next;	/* of the same event */
};

/* A system of the trace, with the package of that name as it was when last looked at. */
struct bind_system {
	const char *raw;	/* as the trace has it */
	char *name;		/* as a Perl package */
	HV *stash;		/* NULL: the script has no such package */
	U32 gen;		/* its generation: changes with each sub that it gains or loses */
};

struct bind {
	struct catalog *catalog;
	struct notes *notes;
	struct binding **bound;		/* by type idx; NULL: nobody has asked for it */
	unsigned nbound;
	struct bind_system *systems;
	unsigned nsystems;
	GV *unhandled, *lost;		/* main::trace_unhandled, main::trace_lost if defined */
	uint8_t *want;			/* by type idx: some sub wants it */
	bool warned;
};

/*
 * "sched::sched_switch" for T, every byte that cannot be in a Perl name made '_', "_9p::..." for
 * a digit. Returns the length it needs, as snprintf does; *SYSTEM gets that of the package alone.
 */
size_t bind_name(const struct etype *t, char *buf, size_t size, size_t *system);

/* Can GV be called: has it a sub with a body, or a declared one in a package with AUTOLOAD? */
bool bind_callable(pTHX_ GV *gv);

/* main::NAME if the script defines it, else NULL. */
GV *bind_main(pTHX_ const char *name);

void bind_init(struct bind *b, struct catalog *c, struct notes *n);

/*
 * Look the script's subs up and bind those that are new.  True if anything changed (then b->want
 * is new). Cheap when nothing was defined since the last time.
 */
bool bind_update(pTHX_ struct bind *b);

/* The bindings of a type that appeared after bind_update(). */
void bind_grow(pTHX_ struct bind *b, const struct etype *t);

/* Say of each sub in a package named like a system of the trace that it is no event; collisions. */
void bind_warn(pTHX_ struct bind *b);

void bind_fini(pTHX_ struct bind *b);

#endif
