/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_LIST_EVENTS_H
#define ZED_PROGRAMS_ZEDTRACE_LIST_EVENTS_H

#include "base/err.h"

/*
 * What the running kernel offers, as zedtrace -t shows it: "Available tracepoints:", each subsystem
 * and under it its events, sorted.  DETAILS adds for each event what its files tell: "NAME ID SIZE
 * STATE" (bytes of a record's fixed part; enabled or disabled), a line "NAME TYPE OFFSET SIZE" for
 * each field and "filters:" with the filter or "none".  State and filter are those of the top
 * instance.  An event whose files cannot be read is reported (NOTE_WARN) and shown by its name.
 *
 * PATTERNS (tracefs_match) limit it; none: all.  LINE gets each line without its newline; false
 * ends the listing.  -1 with E: no tracefs, or a pattern that names nothing.
 */
struct list_opts {
	const char *const *patterns;
	unsigned npatterns;
	bool details;
	bool (*line)(void *arg, const char *text);
	void *arg;
	struct notes *notes;
};

int list_tracepoints(const struct list_opts *o, struct err *e);

#endif
