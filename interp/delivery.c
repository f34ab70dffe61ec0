/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delivery: calls the script's subs for each event, and feeds aggregations.  This is the hot path:
 * all that it calls for an event is in this file.
 */
#include "interp/delivery.h"

#include "interp/interval.h"
#include "interp/perl/perl_priv.h"
#include "analysis/timeline/timeline.h"

#include <string.h>

/*
 * The body of GV's sub, or its package's AUTOLOAD if the sub was only declared; NULL: the sub was
 * removed, and there is nothing to call.
 */
static CV *find_body(pTHX_ const struct bind *b, GV *gv)
{
	CV *cv = GvCV(gv);

	if (priv_has_body(cv))
		return cv;
	/* A declared sub without a body: perl's own entersub looks for AUTOLOAD. */
	if (!GvSTASH(gv) || !bind_autoloads(b, GvSTASH(gv)))
		return NULL;
	gv = gv_autoload_pvn(GvSTASH(gv), GvNAME(gv), GvNAMELEN(gv), 0);
	return gv ? GvCV(gv) : NULL;
}

/*
 * Call CV with the N pooled arguments ARGS: call_sv() without what it repeats for each call and we
 * do once per run (run_events() in perlsink.c): saving the op, opening a scope, telling evals that
 * they are called from C.
 */
static inline void call_pooled(pTHX_ struct perlsink *ps, CV *cv, SV **args, unsigned n)
{
	SSize_t at;
	dSP;

	at = SP - PL_stack_base;
	PUSHMARK(SP);
	EXTEND(SP, (SSize_t)n + 1);
	memcpy(SP + 1, args, n * sizeof(*args));
	SP += n;
	PUSHs((SV *)cv);
	PUTBACK;
	priv_call(aTHX_ & ps->entersub);
	PL_stack_sp = PL_stack_base + at;
	FREETMPS;
}

/*
 * The same for a sub in which only the list of variables reads @_: they get their values directly,
 * and @_ is not made.
 */
static inline void call_given(pTHX_ struct perlsink *ps, CV *cv, const struct arg_plan *p)
{
	OP *const was = PL_op;
	SSize_t at;
	dSP;

	at = SP - PL_stack_base;
	PUSHMARK(SP);
	XPUSHs((SV *)cv);
	PUTBACK;
	priv_enter(aTHX_ & ps->entersub);
	for (unsigned i = 0; i < p->ngiven; i++)
		priv_give(aTHX_ p->given[i].at,
			  p->given[i].arg < p->nargs ? p->pool[p->given[i].arg] : NULL);
	priv_go_on(aTHX_ p->after, was);
	PL_stack_sp = PL_stack_base + at;
	FREETMPS;
}

/* Aggregations call nothing, so there is no current event for them. */
static inline void measure_all(struct binding *b, const struct event *raw)
{
	const struct event *ev;

	for (; b; b = b->next) {
		ev = binding_event(b, raw);
		if (ev)
			measure_take(b->measure, ev);
	}
}

void delivery_early(void *ps, const struct event *ev)
{
	measure_all(((struct perlsink *)ps)->bind.fed[ev->type->idx], ev);
}

/* Can all of these take their events in any order, without other data of the run? */
static bool measures_are_early(const struct binding *b)
{
	for (; b; b = b->next)
		if (measure_has_names(b->measure) || (b->where && b->where->has_names) ||
		    (b->map && stable_map_has_names(b->map)))
			return false;
	return true;
}

bool delivery_calls(const struct perlsink *ps)
{
	return bind_calls(&ps->bind) || ps->o.every;
}

/* Is one of these for events that were not chosen, too? */
static enum wanted want_of(const struct binding *b)
{
	for (; b; b = b->next)
		if (b->named && b->named->follows)
			return WANT_BEYOND;
	return WANT_ORDER;
}

static const struct etype *type_at(const struct perlsink *ps, unsigned idx)
{
	return catalog_at(ps->o.run->catalog, idx);
}

/*
 * Report which types are needed.  Events that are only counted may come in any order, if no sub
 * could see that an aggregation is ahead of it.
 */
