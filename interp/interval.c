/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval: when an interval of --every ends, and what is called then.
 */
#include "interp/interval.h"

#include "base/mono.h"
#include "interp/bind/bind.h"

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

void interval_begin(struct perlsink *ps)
{
	struct interval *i = &ps->interval;

	i->every = ps->o.every;
	i->wall = mono_ns();
	if (!i->every)
		return;
	i->hook = (struct poll_hook){ .fds = interval_wait, .arg = i };
	pump_guest(ps->o.run, &i->hook);
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

bool interval_event(struct perlsink *ps, uint64_t ts)
{
	struct interval *i = &ps->interval;
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

bool interval_idle(struct perlsink *ps)
{
	struct interval *i = &ps->interval;

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

static SV *shown(pTHX_ const struct perlsink *ps, uint64_t ts)
{
	return ps->interval.known ? newSVuv(ts - ps->args.base) : newSV(0);
}

static void call(pTHX_ struct perlsink *ps, const char *name, bool total)
{
	dSP;

	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	EXTEND(SP, 3);
	PUSHs(sv_2mortal(shown(aTHX_ ps, ps->interval.told_from)));
	PUSHs(sv_2mortal(shown(aTHX_ ps, ps->interval.told_to)));
	if (total)
		PUSHs(boolSV(ps->o.every_total));
	PUTBACK;
	call_pv(name, G_VOID | G_DISCARD);
	FREETMPS;
	LEAVE;
}

static void call_script(pTHX_ struct perlsink *ps)
{
	if (!bind_main(aTHX_ "main::trace_interval"))
		return;
	ps->sub = "trace_interval";
	call(aTHX_ ps, "main::trace_interval", false);
	ps->sub = NULL;
}

void interval_tell(pTHX_ struct perlsink *ps)
{
	ps->o.clear(ps->o.arg);
	call_script(aTHX_ ps);
	call(aTHX_ ps, "Zed::Aggregate::_print_interval", true);
}

void interval_end(pTHX_ struct perlsink *ps)
{
	struct interval *i = &ps->interval;

	if (!i->every || !i->any)
		return;
	i->told_from = i->from;
	i->told_to = i->last > i->from ? i->last : i->from;
	call(aTHX_ ps, "Zed::Aggregate::_head_rest", true);
	call_script(aTHX_ ps);
}
