/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_DEFINITION_H
#define ZED_STABLE_DEFINITION_H

#include "stable/catalogue.h"

/* Shared by catalogue.c and catalogue_parse.c. */
#define STABLE_MAX_EVENTS 4096 /* in all files */

/* An event and everything it points to. */
struct definition {
	struct stable_event ev;
	struct stable_from *from;
	const struct stable_expr **exprs;
	size_t from_cap, exprs_cap;
	struct arena arena;
};

void definition_free(struct definition *d);

/*
 * Parse the events that TEXT (LEN bytes) defines, at most ROOM, into *DEFS, an array of *N that the
 * caller frees.  -1 with E, whose path is FILE.
 */
int stableparse(const char *file, const char *text, size_t len, unsigned room,
		struct definition ***defs, unsigned *n, struct err *e);

#endif
