/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_MIXED_NAME_H
#define ZED_INTERP_COMMON_MIXED_NAME_H

#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * pid, comm and cpu are known of every event, but a field of that name comes first: of several
 * events, "comm" is the woken task in one and the running one in another.
 */
#define MIXED_LISTED 4

struct mixed_name {
	const char *name; /* borrowed, set by the user */
	unsigned own, all;
	char list[MIXED_LISTED * 140]; /* some of those that have such a field */
};

/* T (resolved) is one of the events that M's name is asked of. */
void mixed_name_take(struct mixed_name *m, const struct etype *t);

/* False: it means the same in all.  Else a message without its place in BUF, cut at SIZE. */
bool mixed_name_text(const struct mixed_name *m, char *buf, size_t size);

#endif
