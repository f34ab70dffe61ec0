// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pause: what a run does between two events: serves the work beside it, reports its progress, and
 * waits if nothing has come yet.
 */
#include "run/pump_priv.h"

#include "base/mem.h"
#include "base/mono.h"

#include <poll.h>

#define PROGRESS_EVERY 65536
#define WAIT_MS 10 /* between two checks of live sources that do not set it themselves */
#define LOOK_NS (POLL_HOOK_MS * 1000000ull)
#define MORE_UNTIL 4 /* the next check comes after at most this many times as many events */

void pause_progress(struct pump *p)
{
	const struct pump_stats *st = pump_count(p);

	if (p->opts.progress)
		p->opts.progress(p->opts.progress_arg, st);
}

/* Does anything need a check from time to time? */
static bool is_looked_at(const struct pump *p)
{
	return p->guests || p->opts.over;
}

void pause_look(struct pump *p)
{
	if (p->opts.over && !p->halted && p->opts.over(p->opts.over_arg))
		pump_halt(p);
	for (struct poll_hook *h = p->guests; h; h = h->next)
		if (h->look)
			h->look(h->arg);
	if (is_looked_at(p))
		p->looked = mono_ns();
}

void pause_look_if_due(struct pump *p)
{
	if (is_looked_at(p) && mono_ns() - p->looked >= LOOK_NS)
		pause_look(p);
}

/*
 * The interval of a check is converted to a number of events: a handler may take a tenth of a
 * microsecond or a second.
 */
static void look_after_events(struct pump *p)
{
	uint64_t span = mono_ns() - p->looked, next = MORE_UNTIL * p->until;

	if (span)
		next = p->until * LOOK_NS / span < next ? p->until * LOOK_NS / span : next;
	pause_look(p);
	p->until = next < 1 ? 1 : next > PROGRESS_EVERY ? PROGRESS_EVERY : (unsigned)next;
}

void pause_events(struct pump *p)
{
	p->ticks += p->until;
	if (is_looked_at(p))
		look_after_events(p);
	if (p->ticks < PROGRESS_EVERY)
		return;
	p->ticks = 0;
	pause_progress(p);
}

void pause_start(struct pump *p)
{
	p->until = is_looked_at(p) ? 1 : PROGRESS_EVERY;
	p->left = p->until + 1;
	pause_look(p);
}

/* ---- live: nothing has come yet ---- */

/* Append the descriptors of S to the N in fds; returns their number. */
static int add_fds(struct pump *p, struct source *s, int n)
{
	for (size_t need = (size_t)n + 16;; need = p->cap_fds + 16) {
		int room, got;

		/* If all places are used, there may be more of them. */
		p->fds = mem_grow(p->fds, &p->cap_fds, need, sizeof(*p->fds));
		room = (int)p->cap_fds - n;
		got = s->ops->fds(s, p->fds + n, room);
		if (got < room)
			return n + got;
	}
}

/* The same for a source that may be live; *WAIT is lowered to what it allows. */
static int add_waiting(struct pump *p, struct source *s, int n, int *wait)
{
	if (!s->ops->fds)
		return n;
	s->held = merge_held(p->merge);
	s->wait_ms = WAIT_MS;
	n = add_fds(p, s, n);
	if (*wait < 0 || s->wait_ms < *wait)
		*wait = s->wait_ms;
	return n;
}

/* The same for the work beside the events: FDS is poll_hook's. */
static int add_beside(struct pump *p, int n, int *wait,
		      int (*fds)(void *arg, struct pollfd *fds, int room, int *ms), void *arg)
{
	p->fds = mem_grow(p->fds, &p->cap_fds, n + PUMP_GUEST_FDS, sizeof(*p->fds));
	return n + fds(arg, p->fds + n, PUMP_GUEST_FDS, wait);
}

void pause_wait(struct pump *p)
{
	int n = 0, wait = -1, left = stall_left_ms(p);

	for (unsigned i = 0; i < p->nsources; i++)
		n = add_waiting(p, p->sources[i], n, &wait);
	for (unsigned i = 0; i < p->ncontainers; i++)
		n = add_waiting(p, p->containers[i], n, &wait);
	wait = wait < 0 ? WAIT_MS : wait;
	wait = left >= 0 && left < wait ? left : wait;
	for (struct poll_hook *h = p->guests; h; h = h->next)
		n = add_beside(p, n, &wait, h->fds, h->arg);
	if (p->opts.over_fds && !p->halted)
		n = add_beside(p, n, &wait, p->opts.over_fds, p->opts.over_arg);
	/* A signal that comes between the check and the poll waits that long. */
	poll(p->fds, n, wait);
	p->looked = mono_ns();
}
