// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interval_time: when an interval of --every ends.
 */
#include "interp/common/interval_time.h"

#include "base/mono.h"

/* poll_hook.fds: the wait lasts no longer than the interval. */
static int interval_wait(void *arg, struct pollfd *fds, int room, int *ms)
{
	const struct interval *i = arg;
	uint64_t gone = mono_ns() - i->wall, left = gone < i->every ? i->every - gone : 0;

	left = left / 1000000 + 1;
	if (left < (uint64_t)*ms)
		*ms = (int)left;
	return 0;
}

void interval_begin(struct interval *i, struct pump *run, uint64_t every)
{
	*i = (struct interval){ .every = every, .wall = mono_ns() };
	if (!every)
		return;
	i->hook = (struct poll_hook){ .fds = interval_wait, .arg = i };
	pump_guest(run, &i->hook);
}

/* Saturating, as a time may be any number. */
static uint64_t later(uint64_t ts, uint64_t by)
{
	return ts < UINT64_MAX - by ? ts + by : UINT64_MAX;
}

/* The first event: live, some of the interval may have passed without any. */
static void start(struct interval *i, uint64_t ts)
{
	uint64_t gone = i->idle ? mono_ns() - i->wall : 0;

	i->from = ts;
	i->to = later(ts, gone < i->every ? i->every - gone : 1);
	i->known = true;
}

/* The interval has ended, at END. */
static void pass(struct interval *i, uint64_t end)
{
	i->told_from = i->from;
	i->told_to = i->from = end;
	i->to = later(end, i->every);
}

bool interval_event(struct interval *i, uint64_t ts)
{
	bool over = i->known && ts >= i->to;

	if (!i->known)
		start(i, ts);
	/* Time without events is part of the interval that has ended. */
	if (over) {
		pass(i, i->to + (ts - i->to) / i->every * i->every);
		i->wall = mono_ns();
	}
	i->last = ts;
	i->any = true;
	return over;
}

bool interval_idle(struct interval *i)
{
	if (!i->every)
		return false;
	i->idle = true;
	if (mono_ns() - i->wall < i->every)
		return false;
	i->wall += i->every;
	if (i->known)
		pass(i, i->to);
	i->any = false;
	return true;
}

bool interval_rest(struct interval *i)
{
	if (!i->every || !i->any)
		return false;
	i->told_from = i->from;
	i->told_to = i->last > i->from ? i->last : i->from;
	return true;
}
