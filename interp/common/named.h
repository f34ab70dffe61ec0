/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_NAMED_H
#define ZED_INTERP_COMMON_NAMED_H

#include "interp/common/arg_names.h"
#include "analysis/aggregate/measure.h"
#include "expr/test.h"
#include "trace/catalog.h"
#include "stable/map.h"

/*
 * A handler of a script in any language (Zed::on): its events, the filter for them, and its
 * arguments, all by name; or an aggregation, which takes the events without a call.  Looked up once
 * for each type, when that is bound.
 */

/* How a language calls what messages are about. */
struct named_words {
	const char *on;	    /* what makes a handler: "Zed::on" */
	const char *none;   /* a missing value: "undef" */
	const char *events; /* what lists the events of a trace: "zedperl -t -v" */
};

struct named {
	unsigned id;
	const struct named_words *words;
	const char *fn;	      /* words->on, "Zed::count", for messages */
	bool dead;	      /* it was removed */
	bool gone;	      /* and that has been seen: bindings will be removed */
	bool bound;	      /* the existing types have been checked */
	bool follows;	      /* it also gets events that the choice leaves out (NEXT_BEYOND) */
	bool optional;	      /* no warning if the inputs have no such event */
	bool late;	      /* it had no type when it was made: named_check_late() */
	char *text;	      /* EVENT as the script wrote it */
	char *system, *event; /* globs; event "*" if only a system was named */
	const struct stable_event *stable; /* EVENT is the whole name of this one, or NULL */
	struct arg_names args;
	char *where;		   /* or NULL */
	struct expr *expr;	   /* that, parsed by named_check() */
	void *code;		   /* what is called, the language's; or NULL: */
	struct measure_plan *plan; /* for an aggregation */
	char *at;		   /* "wake.pl line 12" */
};

/*
 * A handler for EVENT ("sched:sched_wakeup", "sched::sched_w*", "sched"), with WORDS (borrowed).
 * NULL with E: not a valid name.
 */
struct named *named_new(const char *event, const struct stable *s, const struct named_words *words,
			struct err *e);
/* All but its code. */
void named_free(struct named *h);

/* A hash of H's text and place in the script, the same each time it is added. */
uint64_t named_key(const struct named *h);

enum named_match { NAMED_NO, NAMED_RAW, NAMED_STABLE };

/* Is H for events of T?  NAMED_STABLE: for the stable event made from it, by "from" line *FROM. */
enum named_match named_matches(const struct named *h, const struct catalog *c,
			       const struct etype *t, unsigned *from);

/*
 * Check H against all types of C when it is made: report missing fields.  -1 with E if `where` is
 * wrong, or it can be bound to none of its types.  If there is no such type, it waits: a script may
 * define that event later.
 */
int named_check(struct named *h, struct catalog *c, struct notes *n, struct err *e);

/* The same again, for a waiting one, before its first event: errors are only reported. */
void named_check_late(struct named *h, struct catalog *c, const struct stable *s, struct notes *n);

#endif
