/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_CHOSEN_EVENTS_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_CHOSEN_EVENTS_H

#include "base/outbuf.h"
#include "programs/options.h"

/* Is TEXT names of events, as --event takes them?  Else it is an expression, as -F takes it. */
bool chosen_is_words(const char *text);

/*
 * Of C's open trace choose only the events that TEXT means ("": all), before the run.  -1 with E
 * (ERR_USAGE): it has an error, or means no event of this trace.
 */
int chosen_take(struct cli *c, const char *text, struct err *e);

/* Append E, of TEXT, as {"text":..., "at":N|null}: what is wrong, and the byte of TEXT where. */
void chosen_error(struct outbuf *o, const struct err *e);

#endif
