/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_BIND_H
#define ZED_INTERP_BIND_BIND_H

#include "interp/perl/perl_inc.h"
#include "interp/bind/args.h"
#include "interp/bind/handler_subs.h"
#include "interp/bind/named.h"
#include "interp/bind/perl_name.h"
#include "expr/test.h"
#include "trace/catalog.h"
#include "stable/map.h"

/*
 * Which subs get which event.  Of a sub with a name the GV is kept, not the CV, so that it may be
 * redefined while the run lasts.  An event type's bindings stand in the order of their calls: the
 * sub named after it, subs of stable events that are made of it, handlers of Zed::on in the order
 * of their registration; trace_unhandled where there is none of these; in perf's
 * convention process_event, whatever there is of these.  Aggregations (BIND_MEASURE)
 * call nothing: they have a list of their own, and take the event before all others.
 */
enum bind_kind { BIND_SUB, BIND_STABLE, BIND_NAMED, BIND_UNHANDLED, BIND_PROCESS, BIND_MEASURE };

struct binding {
	enum bind_kind kind;
	GV *gv;			 /* holds a reference; NULL for BIND_NAMED, BIND_MEASURE */
	struct named *named;	 /* BIND_NAMED: whose code is called; BIND_MEASURE */
	struct measure *measure; /* BIND_MEASURE */
	const struct stable_event *stable; /* what it is made into before the call, or NULL */
	struct stable_map *map;
	struct expr_test *where;  /* what the event has to pass before the call, or NULL */
	const struct etype *type; /* what the sub sees: the stable event's, or the raw one */
	struct takes *takes;	  /* the fields that the script wants, or NULL: all */
	struct arg_plan *plan;	  /* made when the first event of the type is met */
	/* perf's convention: what the plan was made for (bind_plan). */
	const void *root;
	unsigned subs;
	bool fit_said;
	struct binding *next; /* of the same event */
};

/* Zed::takes: the fields that a sub was written for. */
struct takes {
	char *sub; /* "sched::sched_wakeup" */
	struct arg_names fields;
	bool said;
	bool old; /* a newer list has replaced it; its bindings are about to go */
};

/* A system of the trace, with the package of that name as it was when last looked at. */
struct bind_system {
	const char *raw; /* as the trace has it */
	char *name;	 /* as a Perl package */
	HV *stash;	 /* NULL: the script has no such package, or it may not handle */
	U32 gen;	 /* its generation: changes with each sub that it gains or loses */
	bool of_stable;	 /* stable events have this system */
	bool handles;	 /* a package of that name may have handlers */
	bool autoload;	 /* and its AUTOLOAD is one */
};

/* A sub of the script that is named like a stable event. */
struct stable_sub {
	const struct stable_event *event;
	GV *gv;
};

struct bind {
	struct catalog *catalog;
	const struct stable *stable;
	struct notes *notes;
	struct expr_names names;  /* of where */
	struct handlers handlers; /* which subs an event may call at all */
	struct binding **bound;	  /* by type idx; NULL: not asked for */
	struct binding **fed;	  /* by type idx: the aggregations */
	unsigned nbound;
	struct bind_system *systems;
	unsigned nsystems;
	struct stable_sub *stable_subs;
	size_t nstable_subs, cap_stable_subs;
	struct named **named; /* Zed::on, in order of registration */
	size_t nnamed, cap_named;
	struct takes **takes;
	size_t ntakes, cap_takes;
	uint64_t *told; /* named_key() of those that were looked at */
	size_t ntold, cap_told;
	unsigned last_id; /* of a named handler */
	/* Since the last bind_update(). */
	bool named_changed, takes_changed, handlers_changed;
	GV *unhandled, *lost; /* main::trace_unhandled, main::trace_lost if defined */
	bool follows;	      /* a handler gets what the choice leaves out (named.follows) */
	GV *process;	      /* main::process_event, of perf's convention */
	uint8_t *want;	      /* by type idx: some sub or aggregation wants it */
	bool warned;
	bool said;  /* of a sub or handler that no event calls */
	bool asked; /* the script has called Zed::events */
	/* How subs that take all fields are called, and whether that was said or seen so far. */
	enum convention { CONVENTION_OPEN, CONVENTION_ZED, CONVENTION_PERF } convention;
	unsigned subs; /* changes whenever a sub may have */
};