static void tell_wanted(struct perlsink *ps)
{
	struct bind *b = &ps->bind;
	/* An answer that is cut to a time (Zed::Asked) may be cut where the reading is. */
	bool calls = delivery_calls(ps) || ps->o.losses_beyond;
	bool all = b->unhandled || ps->timeline;

	b->follows = bind_follows(b);
	for (unsigned i = 0; i < b->nbound; i++) {
		b->want[i] = b->bound[i]			     ? want_of(b->bound[i]) :
			     all				     ? WANT_ORDER :
			     !b->fed[i]				     ? WANT_NO :
			     calls || !measures_are_early(b->fed[i]) ? WANT_ORDER :
								       WANT_EARLY;
		if (ps->timeline_follows && timeline_follows(ps->timeline, type_at(ps, i)))
			b->want[i] = WANT_BEYOND;
	}
	ps->o.want(ps->o.arg, all && !b->follows && !ps->timeline_follows ? NULL : b->want);
}

void delivery_stacks(pTHX_ struct perlsink *ps)
{
	const struct source *s;

	if (ps->stacks || !api_asks_stack(aTHX))
		return;
	ps->stacks = true;
	for (unsigned i = 0; (s = pump_source(ps->o.run, i)); i++)
		for (unsigned k = 0; k < s->nstreams; k++)
			if (s->streams[k]->ops->stacks)
				s->streams[k]->ops->stacks(s->streams[k]);
}

bool delivery_attend(pTHX_ struct perlsink *ps)
{
	/* Bindings change only between events, so the flag stays set until an event is done. */
	if ((ps->in->attention & INTERP_SUBS) && !ps->next) {
		ps->in->attention &= ~INTERP_SUBS;
		ps->calling = NULL;
		delivery_stacks(aTHX_ ps);
		if (ps->phase == PHASE_EVENTS && bind_update(aTHX_ & ps->bind))
			tell_wanted(ps);
	}
	return ps->in->attention & (INTERP_STOP | INTERP_FORKED);
}

/* Does the run end before the remaining calls for the current event?  A signal waits for them. */
static bool ends_within(pTHX_ struct perlsink *ps)
{
	return delivery_attend(aTHX_ ps) && (!ps->signal || (ps->in->attention & INTERP_FORKED));
}

static void call_binding(pTHX_ struct perlsink *ps, struct binding *b, const struct event *ev)
{
	CV *cv = b->gv ? GvCV(b->gv) : b->named->code;

	if (UNLIKELY(!priv_has_body(cv))) {
		cv = b->gv ? find_body(aTHX_ & ps->bind, b->gv) : NULL;
		if (!cv)
			return;
	}
	ps->seen = ev;
	ps->calling = b;
	if (UNLIKELY(!b->plan || binding_is_stale(&ps->bind, b, priv_root(cv))))
		bind_plan(aTHX_ & ps->bind, b, cv);
	args_fill(aTHX_ b->plan, ev, &ps->args);
	if (b->plan->after)
		call_given(aTHX_ ps, cv, b->plan);
	else
		call_pooled(aTHX_ ps, cv, b->plan->pool, b->plan->nargs);
}

/* trace_lost($cpu, $count). */
static void call_lost(pTHX_ struct perlsink *ps, int cpu, uint64_t count, bool known)
{
	dSP;

	ps->sub = "trace_lost";
	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	EXTEND(SP, 2);
	mPUSHi(cpu);
	if (known)
		mPUSHu(count);
	else
		PUSHs(&PL_sv_undef);
	PUTBACK;
	call_sv((SV *)GvCV(ps->bind.lost), G_VOID | G_DISCARD);
	FREETMPS;
	LEAVE;
	ps->sub = NULL;
}

void delivery_loss(pTHX_ struct perlsink *ps, unsigned source, const struct losses_rest *r,
		   bool counts)
{
	if (counts)
		losses_rest(&ps->lost, r);
	ps->rest = r;
	ps->lost_source = source;
	if (ps->bind.lost && GvCV(ps->bind.lost) && !(ps->in->attention & INTERP_STOP))
		call_lost(aTHX_ ps, r->cpu, r->events, true);
	ps->rest = NULL;
}

/* ---- live: losses without a place, between two events ---- */

static void look_for_rests(void *arg)
{
	struct perlsink *ps = arg;
	const struct pump *run = ps->o.run;

	for (unsigned i = 0; i < run->nsources; i++)
		if (losses_has_next_rest(run->sources[i]))
			ps->in->attention |= INTERP_LOSSES;
}

