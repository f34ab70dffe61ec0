/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perlsink: the run of a script: trace_begin, the events, trace_end.  Whatever ends it (the last
 * event, die, exit, a signal, a closed pipe, Zed::stop, a fork), it ends in an orderly way.
 */
#include "interp/perlsink.h"

#include "interp/delivery.h"
#include "interp/interval.h"
#include "interp/metrics/metric.h"
#include "interp/common/number_tables.h"
#include "interp/perl/perl_priv.h"
#include "analysis/timeline/timeline.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEATHS_SHOWN 10
#define NSEC 1000000000ull

struct perlsink *perlsink_new(struct interp *in, const struct host_opts *o)
{
	struct perlsink *ps = mem_zalloc(sizeof(*ps));
	dTHXa(in->perl);

	ps->due = UINT64_MAX;
	priv_call_init(aTHX_ & ps->entersub);
	ps->perl = in->perl;
	ps->in = in;
	ps->o = *o;
	ps->args.budget.notes = o->notes;
	bind_init(&ps->bind, o->run->catalog, o->stable, &ps->args.base, o->notes);
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
	metric_boot(aTHX_ ps);
	/* Named by the user, not by the trace: subs of the script may handle them. */
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

static void run_interval(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	interval_end(aTHX_ ps);
}

static void run_end(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	call_main(aTHX_ ps, "main::trace_end");
}

static void run_state(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	api_fleet_state(aTHX_ ps);
}

static void run_merge(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	api_fleet_merge(aTHX_ ps);
}

static void run_kept(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	api_print_kept(aTHX);
}

/* Losses that only the recorder's statistics know. */
struct timeless {
	struct perlsink *ps;
	bool perhaps;	 /* a time was asked for: they may be in it */
	bool at_most;	 /* --head: losses of the rest, which was not read, are among them */
	uint64_t untold; /* events of these that trace_lost was not called for */
};

static void tell_loss(void *arg, const struct losses_rest *r)
{
	struct timeless *t = arg;
	struct perlsink *ps = t->ps;
	dTHXa(ps->perl);

	/* From a CPU without a stream the run had nothing to leave out. */
	if (!r->of && !filter_takes_cpu(ps->o.run->filter, r->cpu))
		return;
	if (t->perhaps && !ps->o.losses_beyond) {
		t->untold += r->events;
		return;
	}
	delivery_loss(aTHX_ ps, ps->lost_source, r, !t->perhaps);
}

/* Does anything of the script count losses? */
static bool counts_losses(const struct perlsink *ps)
{
	const struct bind *b = &ps->bind;

	for (size_t i = 0; i < b->nnamed; i++)
		if (b->named[i]->plan)
			return true;
	return b->lost && GvCV(b->lost);
}

/* Report losses that are only in the recorder's statistics. */
static void run_losses(void *arg)
{
	struct perlsink *ps = arg;
	struct pump *run = ps->o.run;
	struct timeless t = {
		.ps = ps,
		.perhaps = ps->o.asked.all_start || ps->o.asked.all_end != UINT64_MAX ||
			   ps->end == RUN_STOPPED,
		.at_most = ps->end == RUN_STOPPED,
	};

	/* Losses after all events are after the last part. */
	if (run->parted && !run->part.last)
		return;
	for (unsigned i = 0; i < run->nsources; i++) {
		ps->lost_source = run->sources[i]->num;
		losses_each_rest(run->sources[i], tell_loss, &t);
	}
	if (t.at_most && !ps->o.losses_beyond)
		beyond_see_ahead(&ps->beyond, run);
	if (counts_losses(ps))
		beyond_say(&ps->beyond, run, ps->o.asked.all_end, ps->signal || ps->died,
			   ps->o.notes);
	if (t.untold && counts_losses(ps))
		note_say(ps->o.notes, NOTE_WARN,
			 "%s%" PRIu64 " event%s of the whole trace %s lost at unknown times "
			 "(the recorder's statistics): some may be in the time that was %s",
			 t.at_most ? "up to " : "", t.untold, plural(t.untold),
			 t.untold == 1 ? "was" : "were",
			 ps->signal || ps->died ? "read" : "asked for");
}

static void run_events(void *arg)
{
	struct perlsink *ps = arg;
	dTHXa(ps->perl);

	SAVEOP();
	SAVETMPS;
	ps->end = delivery_run(aTHX_ ps);
}

/* ---------------------------------------------------------------- a sub that died */

/* Where it happened, after perl's own message. */
static void say_where(pTHX_ struct perlsink *ps)
{
	char text[1400];
	const struct event *ev = ps->ev;
	uint64_t ts;

	if (!ev) {
		if (!ps->sub)
			return;
		snprintf(text, sizeof(text), "while in %s", ps->sub);
	} else {
		ts = ev->ts - ps->args.base;
		snprintf(text, sizeof(text), "while in %s, cpu %d, %llu.%09llu, %s offset 0x%llx",
			 ps->sub ? ps->sub : ps->sub_name, ev->cpu, (unsigned long long)(ts / NSEC),
			 (unsigned long long)(ts % NSEC), ev->from->path,
			 (unsigned long long)ev->off);
	}
	ps->o.say(ps->o.arg, text);
}

/* The handler in which the current event died. */
static void name_sub(pTHX_ struct perlsink *ps)
{
	const struct binding *b = ps->calling;
	const struct etype *t = ps->ev ? ps->ev->type : NULL;
	char *name = ps->sub_name;
	size_t size = sizeof(ps->sub_name);

	*name = 0;
	if (!t)
		return;
	if (!b || b->kind == BIND_SUB)
		bind_name(t, name, size, NULL);
	else if (b->kind == BIND_UNHANDLED)
		snprintf(name, size, "trace_unhandled (%s::%s)", t->system, t->name);
	else if (b->kind == BIND_PROCESS)
		snprintf(name, size, "process_event (%s::%s)", t->system, t->name);
	else if (b->kind == BIND_NAMED)
		snprintf(name, size, "Zed::on '%s' of %s (%s::%s)", b->named->text, b->named->at,
			 t->system, t->name);
	else
		snprintf(name, size, "%s::%s (%s::%s)", b->stable->system, b->stable->name,
			 t->system, t->name);
}

/*
 * A sub has died: print perl's message, which sub (PS->sub, or that of the current event), where.
 */
static void say_death(pTHX_ struct perlsink *ps)
{
	const char *sub = ps->sub;

	name_sub(aTHX_ ps);
	ps->o.clear(ps->o.arg);
	interp_say_death(ps->in);
	ps->sub = sub;
	say_where(aTHX_ ps);
	ps->sub = NULL;
}

/* ---------------------------------------------------------------- what comes next */

enum after { GO_ON, TO_END, LEAVE_RUN };

/* A part of the run ended with HOW: what comes next? */
static enum after after(pTHX_ struct perlsink *ps, enum interp_how how, struct script_result *r)
{
	if (how == INTERP_DIED) {
		say_death(aTHX_ ps);
		ps->died = true;
		r->status = 255;
	} else if (how == INTERP_EXITED) {
		r->status = interp_status(ps->in);
	}
	ps->sub = NULL;
	ps->rest = NULL;
	if (ps->in->attention & INTERP_FORKED) {
		r->forked = true;
		if (r->status < 0)
			r->status = 0;
		return LEAVE_RUN;
	}
	return how == INTERP_OK ? GO_ON : how == INTERP_DIED ? TO_END : LEAVE_RUN;
}

static enum after run_all(pTHX_ struct perlsink *ps, struct script_result *r)
{
	enum interp_how how;

