/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_SHAPE_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_SHAPE_H

#include "trace/event.h"

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

/* LEAD, WORDS joined by commas, and END, in lines of at most 90 columns. */
void starter_wrapped(FILE *to, const char *lead, char **words, unsigned n, const char *end);

/* S in a comment: a path may hold anything. */
void starter_comment(FILE *to, const char *s);

#endif
