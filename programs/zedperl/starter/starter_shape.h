/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_SHAPE_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_SHAPE_H

#include "run/choose/words.h"
#include "trace/catalog.h"

#include <stdio.h>

/* What differs between a starter script of zed's and one in the shape of perf's. */
struct starter_shape {
	void (*begin)(const char *trace, FILE *to); /* all that stands before the handlers */
	/* What stands before and behind the list of packages that it has handlers in. */
	const char *declare, *declared;
	void (*sub)(const struct etype *t, const char *sub, FILE *to);
	/* The handler of an event whose sub would be none, or one of perl's. */
	void (*on)(const struct etype *t, const char *sub, FILE *to);
	void (*end)(FILE *to);
};

extern const struct starter_shape starter_perf;

/* The first lines of a script of zed's own. */
void starter_title(const char *trace, FILE *to);

/*
 * The types of C that are chosen and, unless W is NULL, named in it (themselves, or as what a
 * stable event is made of), by name; *N of them, to be freed.
 */
const struct etype **starter_types(struct catalog *c, const struct words *w, unsigned *n);

/* Can the format of T be read?  If not, a comment is written to TO, and N gets a notice. */
bool starter_readable(struct catalog *c, const struct etype *t, const char *sub, struct notes *n,
		      FILE *to);

/*
 * The line, from BEFORE to AFTER, that makes handlers of the subs in packages that no kernel has,
 * if there are such of TYPES, which are sorted.
 */
void starter_declare(const struct etype **types, unsigned n, const char *before, const char *after,
		     FILE *to);

#endif
