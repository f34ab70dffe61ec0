/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_BIND_H
#define ZED_INTERP_BIND_BIND_H

#include "interp/perl/perl_inc.h"
#include "interp/bind/args.h"
#include "interp/bind/handler_subs.h"
#include "interp/common/named.h"
#include "interp/bind/perl_name.h"
#include "expr/test.h"
#include "trace/catalog.h"
#include "stable/map.h"

/*
 * Which subs get which event.  For a named sub the GV is kept, not the CV, so that it can be
 * redefined during the run.  An event type's bindings are in the order of their calls: the sub
 * named after it, subs of stable events made from it, handlers of Zed::on in the order of their
 * registration; trace_unhandled if there are none of these; in perf's convention process_event, in
 * any case.  Aggregations (BIND_MEASURE) call nothing: they have a list of their own, and take the
 * event first.
 */
enum bind_kind { BIND_SUB, BIND_STABLE, BIND_NAMED, BIND_UNHANDLED, BIND_PROCESS, BIND_MEASURE };

struct binding {
	enum bind_kind kind;
	GV *gv;			 /* holds a reference; NULL for BIND_NAMED, BIND_MEASURE */
	struct named *named;	 /* the handler whose code is called; or the aggregation */
	struct measure *measure; /* BIND_MEASURE */
	const struct stable_event *stable; /* the stable event made before the call, or NULL */
	struct stable_map *map;
	struct expr_test *where;  /* the filter before the call, or NULL */
	const struct etype *type; /* the type that the sub sees: a stable event's, or the raw one */
	struct takes *takes;	  /* the fields that the script asks for, or NULL: all */
	struct arg_plan *plan;	  /* made when the first event of the type is met */
	/* perf's convention: the code that the plan was made for (bind_plan). */
	const void *root;
	unsigned subs;
	bool fit_said;
	struct binding *next; /* the next of the same event */
};

/* Zed::takes: the fields that a sub was written for. */
struct takes {
	char *sub; /* "sched::sched_wakeup" */
	struct arg_names fields;
	bool said;
	bool old; /* a newer list has replaced it; its bindings are about to be removed */
};

/* A system of the trace, with the package of that name as it was when last checked. */
struct bind_system {
	const char *raw; /* as in the trace */
	char *name;	 /* as a Perl package */
	HV *stash;	 /* NULL: the script has no such package, or it cannot have handlers */
	U32 gen;	 /* its generation: changes with each sub added or removed */
	bool of_stable;	 /* stable events have this system */
	bool of_second;	 /* second names have it (lttng_event.h) */
	bool handles;	 /* a package of that name may have handlers */
	bool autoload;	 /* and its AUTOLOAD is one */
};

/* A sub of the script named like a stable event. */
struct stable_sub {
	const struct stable_event *event;
	GV *gv;
};

/*
 * What the script has for each event type.  Many members, as bind_update() rebuilds all of it
 * together when the script changes.
 */
struct bind {
	struct catalog *catalog;
	const struct stable *stable;
	struct notes *notes;
	struct expr_names names;  /* of the filters */
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
	uint64_t *told; /* named_key() of those that were checked */
	size_t ntold, cap_told;
	unsigned last_id; /* for named handlers */
	/* Since the last bind_update(). */
	bool named_changed, takes_changed, handlers_changed;
	GV *unhandled, *lost; /* main::trace_unhandled, main::trace_lost if defined */
	bool follows;	      /* a handler gets events that the choice leaves out (named.follows) */
	GV *process;	      /* main::process_event, of perf's convention */
	uint8_t *want;	      /* by type idx: some sub or aggregation needs it */
	bool warned;
	bool said;  /* of a sub or handler that no event calls */
	bool asked; /* the script has called Zed::events */
	/*
	 * The convention of subs that take all fields, and whether it was reported or seen so far.
	 */
	enum convention { CONVENTION_OPEN, CONVENTION_ZED, CONVENTION_PERF } convention;
	unsigned subs; /* changes whenever a sub may have changed */
};

