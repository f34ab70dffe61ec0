// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pump: the run over open inputs: when the next event is asked for, pulls it from the merge and
 * filters it.  It also decides how damage is handled.
 */
#include "run/pump_priv.h"

#include "run/jump.h"
#include "run/period.h"
#include "trace/comm_event.h"
#include "trace/comms/comms.h"

#include <stdlib.h>
#include <string.h>

void pump_fini(struct pump *p)
{
	merge_free(p->merge);
	filter_free(p->filter);
	period_fini(p);
	jump_fini(p);
	inputs_close(p);
	free(p->fds);
	free(p->stalls);
	catalog_free(p->catalog);
	memset(p, 0, sizeof(*p));
}

void pump_guest(struct pump *p, struct poll_hook *h)
{
	h->next = p->guests;
	p->guests = h;
}

void pump_part(struct pump *p, const struct pump_part *part)
{
	filter_times(p->filter, part->start, part->end);
	p->parted = true;
	p->part = *part;
}

/*
 * A damaged piece: the first one of each stream is reported, all are counted.
 * Returns -1 if the run has to end because of it.
 */
static int damaged(struct pump *p, struct err *e)
{
	p->stats.damaged++;
	if (p->opts.strict)
		return -1;
	if (merge_failed(p->merge)->damaged == 1)
		note_err(p->opts.source.notes, NOTE_DAMAGE, e);
	else if (p->opts.source.notes)
		p->opts.source.notes->damage++;
	return 0;
}

/* IT->ev does not pass.  False: the caller gets nothing. */
static bool leave_out(struct pump *p, struct item *it, enum next *got)
{
	const struct event *ev = it->ev;
	bool counts = ev->lost && filter_has_time(p->filter, ev->ts);
	bool follow = !ev->bare && ev->type->demand->asked == WANT_BEYOND &&
		      filter_pass_kind(p->filter, ev);

	p->stats.followed += follow;
	if (!follow && !ev->lost)
		return false;
	it->follow = follow;
	it->counts = counts;
	*got = counts && !follow ? NEXT_LOST : NEXT_BEYOND;
	return true;
}

/* IT->ev is the next one.  False: the caller gets nothing. */
static inline bool take(struct pump *p, struct item *it, enum next *got)
{
	const struct event *ev = it->ev;
	const struct etype *t = ev->type;

	p->comms = t->machine->comms;
	if (comms_advance(p->comms, ev->ts))
		catalog_see_names(p->catalog);
	if (t->comm_event && !ev->bare) {
		if (!(p->jumps && jump_has_names(p, ev)) && comm_event_read(ev))
			catalog_see_names(p->catalog);
		/* No consumer needs it. */
		if (t->demand->asked == WANT_NO && !ev->lost)
			return false;
	}
	if (p->filtered && (ev->bare || !filter_pass(p->filter, ev)))
		return leave_out(p, it, got);
	if (!p->stats.passed++)
		p->stats.first_ts = ev->ts;
	p->stats.last_ts = ev->ts;
	*got = NEXT_EVENT;
	return true;
}

/* The caller has done with the last event. */
static inline void let_go(struct pump *p)
{
	struct comms *comms = p->comms;

	/*
	 * At once: streams skip types that are not needed when they are asked for the next event.
	 */
	if (comms && comms_were_asked(comms))
		catalog_see_names(p->catalog);
}

/* ---- the next event ---- */

/* A signal has asked for the end.  True: report that to the caller. */
static __attribute__((noinline)) bool take_signal(struct pump *p, struct item *it, enum next *got)
{
	if (p->opts.beat)
		++*p->opts.beat;
	if (p->opts.asks) {
		*got = NEXT_SIGNAL;
		return true;
	}
	if (p->opts.halt_first && (p->halted || pump_halt(p)))
		return false;
	it->end = RUN_SIGNALLED;
	*got = NEXT_END;
	return true;
}

static inline bool is_signalled(const struct pump *p)
{
	return p->opts.stop && *p->opts.stop;
}

static void start(struct pump *p)
{
	inputs_start(p);
	p->filtered |= !filter_empty(p->filter);
	p->in_order |= p->filtered && !(p->parted && filter_only_times(p->filter));
	p->started = true;
	inputs_offer_early(p);
}

static void add_rest(void *arg, const struct losses_rest *r)
{
	struct pump *p = arg;

	/* From a CPU without a stream the run had nothing to leave out. */
	if (r->of || filter_takes_cpu(p->filter, r->cpu))
		losses_rest(&p->rest, r);
}

