/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perlsink: calls the script's subs for events, with trace_begin before and trace_end after them.
 * Whatever ends a run (the last event, die, exit, a signal, a closed pipe, Zed::stop, a fork), it
 * ends in order.
 */
#include "interp/perlsink.h"

#include "interp/api/sink.h"
#include "interp/death.h"
#include "interp/perl/perl_priv.h"
#include "reader/timeline/timeline.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEATHS_SHOWN 10

static struct perlsink *sink_of(struct sink *s)
{
	return (struct perlsink *)s;
}

/*
 * The body of GV's sub, or its package's AUTOLOAD where the sub was declared only; NULL: the sub
 * has gone, and there is nothing to call.
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
 * Call CV with the N pooled arguments ARGS: call_sv() without what it repeats for each call and
 * we do once for a run (run_events): saving the op, opening a scope, telling evals that C stands
 * above them.
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
 * The same for a sub whose list of variables is all that looks at @_: they are given their values,
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

/* Aggregations call nothing, so no event is in flight for them. */
static inline void measure_all(struct binding *b, const struct event *raw)
{
	const struct event *ev;

	for (; b; b = b->next) {
		ev = binding_event(b, raw);
		if (ev)
			measure_take(b->measure, ev);
	}
}

static void sink_early(struct sink *s, const struct event *ev)
{
	measure_all(sink_of(s)->bind.fed[ev->type->idx], ev);
}

/* Can all of these take their events in any order, and need nothing else of the run? */
static bool measures_are_early(const struct binding *b)
{
	for (; b; b = b->next)
		if (measure_has_names(b->measure) || (b->where && b->where->has_names) ||
		    (b->map && stable_map_has_names(b->map)))
			return false;
	return true;
}

/*
 * Tell which types are of use.  What is only counted may come in any order, where no sub could see
 * that an aggregation is ahead of it.
 */
static void tell_wanted(struct perlsink *ps)
{
	struct bind *b = &ps->bind;
	bool calls = b->unhandled || b->lost;
	unsigned i;

	for (i = 0; i < b->nbound && !calls; i++)
		calls = b->bound[i] != NULL;
	for (i = 0; i < b->nbound; i++)
		b->want[i] = b->bound[i]			     ? WANT_ORDER :
			     !b->fed[i]				     ? WANT_NO :
			     calls || !measures_are_early(b->fed[i]) ? WANT_ORDER :
								       WANT_EARLY;
	ps->o.want(ps->o.arg, b->unhandled || ps->timeline ? NULL : b->want);
}

/* Something asked for attention during Perl code.  True: no more events. */
static bool attend(pTHX_ struct perlsink *ps)
{
	/* What is bound changes between events, so the flag stays up until an event is done. */
	if ((ps->in->attention & INTERP_SUBS) && !ps->next) {
		ps->in->attention &= ~INTERP_SUBS;
		ps->calling = NULL;
		if (ps->phase == PHASE_EVENTS && bind_update(aTHX_ & ps->bind))
			tell_wanted(ps);
	}
	return ps->in->attention & (INTERP_STOP | INTERP_FORKED);
}