	ps->phase = PHASE_EVENTS;
	delivery_stacks(aTHX_ ps);
	bind_update(aTHX_ & ps->bind);
	if (bind_convention(aTHX_ & ps->bind))
		bind_update(aTHX_ & ps->bind);
	bind_warn(aTHX_ & ps->bind);
	delivery_base(ps);
	delivery_watch(ps);
	interval_begin(&ps->interval, ps->o.run, ps->o.every);
	delivery_watch_losses(ps);
	pump_early(ps->o.run, delivery_early, ps);
	if (ps->gone)
		note_say(ps->o.notes, NOTE_WARN,
			 "%s: freed before the first event, with its variable: use the variable in "
			 "a sub, or call the function without assigning its result, and the answer "
			 "is printed at the end",
			 ps->gone);
	for (;;) {
		how = interp_guard(ps->in, run_events, ps);
		if (how != INTERP_DIED || !ps->o.keep_going || (ps->in->attention & INTERP_FORKED))
			break;
		if (++ps->deaths <= DEATHS_SHOWN)
			say_death(aTHX_ ps);
		ps->sub = NULL;
		if (ps->in->attention & (INTERP_STOP | INTERP_FORKED)) {
			ps->end = RUN_STOPPED;
			how = INTERP_OK;
			break;
		}
	}
	if (ps->from)
		stage_leave(ps->from);
	r->end = how == INTERP_OK ? ps->end : RUN_STOPPED;
	r->err = ps->err;
	r->deaths = ps->deaths;
	return after(aTHX_ ps, how, r);
}

bool perlsink_calls(struct perlsink *ps)
{
	dTHXa(ps->perl);

	bind_update(aTHX_ & ps->bind);
	if (bind_convention(aTHX_ & ps->bind))
		bind_update(aTHX_ & ps->bind);
	return delivery_calls(ps);
}

bool perlsink_follows(const struct perlsink *ps)
{
	return ps->o.follows || bind_follows(&ps->bind);
}

const char *perlsink_crowded(struct perlsink *ps, unsigned parts)
{
	dTHXa(ps->perl);

	return api_fleet_crowded(aTHX_ ps, parts);
}

unsigned perlsink_check(struct perlsink *ps, void (*line)(void *arg, const char *text), void *arg)
{
	dTHXa(ps->perl);

	PRIV_ONLY_CHECKED = TRUE;
	ps->phase = PHASE_OVER;
	bind_update(aTHX_ & ps->bind);
	if (bind_convention(aTHX_ & ps->bind))
		bind_update(aTHX_ & ps->bind);
	bind_warn(aTHX_ & ps->bind);
	return bind_check(aTHX_ & ps->bind, line, arg);
}

/* The end of a run that gives its state in place of its answer. */
static void end_with_state(pTHX_ struct perlsink *ps, enum after next, struct script_result *r)
{
	/*
	 * If the script or --head ends it, that is the end of the trace; a signal leaves some of it
	 * unread.
	 */
	if (next != GO_ON || ps->signal || (r->end != RUN_DONE && r->end != RUN_STOPPED))
		return;
	next = after(aTHX_ ps, interp_guard(ps->in, run_state, ps), r);
	r->told = next == GO_ON;
}

/*
 * Did --head, a signal or a death end the run before the end of the inputs?  Not a closed pipe: the
 * reader of the answer has gone.
 */
static bool is_cut_short(const struct perlsink *ps, const struct script_result *r)
{
	if (r->end != RUN_STOPPED || ps->signal == SIGPIPE)
		return false;
	return ps->signal || ps->died || (ps->o.asked.head && !ps->stop);
}

/* After the events: what is known of losses without a place, whatever has ended them. */
static enum after after_events(pTHX_ struct perlsink *ps, enum after next, struct script_result *r)
{
	enum after then;