/* S: the stable events; BASE: subtracted from times, read for each event; both borrowed. */
void bind_init(struct bind *b, struct catalog *c, const struct stable *s, const uint64_t *base,
	       struct notes *n);

/*
 * Look up the script's subs and handlers and bind new ones.  True if anything changed (then b->want
 * is new).  Cheap if nothing was defined since the last time.  Not while a binding is still to be
 * called.
 */
bool bind_update(pTHX_ struct bind *b);

/*
 * sub_name.c: may an event call GV's sub, as it is now: is it a handler (handler_subs.h), or one
 * that was declared only, in a package whose AUTOLOAD is?
 */
bool bind_callable(pTHX_ const struct bind *b, GV *gv);
/* main::NAME if the script defines it, else NULL. */
GV *bind_main(pTHX_ const char *name);
/* Does the package of a system have an AUTOLOAD that is a handler? */
bool bind_autoloads(const struct bind *b, HV *stash);

/* Would an event or a loss call anything? */
bool bind_calls(const struct bind *b);
/* Is there a handler of Zed::on for events that are not chosen as well? */
bool bind_follows(const struct bind *b);

/* The bindings of a type that appeared after bind_update(). */
void bind_grow(pTHX_ struct bind *b, const struct etype *t);

/* How Perl calls what messages about handlers are about. */
extern const struct named_words BIND_WORDS;
/* Free H and its reference to the code, a CV: destructors of objects in it may run Perl. */
void bind_drop(pTHX_ struct named *h);

/* The handlers of Zed::on.  Changes take effect with the next bind_update(). */
void bind_add(struct bind *b, struct named *h);
/* Is this the first one with this text at this place?  After more than 1000, always false. */
bool bind_is_new(struct bind *b, const struct named *h);
/* False: there is none with that ID (any more). */
bool bind_remove(struct bind *b, unsigned id);

/*
 * Between bind.c and type_binding.c: Bind T, of system S, to its current subs and handlers; true if
 * new.
 */
bool bind_type(pTHX_ struct bind *b, const struct etype *t, const struct bind_system *s);
void binding_free(pTHX_ struct binding *b);
/* The fields last declared for SUB, or NULL. */
struct takes *bind_takes_of(const struct bind *b, const char *sub);

/* The event as B's sub sees it; NULL: it does not get this one. */
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

/* The same again, if the plan was not made for CV.  For perf's convention only. */
static inline bool binding_is_stale(const struct bind *b, const struct binding *it,
				    const void *root)
{
	return it->root && (it->root != root || it->subs != b->subs);
}

/*
 * If the convention is still open: does a bound handler begin like those of perf's scripts, my
 * ($event_name, $context, ...)?  Then it is perf's, which is reported; true: call bind_update()
 * again.
 */
bool bind_convention(pTHX_ struct bind *b);

/* Zed::handlers: as handlers_declare(), from the next bind_update() on. */
bool bind_declare(pTHX_ struct bind *b, const char *package, const char *file);

/* Zed::takes: FIELDS (taken over) for SUB, in place of those before. */
void bind_takes(struct bind *b, const char *sub, struct arg_names *fields);

/*
 * warn.c: report each sub that is not an event in a package named like a system of the trace;
 * collisions; and stable events that are not available.  Once.
 */
void bind_warn(pTHX_ struct bind *b);

/* hints.c: report what the author may have meant by subs that no event calls.  For bind_warn(). */
void bind_hints(pTHX_ struct bind *b);
/* Is NAME one of trace_begin, trace_end, trace_unhandled, trace_lost and trace_interval? */
bool bind_is_ours(const char *name);

/*
 * coverage.c: after bind_update(): a LINE for each event and what it calls, for each handler that
 * no event of the trace calls, and for each sub whose variables are named after fields at other
 * places.  Returns how many of the last kind there were.
 */
unsigned bind_check(pTHX_ struct bind *b, void (*line)(void *arg, const char *text), void *arg);

void bind_fini(pTHX_ struct bind *b);

#endif