static int no_fds(void *arg, struct pollfd *fds, int room, int *ms)
{
	(void)arg;
	(void)fds;
	(void)room;
	(void)ms;
	return 0;
}

void delivery_watch_losses(struct perlsink *ps)
{
	bool is_part = ps->o.asked.all_start || ps->o.asked.all_end != UINT64_MAX;

	/* Of a part of the time it is known at the end that they may be in it. */
	if (is_part || !(pump_is_live(ps->o.run) || ps->o.run->ncontainers))
		return;
	ps->hook = (struct poll_hook){ .look = look_for_rests, .fds = no_fds, .arg = ps };
	pump_guest(ps->o.run, &ps->hook);
}

static void tell_rests(pTHX_ struct perlsink *ps)
{
	const struct pump *run = ps->o.run;
	struct losses_rest r;

	ps->in->attention &= ~INTERP_LOSSES;
	ps->ev = ps->seen = NULL;
	for (unsigned i = 0; i < run->nsources; i++)
		while (losses_next_rest(run->sources[i], &r))
			delivery_loss(aTHX_ ps, run->sources[i]->num, &r, true);
}

static __attribute__((noinline)) enum verdict attend_between(pTHX_ struct perlsink *ps)
{
	if (ps->in->attention & INTERP_LOSSES)
		tell_rests(aTHX_ ps);
	return delivery_attend(aTHX_ ps) ? SINK_STOP : SINK_MORE;
}

/* All calls for the current event have been made. */
static inline enum verdict leave_event(pTHX_ struct perlsink *ps)
{
	return UNLIKELY(ps->in->attention) ? attend_between(aTHX_ ps) : SINK_MORE;
}

/* Is the item more than the losses before it? */
static bool is_wanted(const struct perlsink *ps)
{
	return ps->got == NEXT_EVENT || (ps->got == NEXT_BEYOND && ps->item.follow);
}

/*
 * Make the remaining calls for the current event (PS->ev); called again after a death in the middle
 * of it.
 */
static __attribute__((noinline)) enum verdict give_rest(pTHX_ struct perlsink *ps)
{
	const struct event *ev = ps->ev;
	struct binding *b;

	if (UNLIKELY(ev->lost && !ps->lost_told)) {
		ps->lost_told = true;
		if (ps->bind.lost && GvCV(ps->bind.lost)) {
			ps->seen = ev;
			call_lost(aTHX_ ps, ev->cpu, ev->lost, ev->lost != LOST_UNKNOWN);
			/* The sub that ran may have defined one for this same event. */
			ps->next = NULL;
			if (ps->in->attention && ends_within(aTHX_ ps))
				return SINK_STOP;
			if (is_wanted(ps))
				ps->next = ps->bind.bound[ev->type->idx];
		}
	}
	while ((b = ps->next)) {
		const struct event *seen;

		ps->next = b->next;
		if (UNLIKELY(ps->got == NEXT_BEYOND) && !(b->named && b->named->follows))
			continue;
		seen = binding_event(b, ev);
		if (seen)
			call_binding(aTHX_ ps, b, seen);
		if (UNLIKELY(ps->in->attention) && ends_within(aTHX_ ps))
			return SINK_STOP;
	}
	return leave_event(aTHX_ ps);
}

void delivery_base(struct perlsink *ps)
{
	ps->args.base = ps->o.run->run.base;
	ps->have_base = !ps->o.run->relative;
	if (ps->have_base)
		tell_wanted(ps);
}

/*
 * An event has reached the time of a Zed::when.  True: the run ends.  Not while there is a current
 * event.
 */
static __attribute__((noinline)) bool delivery_when(pTHX_ struct perlsink *ps,
						    const struct event *ev)
{
	ps->due = UINT64_MAX;
	ps->ev = ps->seen = NULL;
	ps->again = true;
	api_due(aTHX_ ev->ts - ps->args.base);
	ps->again = false;
	return ps->in->attention && ends_within(aTHX_ ps);
}

/* The same for EV, before synthetic events are made from it. */
static enum verdict give_due(pTHX_ struct perlsink *ps, const struct event *ev)
{
	if (UNLIKELY(!ps->have_base))
		delivery_base(ps);
	return ev->ts - ps->args.base >= ps->due && delivery_when(aTHX_ ps, ev) ? SINK_STOP :
										  SINK_MORE;
}

