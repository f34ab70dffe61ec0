/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_NAMED_H
#define ZED_INTERP_BIND_NAMED_H

#include "interp/perl/perl_inc.h"
#include "interp/bind/args.h"
#include "analysis/aggregate/measure.h"
#include "expr/test.h"
#include "trace/catalog.h"
#include "stable/map.h"

/*
 * A handler of Zed::on: which events it wants, which of them pass, and what it is called with, all
 * by name; or an aggregation, which takes the events without a call.  It is found for a type once,
 * when that is bound.
 */
struct named {
	unsigned id;
	const char *fn;	      /* "Zed::on", "Zed::count", for messages */
	bool dead;	      /* Zed::off was called */
	bool gone;	      /* and bind_update() has seen that: its bindings are about to go */
	bool bound;	      /* the types that there are have been looked at */
	bool follows;	      /* it gets what the choice leaves out as well (NEXT_BEYOND) */
	bool late;	      /* there was none for it when it was made: named_check_late() */
	char *text;	      /* EVENT as the script has it */
	char *system, *event; /* globs; event "*" where a system alone was named */
	const struct stable_event *stable; /* EVENT is the whole name of this one, or NULL */
	struct arg_names args;
	char *where;		   /* or NULL */
	struct expr *expr;	   /* that, parsed by named_check() */
	CV *code;		   /* holds a reference; or NULL: */
	struct measure_plan *plan; /* an aggregation's */
	char *at;		   /* "wake.pl line 12" */
};

/*
 * A handler for EVENT ("sched:sched_wakeup", "sched::sched_w*", "sched").  NULL with E: that is no
 * name.
 */
struct named *named_new(const char *event, const struct stable *s, struct err *e);
void named_free(pTHX_ struct named *h);

/* A number for H's text and place in the script, the same each time that it is added. */
uint64_t named_key(const struct named *h);

enum named_match { NAMED_NO, NAMED_RAW, NAMED_STABLE };

/* Is H for events of T?  NAMED_STABLE: for the stable event made of it, by "from" line *FROM. */
enum named_match named_matches(const struct named *h, const struct catalog *c,
			       const struct etype *t, unsigned *from);

/*
 * Look at H against all types of C when it is made: say which fields there are not.  -1 with E if
 * `where` is wrong, or no type that it is for can take it.  Where there is no such type, it waits:
 * a script may define that event further on.
 */
int named_check(struct named *h, struct catalog *c, struct notes *n, struct err *e);

/* The same once more, for such a one, before its first event: all that is wrong is only said. */
void named_check_late(struct named *h, struct catalog *c, const struct stable *s, struct notes *n);

#endif