static void count_lost(struct perlsink *ps, uint64_t count)
{
	if (count == LOST_UNKNOWN)
		ps->lost.places++;
	else
		ps->lost.events += count;
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

/* The rest of what the current event calls for; entered again after a death in the middle of it. */
static __attribute__((noinline)) enum verdict deliver(pTHX_ struct perlsink *ps)
{
	const struct event *ev = ps->ev;
	struct binding *b;

	if (UNLIKELY(ev->lost && !ps->lost_told)) {
		ps->lost_told = true;
		if (ps->bind.lost && GvCV(ps->bind.lost)) {
			ps->seen = ev;
			call_lost(aTHX_ ps, ev->cpu, ev->lost, ev->lost != LOST_UNKNOWN);
			/* The sub that ran may have defined one for this very event. */
			ps->next = NULL;
			if (ps->in->attention && attend(aTHX_ ps))
				return SINK_STOP;
			if (!ps->rejected)
				ps->next = ps->bind.bound[ev->type->idx];
		}
	}
	while ((b = ps->next)) {
		const struct event *seen = binding_event(b, ev);

		ps->next = b->next;
		if (seen)
			call_binding(aTHX_ ps, b, seen);
		if (UNLIKELY(ps->in->attention) && attend(aTHX_ ps))
			return SINK_STOP;
	}
	return SINK_MORE;
}

/* Take the base of all times, once it is known; from then on only types with handlers matter. */
static void take_base(struct perlsink *ps)
{
	ps->args.base = ps->o.base(ps->o.arg, &ps->have_base);
	if (ps->have_base)
		tell_wanted(ps);
}

static enum verdict sink_event(struct sink *s, const struct event *ev, struct err *e)
{
	struct perlsink *ps = sink_of(s);
	dTHXa(ps->perl);
	unsigned idx = ev->type->idx;
	struct binding *b;

	PERL_UNUSED_VAR(e);
	if (UNLIKELY(!ps->have_base))
		take_base(ps);
	if (UNLIKELY(idx >= ps->bind.nbound)) {
		bind_grow(aTHX_ & ps->bind, ev->type);
		if (!ps->bind.unhandled)
			tell_wanted(ps);
	}
	if (UNLIKELY(ps->timeline != NULL))
		timeline_event(ps->timeline, ev);
	if (ps->bind.fed[idx])
		measure_all(ps->bind.fed[idx], ev);
	b = ps->bind.bound[idx];
	/* Nobody is to be called. */
	if (!b && !ev->lost)
		return SINK_MORE;
	/* The only handler does not want it: nothing to note. */
	if (b && b->where && !b->map && !b->next && !ev->lost && !program_pass(b->where, ev))
		return SINK_MORE;
	ps->next = b;
	ps->ev = ps->seen = ev;
	ps->lost_told = ps->rejected = false;
	if (UNLIKELY(ev->lost)) {
		count_lost(ps, ev->lost);
		return deliver(aTHX_ ps);
	}
	/* deliver(), for the usual case of one binding */
	ps->next = b->next;
	ev = binding_event(b, ev);
	if (ev)
		call_binding(aTHX_ ps, b, ev);
	if (UNLIKELY(ps->in->attention) && attend(aTHX_ ps))
		return SINK_STOP;
	return UNLIKELY(ps->next != NULL) ? deliver(aTHX_ ps) : SINK_MORE;
}

static enum verdict sink_lost(struct sink *s, const struct event *ev, struct err *e)
{
	struct perlsink *ps = sink_of(s);
	dTHXa(ps->perl);

	PERL_UNUSED_VAR(e);
	count_lost(ps, ev->lost);
	if (ps->timeline)
		timeline_lost(ps->timeline, ev);
	if (!ps->bind.lost)
		return SINK_MORE;
	ps->ev = ps->seen = ev;
	ps->next = NULL;
	ps->lost_told = false;
	ps->rejected = true;
	return deliver(aTHX_ ps);
}

static enum verdict sink_idle(struct sink *s, struct err *e)
{
	struct perlsink *ps = sink_of(s);

	PERL_UNUSED_VAR(e);
	interp_flush(ps->in);
	return ps->in->attention & (INTERP_STOP | INTERP_FORKED) ? SINK_STOP : SINK_MORE;
}

static const struct sink_ops ops = {
	.event = sink_event,
	.lost = sink_lost,
	.early = sink_early,
	.idle = sink_idle,
};

struct perlsink *perlsink_new(struct interp *in, const struct perlsink_opts *o)
{
	struct perlsink *ps = mem_zalloc(sizeof(*ps));
	dTHXa(in->perl);

	ps->sink.ops = &ops;
	priv_call_init(aTHX_ & ps->entersub);
	ps->perl = in->perl;
	ps->in = in;
	ps->o = *o;
	ps->args.notes = o->notes;
	bind_init(&ps->bind, o->catalog, o->stable, &ps->args.base, o->notes);
	ps->bind.convention = o->args == ARGS_PERF ? CONVENTION_PERF :
			      o->args == ARGS_ZED  ? CONVENTION_ZED :
						     CONVENTION_OPEN;
	return ps;
}

void perlsink_boot(struct interp *in, void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(in->perl);

	const char *system;
	unsigned i;

	api_boot(aTHX_ ps);
	/* The user has named these, not the trace: subs of the script may handle them. */
	for (i = 0; ps->o.synthetic && (system = synthetic_system(ps->o.synthetic, i)); i++)
		bind_declare(aTHX_ & ps->bind, system, "");
}

/* ---------------------------------------------------------------- the run */

/* Call main::NAME without arguments, if there is one. */
static void call_main(pTHX_ struct perlsink *ps, const char *name)
{
	GV *gv = bind_main(aTHX_ name);
	dSP;

	if (!gv)
		return;
	ps->sub = name + strlen("main::");
	PUSHMARK(SP);
	call_sv((SV *)GvCV(gv), G_VOID | G_DISCARD | G_NOARGS);
	ps->sub = NULL;
}

static void run_begin(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	call_main(aTHX_ ps, "main::trace_begin");
}

static void run_end(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	call_main(aTHX_ ps, "main::trace_end");
}

static void run_kept(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	api_print_kept(aTHX);
}

static void tell_loss(void *arg, int cpu, uint64_t count)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	count_lost(ps, count);
	if (ps->bind.lost && GvCV(ps->bind.lost) && !(ps->in->attention & INTERP_STOP))
		call_lost(aTHX_ ps, cpu, count, true);
}

