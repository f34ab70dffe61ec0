// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wall: the time of day of a trace clock as text, after the clock's name where other readers of a
 * trace.dat stop.
 */
#include "reader/dat/wall.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MARK "\nwall: "

/* trace-cmd splits the text at blanks: the one after the name keeps it a word of its own. */
size_t dat_wall_text(const struct dat_wall *w, const char *clock, char buf[DAT_WALL_TEXT])
{
	return (size_t)snprintf(buf, DAT_WALL_TEXT,
				"[%.64s] " MARK "%" PRId64 " ns +-%" PRIu64 " ns\n", clock,
				w->ahead, w->wrong) +
	       1;
}

bool dat_wall_parse(struct dat_wall *w, const char *text)
{
	const char *at = strstr(text, MARK);
	struct dat_wall got = { .known = true };
	int end = 0;

	if (!at ||
	    sscanf(at + strlen(MARK), "%" SCNd64 " ns +-%" SCNu64 " ns%n", &got.ahead, &got.wrong,
		   &end) != 2 ||
	    !end)
		return false;
	*w = got;
	return true;
}

struct dat_wall dat_wall_of(int64_t ahead, uint64_t wrong, int64_t day, uint64_t day_wrong)
{
	struct dat_wall w = { .known = true };

	if (__builtin_add_overflow(ahead, day, &w.ahead))
		w.ahead = ahead < 0 ? INT64_MIN : INT64_MAX;
	if (__builtin_add_overflow(wrong, day_wrong, &w.wrong))
		w.wrong = UINT64_MAX;
	return w;
}