void delivery_watch(struct perlsink *ps)
{
	if (ps->o.synthetic)
		synthetic_watch(ps->o.synthetic, &ps->args.base, &ps->due);
}

/* The first event of all, or one of a type that appeared during the run. */
static inline void see_type(pTHX_ struct perlsink *ps, const struct etype *t)
{
	if (UNLIKELY(!ps->have_base))
		delivery_base(ps);
	if (UNLIKELY(t->idx >= ps->bind.nbound)) {
		bind_grow(aTHX_ & ps->bind, t);
		if (!ps->bind.unhandled)
			tell_wanted(ps);
	}
}

static inline enum verdict give_event(pTHX_ struct perlsink *ps, const struct event *ev)
{
	unsigned idx = ev->type->idx;
	struct binding *b;

	see_type(aTHX_ ps, ev->type);
	if (UNLIKELY(ps->interval.every) && interval_event(&ps->interval, ev->ts)) {
		ps->ev = ps->seen = NULL;
		ps->again = true;
		interval_tell(aTHX_ ps);
		ps->again = false;
		if (ps->in->attention && ends_within(aTHX_ ps))
			return SINK_STOP;
	}
	if (UNLIKELY(ev->ts - ps->args.base >= ps->due) && delivery_when(aTHX_ ps, ev))
		return SINK_STOP;
	if (UNLIKELY(ps->timeline != NULL))
		timeline_event(ps->timeline, ev);
	if (ps->bind.fed[idx])
		measure_all(ps->bind.fed[idx], ev);
	b = ps->bind.bound[idx];
	/* There is nothing to call. */
	if (!b && !ev->lost)
		return leave_event(aTHX_ ps);
	/* The only handler's filter rejects it: nothing to record. */
	if (b && b->where && !b->map && !b->next && !ev->lost && !expr_test_pass(b->where, ev))
		return leave_event(aTHX_ ps);
	ps->next = b;
	ps->ev = ps->seen = ev;
	ps->lost_told = false;
	if (UNLIKELY(ev->lost)) {
		losses_place(&ps->lost, ev->lost);
		return give_rest(aTHX_ ps);
	}
	/* give_rest(), for the usual case of one binding */
	ps->next = b->next;
	ev = binding_event(b, ev);
	if (ev)
		call_binding(aTHX_ ps, b, ev);
	if (UNLIKELY(ps->in->attention) && ends_within(aTHX_ ps))
		return SINK_STOP;
	return UNLIKELY(ps->next != NULL) ? give_rest(aTHX_ ps) : leave_event(aTHX_ ps);
}

static enum verdict give_lost(pTHX_ struct perlsink *ps, const struct event *ev)
{
	if (UNLIKELY(ev->ts - ps->args.base >= ps->due) && delivery_when(aTHX_ ps, ev))
		return SINK_STOP;
	losses_place(&ps->lost, ev->lost);
	if (ps->timeline)
		timeline_lost(ps->timeline, ev);
	if (!ps->bind.lost)
		return leave_event(aTHX_ ps);
	ps->ev = ps->seen = ev;
	ps->next = NULL;
	ps->lost_told = false;
	return give_rest(aTHX_ ps);
}

/* Events that were not chosen give the time line the states of tasks, up to its end. */
static void timeline_unchosen(struct perlsink *ps, const struct event *ev, bool follow)
{
	if (follow && ps->timeline_follows && timeline_follows(ps->timeline, ev->type))
		timeline_beyond(ps->timeline, ev);
	else if (ev->lost)
		timeline_lost(ps->timeline, ev);
	if (ps->timeline_follows && timeline_is_over(ps->timeline, ev->ts)) {
		ps->timeline_follows = false;
		tell_wanted(ps);
	}
}

/* Losses that do not count are only for handlers that follow states. */
static enum verdict give_beyond(pTHX_ struct perlsink *ps, const struct event *ev, bool follow,
				bool counts)
{
	unsigned idx = ev->type->idx;

	see_type(aTHX_ ps, ev->type);
	if (UNLIKELY(ev->ts - ps->args.base >= ps->due) && delivery_when(aTHX_ ps, ev))
		return SINK_STOP;
	if (UNLIKELY(ps->timeline != NULL))
		timeline_unchosen(ps, ev, follow);
	if (ev->lost && counts)
		losses_place(&ps->lost, ev->lost);
	else if (ev->lost && !ps->o.losses_beyond)
		beyond_see(&ps->beyond, ev, ps->o.asked.all_end);
	ps->ev = ps->seen = ev;
	ps->lost_told = !(ev->lost && (counts || ps->bind.follows || ps->o.losses_beyond));
	ps->next = follow ? ps->bind.bound[idx] : NULL;
	return give_rest(aTHX_ ps);
}

