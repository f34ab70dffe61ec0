/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_WALL_H
#define ZED_READER_DAT_WALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What time of day it is by the trace clock: a server's comparison with the clock of its client, in
 * a second TRACECLOCK option of the trace.dat that it writes (format.md 1.5).
 */
struct dat_wall {
	bool known;
	int64_t ahead;	/* ns to be added to stamps for the time since 1970 (UTC) */
	uint64_t wrong; /* ns by which that may be wrong at most */
};

/* The option's text, with its NUL, for a buffer whose clock is called CLOCK.  Its bytes. */
#define DAT_WALL_TEXT 192
size_t dat_wall_text(const struct dat_wall *w, const char *clock, char buf[DAT_WALL_TEXT]);

/* Find it in TEXT, that of a TRACECLOCK option.  False: it is not there, and W stays as it is. */
bool dat_wall_parse(struct dat_wall *w, const char *text);

/*
 * AHEAD of another clock, which DAY is ahead of by no more than DAY_WRONG: as of both.  Sums that
 * do not fit (a client may send any number) are the largest.
 */
struct dat_wall dat_wall_of(int64_t ahead, uint64_t wrong, int64_t day, uint64_t day_wrong);

#endif
