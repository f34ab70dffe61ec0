// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * beyond: losses that reach into the time that was asked for, and end after it.  Without a word of
 * them a script that counts losses has none there.
 */
#include "interp/common/beyond.h"

#include "base/err.h"
#include "run/period.h"

#include <inttypes.h>
#include <stdio.h>

#define NSEC UINT64_C(1000000000)

void beyond_see(struct beyond *b, const struct event *ev, uint64_t end)
{
	if (ev->ts <= end || (ev->lost_since != TS_UNKNOWN && ev->lost_since >= end))
		return;
	if (!b->n++)
		*b = (struct beyond){ 1, ev->cpu, ev->lost, ev->lost_since, ev->ts };
}

void beyond_see_ahead(struct beyond *b, const struct pump *run)
{
	const struct event *ev;

	for (unsigned i = 0; run->merge && (ev = merge_ahead(run->merge, i)); i++)
		if (ev->lost)
			beyond_see(b, ev, run->stats.last_ts);
}

/* Was the time up to END over before the trace began? */
static bool is_before(struct pump *run, uint64_t end)
{
	struct period all;
	struct err e;

	return period_all(run, &all, &e) == 0 && end < all.first;
}

/* As the script sees times, in seconds. */
static void put_time(const struct pump *run, uint64_t ts, char *out, size_t size)
{
	uint64_t ns = ts - run->run.base;

	snprintf(out, size, "%" PRIu64 ".%09" PRIu64, ns / NSEC, ns % NSEC);
}

void beyond_say(const struct beyond *b, struct pump *run, uint64_t end, bool read, struct notes *n)
{
	char lost[32] = "an unknown number", from[48], to[48], where[128], more[48] = "";

	if (!b->n || is_before(run, end))
		return;
	if (b->lost != LOST_UNKNOWN)
		snprintf(lost, sizeof(lost), "%" PRIu64, b->lost);
	put_time(run, b->to, to, sizeof(to));
	if (b->from == TS_UNKNOWN) {
		snprintf(where, sizeof(where), "before %s", to);
	} else {
		put_time(run, b->from, from, sizeof(from));
		snprintf(where, sizeof(where), "between %s and %s", from, to);
	}
	if (b->n > 1)
		snprintf(more, sizeof(more), " and of %" PRIu64 " more loss%s", b->n - 1,
			 b->n > 2 ? "es" : "");
	note_say(n, NOTE_WARN,
		 "events were lost in the time that was %s, an unknown share of %s on CPU %d %s%s",
		 read ? "read" : "asked for", lost, b->cpu, where, more);
}