/* S: the stable events; BASE: what times are less, read for each event; both borrowed. */
void bind_init(struct bind *b, struct catalog *c, const struct stable *s, const uint64_t *base,
	       struct notes *n);

/*
 * Look the script's subs and handlers up and bind those that are new.  True if anything changed
 * (then b->want is new). Cheap when nothing was defined since the last time.  Not while a binding
 * is still to be called.
 */
bool bind_update(pTHX_ struct bind *b);

/*
 * sub_name.c: may an event call GV's sub, as it is now: is it a handler (handler_subs.h), or one
 * that was declared only, in a package whose AUTOLOAD is?
 */
bool bind_callable(pTHX_ const struct bind *b, GV *gv);
/* main::NAME if the script defines it, else NULL. */
GV *bind_main(pTHX_ const char *name);
/* Has the package of a system an AUTOLOAD that is a handler? */
bool bind_autoloads(const struct bind *b, HV *stash);

/* Is there anything that an event or a loss would call? */
bool bind_calls(const struct bind *b);
/* Is a handler of Zed::on there for what is not chosen as well? */
bool bind_follows(const struct bind *b);

/* The bindings of a type that appeared after bind_update(). */
void bind_grow(pTHX_ struct bind *b, const struct etype *t);

/* The handlers of Zed::on.  What they change takes effect with the next bind_update(). */
void bind_add(struct bind *b, struct named *h);
/* Was none of that text added at that place before?  Of more than 1000, none is new. */
bool bind_is_new(struct bind *b, const struct named *h);
/* False: none of that ID (any more). */
bool bind_remove(struct bind *b, unsigned id);

/*
 * Between bind.c and type_binding.c: Bind T, of system S, to what there is for it now; true if new.
 */
bool bind_type(pTHX_ struct bind *b, const struct etype *t, const struct bind_system *s);
void binding_free(pTHX_ struct binding *b);
/* What SUB was last said to take, or NULL. */
struct takes *bind_takes_of(const struct bind *b, const char *sub);

/* What B's sub sees of the event; NULL: this one is not for it. */
static inline const struct event *binding_event(struct binding *b, const struct event *ev)
{
	if (b->map) {
		ev = stable_map_event(b->map, ev);
		if (!ev)
			return NULL;
	}
	return !b->where || expr_test_pass(b->where, ev) ? ev : NULL;
}

/* Make the plan of IT's arguments, for the first event that CV is called with. */
struct arg_plan *bind_plan(pTHX_ struct bind *b, struct binding *it, const CV *cv);

/* The same again, if CV is not what the plan was made for.  Of perf's convention only. */
static inline bool binding_is_stale(const struct bind *b, const struct binding *it,
				    const void *root)
{
	return it->root && (it->root != root || it->subs != b->subs);
}

/*
 * With a convention that is still open: does a handler that is bound begin as those of perf's
 * scripts do, my ($event_name, $context, ...)?  Then it is perf's, which is said; true:
 * bind_update() has to look again.
 */
bool bind_convention(pTHX_ struct bind *b);

/* Zed::handlers: as handlers_declare(), from the next bind_update() on. */
bool bind_declare(pTHX_ struct bind *b, const char *package, const char *file);

/* Zed::takes: FIELDS (taken over) for SUB, in place of what was said before. */
void bind_takes(struct bind *b, const char *sub, struct arg_names *fields);

/*
 * warn.c: say of each sub in a package named like a system of the trace that it is not an event;
 * of collisions; of stable events that are not available.  Once.
 */
void bind_warn(pTHX_ struct bind *b);

/* hints.c: say what its author may have meant by subs that no event calls.  For bind_warn(). */
void bind_hints(pTHX_ struct bind *b);
/* Is NAME one of trace_begin, trace_end, trace_unhandled, trace_lost and trace_interval? */
bool bind_is_ours(const char *name);

/*
 * coverage.c: after bind_update(): a LINE for each event and what it calls, for each handler that
 * no event of the trace calls, and for each sub whose variables are named after fields that stand
 * elsewhere.  Returns how many of the last kind there were.
 */
unsigned bind_check(pTHX_ struct bind *b, void (*line)(void *arg, const char *text), void *arg);

void bind_fini(pTHX_ struct bind *b);

#endif