static void run_losses(void *arg)
{
	struct perlsink *ps = arg;

	ps->o.losses(ps->o.arg, tell_loss, ps);
}

static void run_events(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	SAVEOP();
	SAVETMPS;
	for (;;) {
		/* The rest of an event in which a sub died. */
		if (ps->ev && (ps->next || !ps->lost_told) && deliver(aTHX_ ps) != SINK_MORE) {
			ps->end = RUN_STOPPED;
			return;
		}
		ps->ev = ps->seen = NULL;
		interp_signals(ps->in);
		if (ps->in->attention && attend(aTHX_ ps)) {
			ps->end = RUN_STOPPED;
			return;
		}
		ps->end = ps->o.events(ps->o.arg, &ps->sink, &ps->err);
		ps->next = NULL;
		ps->lost_told = true;
		if (ps->end != RUN_SIGNALLED)
			return;
	}
}

enum after { GO_ON, TO_END, LEAVE_RUN };

/* A part of the run ended in HOW: what comes next? */
static enum after after(pTHX_ struct perlsink *ps, enum interp_how how, struct perlsink_result *r)
{
	if (how == INTERP_DIED) {
		death_say(aTHX_ ps);
		r->status = 255;
	} else if (how == INTERP_EXITED) {
		r->status = interp_status(ps->in);
	}
	ps->sub = NULL;
	if (ps->in->attention & INTERP_FORKED) {
		r->forked = true;
		if (r->status < 0)
			r->status = 0;
		return LEAVE_RUN;
	}
	return how == INTERP_OK ? GO_ON : how == INTERP_DIED ? TO_END : LEAVE_RUN;
}

static enum after run_all(pTHX_ struct perlsink *ps, struct perlsink_result *r)
{
	enum interp_how how;

	ps->phase = PHASE_EVENTS;
	bind_update(aTHX_ & ps->bind);
	if (bind_convention(aTHX_ & ps->bind))
		bind_update(aTHX_ & ps->bind);
	bind_warn(aTHX_ & ps->bind);
	take_base(ps);
	if (ps->gone)
		note_say(ps->o.notes, NOTE_WARN,
			 "%s: is gone before the first event, with its variable: one that a sub "
			 "uses lasts, or call it without any, and it is printed at the end",
			 ps->gone);
	for (;;) {
		how = interp_guard(ps->in, run_events, ps);
		if (how != INTERP_DIED || !ps->o.keep_going || (ps->in->attention & INTERP_FORKED))
			break;
		if (++ps->deaths <= DEATHS_SHOWN)
			death_say(aTHX_ ps);
		ps->sub = NULL;
		if (ps->in->attention & (INTERP_STOP | INTERP_FORKED)) {
			ps->end = RUN_STOPPED;
			how = INTERP_OK;
			break;
		}
	}
	r->end = how == INTERP_OK ? ps->end : RUN_STOPPED;
	r->err = ps->err;
	r->deaths = ps->deaths;
	return after(aTHX_ ps, how, r);
}

void perlsink_run(struct perlsink *ps, struct perlsink_result *r)
{
	dTHXa(ps->perl);
	enum after next;

	memset(r, 0, sizeof(*r));
	r->status = -1;
	r->end = RUN_STOPPED;
	/* A child that the main program made and lets go on is a run of its own. */
	ps->in->attention = 0;
	ps->phase = PHASE_BEGIN;
	next = after(aTHX_ ps, interp_guard(ps->in, run_begin, ps), r);
	if (next == GO_ON && !ps->stop)
		next = run_all(aTHX_ ps, r);
	ps->ev = ps->seen = NULL;
	ps->o.clear(ps->o.arg);
	if (next == GO_ON && r->end == RUN_DONE && ps->o.losses)
		next = after(aTHX_ ps, interp_guard(ps->in, run_losses, ps), r);
	if (next != LEAVE_RUN) {
		ps->phase = PHASE_END;
		next = after(aTHX_ ps, interp_guard(ps->in, run_end, ps), r);
		ps->counted = next == GO_ON && r->status < 0;
		if (next != LEAVE_RUN)
			after(aTHX_ ps, interp_guard(ps->in, run_kept, ps), r);
	}
	ps->phase = PHASE_OVER;
	r->signal = ps->signal;
}

static void drop_values(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	bind_fini(aTHX_ & ps->bind);
}

void perlsink_free(struct perlsink *ps, bool before)
{
	if (before) {
		/* Destructors of what the script left in its arguments run here. */
		if (interp_guard(ps->in, drop_values, ps) == INTERP_DIED)
			interp_say_death(ps->in);
		return;
	}
	args_state_fini(&ps->args);
	api_free(ps);
	api_trace_free(ps);
	timeline_free(ps->timeline);
	free(ps->gone);
	free(ps);
}