/* Live: there is nothing to read. */
static enum verdict give_idle(pTHX_ struct perlsink *ps)
{
	if (UNLIKELY(ps->in->attention & INTERP_LOSSES)) {
		tell_rests(aTHX_ ps);
		if (ps->in->attention && delivery_attend(aTHX_ ps))
			return SINK_STOP;
	}
	if (UNLIKELY(ps->interval.every) && interval_idle(&ps->interval)) {
		ps->ev = ps->seen = NULL;
		interval_tell(aTHX_ ps);
		if (ps->in->attention && delivery_attend(aTHX_ ps))
			return SINK_STOP;
	}
	interp_flush(ps->in);
	return ps->in->attention & (INTERP_STOP | INTERP_FORKED) ? SINK_STOP : SINK_MORE;
}

static enum verdict give_signals(pTHX_ struct perlsink *ps)
{
	ps->ev = ps->seen = NULL;
	interp_signals(ps->in);
	return ps->in->attention && delivery_attend(aTHX_ ps) ? SINK_STOP : SINK_MORE;
}

/* Handle the item PS->got, except for events. */
static __attribute__((noinline)) enum verdict give(pTHX_ struct perlsink *ps)
{
	const struct item *it = &ps->item;

	switch (ps->got) {
	case NEXT_DUE:
		return give_due(aTHX_ ps, it->ev);
	case NEXT_LOST:
		return give_lost(aTHX_ ps, it->ev);
	case NEXT_BEYOND:
		return give_beyond(aTHX_ ps, it->ev, it->follow, it->counts);
	case NEXT_IDLE:
		return give_idle(aTHX_ ps);
	case NEXT_SIGNAL:
		return give_signals(aTHX_ ps);
	case NEXT_SOURCE:
		/* Types and sources are read as their events come. */
		return SINK_MORE;
	default:
		return SINK_STOP;
	}
}

/* Do what a death left to do for the current event, and handle pending signals. */
static enum verdict go_on(pTHX_ struct perlsink *ps)
{
	enum verdict v = SINK_MORE;

	if (ps->ev && (ps->next || !ps->lost_told))
		v = give_rest(aTHX_ ps);
	return v == SINK_MORE ? give_signals(aTHX_ ps) : v;
}

/* A signal has ended the run within an event: what is made from its record is still given. */
static void give_made(pTHX_ struct perlsink *ps)
{
	while (!(ps->in->attention & INTERP_FORKED) && stage_rest(ps->from, &ps->item, &ps->got)) {
		if (ps->got == NEXT_EVENT)
			give_event(aTHX_ ps, ps->item.ev);
		else
			give(aTHX_ ps);
	}
}

enum run_end delivery_run(pTHX_ struct perlsink *ps)
{
	bool again = ps->again;
	enum verdict v;

	ps->again = false;
	ps->rest = NULL;
	v = go_on(aTHX_ ps);
	/* Handlers that follow states, and timers, get losses at other times, too. */
	ps->o.run->follows_losses = true;
	if (v == SINK_MORE && !ps->from && !(ps->from = ps->o.start(ps->o.arg, &ps->err)))
		return RUN_FAILED;
	while (v == SINK_MORE) {
		if (!again)
			ps->got = stage_next(ps->from, &ps->item, &ps->err);
		again = false;
		v = LIKELY(ps->got == NEXT_EVENT) ? give_event(aTHX_ ps, ps->item.ev) :
						    give(aTHX_ ps);
	}
	if (ps->signal && ps->from && ps->got >= NEXT_EVENT && ps->got != NEXT_END)
		give_made(aTHX_ ps);
	ps->next = NULL;
	ps->lost_told = true;
	return ps->got == NEXT_END    ? ps->item.end :
	       ps->got == NEXT_FAILED ? RUN_FAILED :
					RUN_STOPPED;
}
