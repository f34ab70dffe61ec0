// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clocks: decides which clock each buffer of a trace.dat had.  The file states it in up to three
 * places, which may disagree.
 */
#include "base/mem.h"
#include "reader/dat/dat.h"
#include "reader/dat/wall.h"
#include "trace/cpustat.h"

#include <stdlib.h>
#include <string.h>

#define TICKS "unknown" /* a clock that does not count ns; an unknown ns clock is "" */

static bool is_one_of(const char *clock, const char *a, const char *b)
{
	return !strcmp(clock, a) || !strcmp(clock, b);
}

/*
 * Can CLOCK be the clock of a buffer with such statistics?  boot counts ns, though it is not shown
 * in seconds; uptime has counted both.
 */
static bool agrees(const char *clock, enum cpustat_clock told)
{
	if (told == CPUSTAT_UNTOLD || is_one_of(clock, "boot", "uptime"))
		return true;
	return clock_in_seconds(clock) == (told == CPUSTAT_NS);
}

static bool top_is_empty(const struct source *s)
{
	for (unsigned i = 0; i < s->nbuffers; i++)
		if (!*s->buffers[i].name && s->buffers[i].ncpus)
			return false;
	return true;
}

static void rename_clock(struct buffer *b, const char *name)
{
	char *was = b->clock;

	b->clock = mem_strdup(name);
	if (b->declared_clock)
		free(was);
	else
		b->declared_clock = was;
}

/* A date of the recording machine's is replaced: that clock was not compared. */
void dat_use_wall(struct dat *d)
{
	if (!d->shows_wall || !d->wall.known)
		return;
	d->clock.offset = d->wall.ahead;
	d->base.is_wall = true;
	note_say(d->notes, NOTE_INFO,
		 "%s: times of day are those of the machine that received it, wrong by %.9f s at "
		 "most",
		 d->base.in.path, (double)d->wall.wrong / 1e9);
}

/*
 * trace-cmd writes the top buffer's current clock into the description of each buffer; if the top
 * buffer has no events, TRACECLOCK is the clock of the recorded ones.  The kernel's statistics are
 * the third source, and the only one specific to a buffer.
 */
void dat_settle_clocks(struct dat *d)
{
	struct source *s = &d->base;
	bool empty_top = top_is_empty(s);

	/* With TSC2NSEC the file itself says what the counter counts. */
	if (d->clock.mult)
		return;
	for (unsigned i = 0; i < s->nbuffers; i++) {
		struct buffer *b = &s->buffers[i];
		enum cpustat_clock told = cpustat_clock(d->cpustat.p ? d->cpustat.p : "",
							d->cpustat.len, b->name);
		bool other = d->texts.clock && *d->texts.clock && strcmp(d->texts.clock, b->clock);

		if (!b->ncpus || b->text)
			continue;
		if (other && agrees(d->texts.clock, told) &&
		    ((empty_top && *b->name) || !agrees(b->clock, told)))
			rename_clock(b, d->texts.clock);
		if (!agrees(b->clock, told))
			rename_clock(b, told == CPUSTAT_TICKS ? TICKS : "");
	}
}
