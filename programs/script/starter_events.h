/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_STARTER_EVENTS_H
#define ZED_PROGRAMS_SCRIPT_STARTER_EVENTS_H

#include "programs/options.h"
#include "run/choose/words.h"
#include "trace/catalog.h"

#include <stdio.h>

/*
 * -g [EVENT]... TRACE: for which events a starter script is, in whatever language it is written.
 * Names in it come from a trace, which is untrusted.
 */

/* ---- the words ---- */

/* The events that are named.  All zero: none. */
struct starter_ask {
	bool all;	     /* the word "all" was among them */
	struct words *words; /* or NULL */
};

/*
 * Take C's word AT as one more input, or as events, which go into A.  A word is a trace if it
 * exists (except for a folder that is not a trace) or looks like the name of a file; so is the last
 * word if there was no other trace.  -1 with E: an invalid word.
 */
int starter_word(struct starter_ask *a, struct cli *c, int at, struct err *e);

/*
 * Bind A's words to C's open inputs, and give those that name events, borrowed: its own, or those
 * of --event; NULL: none.  False: a name that no input has, which was reported.
 */
bool starter_bind(struct starter_ask *a, struct cli *c, const struct words **words);
void starter_ask_fini(struct starter_ask *a);

/* ---- the events ---- */

/*
 * The types of C that are chosen and, unless W is NULL, named in it (themselves, or as a raw event
 * of a stable one), by name; *N of them, to be freed.
 */
const struct etype **starter_types(struct catalog *c, const struct words *w, unsigned *n);

/*
 * Can the format of T be read?  If not, a comment is written to TO, and N gets a notice.  NAME: of
 * the event in the script.
 */
bool starter_readable(struct catalog *c, const struct etype *t, const char *name, struct notes *n,
		      FILE *to);

/* Types with different names; stable events among them. */
struct starter_events {
	const struct etype **v; /* room for one more */
	unsigned n;
	struct etype *stables; /* the memory of those */
};

/* Those that W names, which is bound to C. */
void starter_events_named(struct starter_events *s, struct catalog *c, const struct words *w);

/*
 * Those that most questions begin with, or else the most frequent; a comment to TO lists the events
 * of TRACE.  COUNTS has NCOUNTS numbers of events, by the idx of their type; PROG: for commands.
 */
void starter_events_few(struct starter_events *s, struct catalog *c, const uint64_t *counts,
			size_t ncounts, const char *prog, const char *trace, FILE *to);

void starter_events_fini(struct starter_events *s);

/* ---- text ---- */

/* S in a comment: a path may contain anything. */
void starter_comment(FILE *to, const char *s);

/* Has it letters, digits and '_' alone? */
bool starter_is_plain(const char *s);

/*
 * Can S be given to Zed::on or zed.on as it is, in quotes: without globs, and nothing that ends a
 * name or a string?
 */
bool starter_is_quotable(const char *s);


#endif
