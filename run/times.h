/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_TIMES_H
#define ZED_RUN_TIMES_H

#include "run/period.h"

/* Times as users write them, and their meaning for the inputs. */

/*
 * A duration, or a time as shown: "12.5" or "12" seconds, "12500ns", "7ms", "3us", "2s"; at
 * most nine decimals.  *OUT in ns.  -1 with E.
 */
int times_duration(const char *text, uint64_t *out, struct err *e);

enum time_kind {
	TIME_OPEN,	 /* none was given */
	TIME_SHOWN,	 /* "12.5": as the trace shows it */
	TIME_FROM_FIRST, /* "+250ms": after the first record */
	TIME_TO_LAST,	 /* "-1s": before the last one */
	TIME_DATE,	 /* "2026-11-22 04:38:58.25", "...Z", "...+01:00" */
	TIME_OF_DAY,	 /* "04:38:58": on the day of the first record; "04:38:58Z": in UTC */
};

struct time_word {
	enum time_kind kind;
	uint64_t ns;	/* a duration; a date: since 1970; a time of day: since midnight */
	uint64_t ticks; /* bare: the number itself */
	bool bare;	/* digits only: ticks, for a clock that does not count ns */
	bool scaled;	/* has decimals, or a unit other than ns: no number of ticks */
	bool too_long;	/* bare: too large as seconds; ns is not set */
	bool zoned;	/* a time of day `east` seconds east of Greenwich, not that of TZ */
	int east;
	const char *text; /* as given, borrowed */
};

/* -1 with E (ERR_USAGE): TEXT is none of these. */
int times_word(const char *text, struct time_word *w, struct err *e);

/* "TIME,SPAN": the SPAN is a duration (of kind TIME_SHOWN). */
int times_around(const char *text, struct time_word *w, struct time_word *span, struct err *e);

/* A duration, in the units of P's times.  -1 with E (ERR_USAGE). */
int times_span(const struct time_word *w, const struct pump *p, uint64_t *out, struct err *e);

/* Are the times of all of P's inputs in ns?  Otherwise they are shown as ticks. */
bool times_are_ns(const struct pump *p);

/* TS, of an event, as shown: minus P's base; 48 bytes are enough. */
void times_text(const struct pump *p, uint64_t ts, char *buf, size_t size);

/*
 * The event time that W means for the inputs of P, whose base (run.base) is set: *OUT in ns or
 * ticks, no earlier than 0 and no later than UINT64_MAX.  *RECORDS false: it counts from a record,
 * and there is none.  -1 with E (ERR_USAGE): the inputs do not have what it needs.
 */
int times_resolve(const struct time_word *w, struct pump *p, uint64_t *out, bool *records,
		  struct err *e);

#endif