	if (next == LEAVE_RUN || (r->end != RUN_DONE && !is_cut_short(ps, r)))
		return next;
	ps->in->attention &= ~INTERP_STOP;
	then = after(aTHX_ ps, interp_guard(ps->in, run_losses, ps), r);
	return then == GO_ON ? next : then;
}

void perlsink_run(struct perlsink *ps, struct script_result *r)
{
	dTHXa(ps->perl);
	enum after next;

	memset(r, 0, sizeof(*r));
	r->status = -1;
	r->end = RUN_STOPPED;
	/* A child that the main program forked and that continues is a run of its own. */
	ps->in->attention = 0;
	ps->phase = PHASE_BEGIN;
	if (ps->o.reduces) {
		next = after(aTHX_ ps, interp_guard(ps->in, run_merge, ps), r);
		r->end = next != GO_ON || ps->stop ? RUN_STOPPED : RUN_DONE;
	} else {
		next = after(aTHX_ ps, interp_guard(ps->in, run_begin, ps), r);
		if (next == GO_ON && ps->o.alone)
			r->end = ps->stop ? RUN_STOPPED : RUN_DONE;
		else if (next == GO_ON && !ps->stop)
			next = run_all(aTHX_ ps, r);
	}
	ps->end = r->end;
	ps->ev = ps->seen = NULL;
	ps->o.clear(ps->o.arg);
	next = after_events(aTHX_ ps, next, r);
	if (next == GO_ON && !ps->o.maps)
		next = after(aTHX_ ps, interp_guard(ps->in, run_interval, ps), r);
	if (ps->o.maps) {
		ps->phase = PHASE_END;
		end_with_state(aTHX_ ps, next, r);
	} else if (next != LEAVE_RUN && !(ps->o.reduces && r->end != RUN_DONE)) {
		ps->phase = PHASE_END;
		next = after(aTHX_ ps, interp_guard(ps->in, run_end, ps), r);
		ps->counted = next == GO_ON && r->status < 0;
		if (next != LEAVE_RUN)
			after(aTHX_ ps, interp_guard(ps->in, run_kept, ps), r);
	}
	ps->phase = PHASE_OVER;
	r->signal = ps->signal;
	r->halted = ps->halted;
	r->says_cut = ps->says_cut;
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
		/* Destructors of objects that the script left in its arguments run here. */
		if (interp_guard(ps->in, drop_values, ps) == INTERP_DIED)
			interp_say_death(ps->in);
		return;
	}
	args_state_fini(&ps->args);
	api_free(ps);
	number_tables_free(ps->numbers);
	timeline_free(ps->timeline);
	free(ps->gone);
	free(ps);
}
