/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_PRIV_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_PRIV_H

#include "programs/script/starter_events.h"

#include <stdio.h>

/* What the files that write the kinds of starter scripts share. */

/* ---- starter_all.c ---- */

/*
 * Write to TO a script with a sub for each event type of C that is chosen and, unless W is NULL,
 * named in it, sorted by name, with the names of the fields filled in and declared by Zed::takes(),
 * so that on a trace of another kernel it gets the same fields.  TRACE is named in its head.
 * Formats that cannot be read are skipped with a comment in the script and a notice.  PERF: in the
 * form of perf's scripts, which perf runs as well.
 */
void starter_all(struct catalog *c, const struct words *w, const char *trace, bool perf,
		 struct notes *n, FILE *to);

/* What differs between a starter script of zed's and one in the form of perf's. */
struct starter_shape {
	void (*begin)(const char *trace, FILE *to); /* everything before the handlers */
	/* The text before and after the list of packages with handlers. */
	const char *declare, *declared;
	void (*sub)(const struct etype *t, const char *sub, FILE *to);
	/* The handler of an event whose sub would not be a handler, or one of perl's. */
	void (*on)(const struct etype *t, const char *sub, FILE *to);
	void (*end)(FILE *to);
};

/* The first lines of a script of zed's own. */
void starter_title(const char *trace, FILE *to);

/*
 * The line, from BEFORE to AFTER, that declares handlers in packages that no kernel has, if TYPES,
 * which are sorted, need it.
 */
void starter_declare(const struct etype **types, unsigned n, const char *before, const char *after,
		     FILE *to);

/* ---- starter_perf.c ---- */

extern const struct starter_shape starter_perf;

/* ---- starter_named.c ---- */

/*
 * Scripts that declare what they need: for each of their events an aggregation (Zed::count), and a
 * handler that gets the fields by name (Zed::on).  TRACE, TO and N as for starter_all().
 */

/* For the events that W names, which is bound to C; stable events, too. */
void starter_named(struct catalog *c, const struct words *w, const char *trace, struct notes *n,
		   FILE *to);

/*
 * For a few events of the trace, those that most questions begin with, or else the most frequent;
 * its head lists the events of the trace.  COUNTS has NCOUNTS numbers of events, by the idx of
 * their type.
 */
void starter_short(struct catalog *c, const uint64_t *counts, size_t ncounts, const char *trace,
		   struct notes *n, FILE *to);

/* ---- starter_aggregate.c ---- */

/*
 * The lines that aggregate T, whose system and name can be put in quotes: the count, by the field
 * that best says what happened, and the distribution of a size or duration, if it has one.
 */
void starter_aggregate(const struct etype *t, FILE *to);

#endif