/* Every input has been read. */
static void finish(struct pump *p)
{
	p->finished = true;
	jump_finish(p);
	for (unsigned i = 0; i < p->nsources; i++)
		losses_each_rest(p->sources[i], add_rest, p);
	/* A caller that asks for a name after the last event gets the final one. */
	for (unsigned i = 0; i < p->nsources; i++)
		comms_advance(p->sources[i]->machine.comms, UINT64_MAX);
}

/*
 * Nothing can come now.  Names that are due by now become current ones, also where events are taken
 * early, or none comes at all: else they would collect for as long as the run lasts.
 */
static void let_names_come(struct pump *p)
{
	uint64_t over = merge_over(p->merge);

	for (unsigned i = 0; i < p->nsources; i++) {
		struct comms *comms = p->sources[i]->machine.comms;

		/* A source that has just come knows nothing of its time yet. */
		if (over > comms->now && comms_advance(comms, over))
			catalog_see_names(p->catalog);
	}
}

/* The merge returned RC instead of an event.  True: report that to the caller. */
static __attribute__((noinline)) bool take_none(struct pump *p, enum pull rc, struct item *it,
						enum next *got, struct err *e)
{
	switch (rc) {
	case PULL_EOF:
		finish(p);
		it->end = RUN_DONE;
		*got = NEXT_END;
		return true;
	case PULL_WAIT:
		if (inputs_see(p)) {
			*got = NEXT_SOURCE;
			return true;
		}
		if (p->nsources > 1 && stall_look(p))
			return false;
		let_names_come(p);
		pause_progress(p);
		pause_look(p);
		/* Return to the caller first: it may have output to flush. */
		p->awaits = p->before = true;
		*got = NEXT_IDLE;
		return true;
	case PULL_AGAIN:
		if (inputs_see(p)) {
			*got = NEXT_SOURCE;
			return true;
		}
		pause_progress(p);
		pause_look_if_due(p);
		return false;
	default:
		*got = NEXT_FAILED;
		return damaged(p, e) < 0;
	}
}

/*
 * Work that the last call left to do before the next event.  True: it has an item for the caller.
 */
static __attribute__((noinline)) bool prepare(struct pump *p, struct item *it, enum next *got)
{
	p->before = false;
	if (!p->started) {
		start(p);
		pause_start(p);
		return false;
	}
	if (p->awaits) {
		p->awaits = false;
		if (!is_signalled(p) || !take_signal(p, it, got))
			pause_wait(p);
		return false;
	}
	inputs_enter_late(p);
	*got = NEXT_SOURCE;
	return inputs_see(p);
}

/* EV is the first one, or no event of the window has come yet. */
static __attribute__((noinline)) void meet_first(struct pump *p, const struct event *ev)
{
	if (p->relative) {
		p->relative = false;
		p->run.base = ev->ts;
	}
	if (p->jumping)
		jump_reach(p, ev);
}

static enum next run_next(struct stage *s, struct item *it, struct err *e)
{
	struct pump *p = (struct pump *)s;
	enum next got;
	enum pull rc;

	if (__builtin_expect(p->before, 0) && prepare(p, it, &got))
		return got;
	for (;;) {
		let_go(p);
		if (__builtin_expect(!--p->left, 0)) {
			pause_events(p);
			p->left = p->until;
		}
		do {
			if (is_signalled(p) && take_signal(p, it, &got))
				return got;
			rc = merge_next(p->merge, &it->ev, e);
			if (rc != PULL_OK && take_none(p, rc, it, &got, e))
				return got;
		} while (__builtin_expect(rc != PULL_OK, 0));
		if (__builtin_expect(p->relative | p->jumping, 0))
			meet_first(p, it->ev);
		if (take(p, it, &got))
			return got;
	}
}

static void run_leave(struct stage *s)
{
	struct pump *p = (struct pump *)s;

	if (!p->started)
		return;
	let_go(p);
	pause_progress(p);
}

static bool is_over(const struct run_info *run, const struct stream *s)
{
	const struct pump *p =
		(const struct pump *)((const char *)run - offsetof(struct pump, run));

	return p->merge && !merge_has(p->merge, s);
}

void pump_init(struct pump *p, const struct pump_opts *o)
{
	memset(p, 0, sizeof(*p));
	p->stage.next = run_next;
	p->stage.leave = run_leave;
	p->before = true;
	p->opts = *o;
	p->catalog = catalog_new();
	p->filter = filter_new();
	p->stats.first_ts = UINT64_MAX;
	p->run.catalog = p->catalog;
	p->run.is_over = is_over;
}
