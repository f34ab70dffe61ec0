// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pump: the run over open inputs: when the next event is asked for, pulls it from the merge and
 * filters it.  It also decides what damage costs.
 */
#include "reader/pump.h"

#include "base/mem.h"
#include "reader/comparable.h"
#include "base/mono.h"
#include "reader/open.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_EVERY 65536
#define WAIT_MS 10 /* between two looks at live sources that say nothing of that */
#define OVER_MS 50 /* ... and at what else may end the run */
#define LOOK_NS (PUMP_GUEST_MS * 1000000ull)
#define MORE_UNTIL 4 /* times as many events to the next look as to the last one, at most */

void pump_fini(struct pump *p)
{
	merge_free(p->merge);
	filter_free(p->filter);
	naming_free(p->naming);
	for (unsigned i = 0; i < p->nsources; i++)
		source_close(p->sources[i]);
	for (unsigned i = 0; i < p->nunused; i++)
		source_close(p->unused[i]);
	free(p->unused);
	for (unsigned i = 0; i < p->nbringers; i++)
		source_close(p->bringers[i]);
	free(p->bringers);
	for (unsigned i = 0; p->periods && i < p->nsources; i++)
		free(p->periods[i]);
	free(p->periods);
	free(p->sources);
	free(p->fds);
	catalog_free(p->catalog);
	memset(p, 0, sizeof(*p));
}

static void enter_list(struct pump *p, struct source *s)
{
	comparable_instances(p, s);
	s->machine.given = p->opts.source.symbols;
	s->num = p->nsources;
	p->sources = mem_realloc(p->sources, (p->nsources + 1) * sizeof(*p->sources));
	p->sources[p->nsources++] = s;
	p->run.sources = p->sources;
	p->run.nsources = p->nsources;
}

/*
 * S was brought.  False: it cannot be merged, which is reported; it is kept, as the catalog has its
 * types.
 */
static bool add_brought(struct pump *p, struct source *s)
{
	struct err e;

	if (comparable_clock(p, s, &e) == 0) {
		enter_list(p, s);
		return true;
	}
	note_err(p->opts.source.notes, NOTE_DAMAGE, &e);
	p->unused = mem_realloc(p->unused, (p->nunused + 1) * sizeof(*p->unused));
	p->unused[p->nunused++] = s;
	return false;
}

/* S brings others: those that are there, the first of which is waited for. */
static int add_bringer(struct pump *p, struct source *s, struct err *e)
{
	struct source *one;

	p->bringers = mem_realloc(p->bringers, (p->nbringers + 1) * sizeof(*p->bringers));
	p->bringers[p->nbringers++] = s;
	for (bool wait = true; (one = s->ops->more(s, wait)); wait = false)
		add_brought(p, one);
	if (p->nsources)
		return 0;
	err_set(e, ERR_FORMAT, ERR_NO_OFF, "has the stream of no source: nobody has sent one");
	return err_path(e, s->in.path);
}

int pump_add(struct pump *p, struct source *s, struct err *e)
{
	if (s->ops->more)
		return add_bringer(p, s, e);
	if (comparable_clock(p, s, e) < 0) {
		source_close(s);
		return -1;
	}
	enter_list(p, s);
	return 0;
}

int pump_open(struct pump *p, const char *path, struct err *e)
{
	struct source *s = source_open(path, p->nsources, p->catalog, &p->opts.source, e);

	return s ? pump_add(p, s, e) : -1;
}

/* May events still come from S? */
static bool goes_on(const struct pump *p, const struct source *s)
{
	if (!p->started)
		return true;
	for (unsigned i = 0; i < s->nstreams; i++)
		if (merge_has(p->merge, s->streams[i]))
			return true;
	return false;
}

bool pump_is_live(const struct pump *p)
{
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->ops->stop)
			return true;
	return false;
}

bool pump_halt(struct pump *p)
{
	bool live = false;

	if (p->halted)
		return false;
	for (unsigned i = 0; i < p->nsources; i++) {
		if (!goes_on(p, p->sources[i]))
			continue;
		if (!p->sources[i]->ops->stop)
			return false;
		live = true;
	}
	if (!live)
		return false;
	p->halted = true;
	for (unsigned i = 0; i < p->nbringers; i++)
		if (p->bringers[i]->ops->stop)
			p->bringers[i]->ops->stop(p->bringers[i]);
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->ops->stop && goes_on(p, p->sources[i]))
			p->sources[i]->ops->stop(p->sources[i]);
	return true;
}

void pump_part(struct pump *p, const struct pump_part *part)
{
	filter_times(p->filter, part->start, part->end);
	p->parted = true;
	p->part = *part;
}

/* Does a loss at TS count?  All are, but for those that are another part's. */
static bool takes_loss(const struct pump *p, uint64_t ts)
{
	return !p->parted ||
	       ((p->part.first || ts >= p->part.start) && (p->part.last || ts <= p->part.end));
}

/* Enter the streams of source I: those of its top buffer, or those of its instances. */
static void enter(struct pump *p, unsigned i, bool tops, unsigned buffers)
{
	struct source *src = p->sources[i];
	bool beyond = catalog_wants_beyond(p->catalog);

	/* A name that was told before the first event that may pass is known then. */
	if (filter_has_comms(p->filter))
		machine_want_comms(&src->machine);
	for (unsigned k = 0; k < src->nstreams; k++) {
		struct stream *s = src->streams[k];
		struct origin *from = (struct origin *)s->from;

		if (!*from->instance != tops)
			continue;
		s->seq = p->nseq++;
		from->source = i;
		from->buffer += buffers;
		/* Where no event can pass, not even the pages are read. */
		s->unread = (!beyond && !filter_takes_cpu(p->filter, from->cpu)) ||
			    !filter_takes_instance(p->filter, from->instance);
		if (s->unread && !s->multiplexed)
			continue;
		p->filtered |= s->multiplexed;
		s->windowed = p->parted;
		s->start = p->part.start;
		s->end = p->part.end;
		p->in_order |= s->multiplexed || (p->parted && !s->ops->windows);
		p->stats.bytes_total += s->bytes_total;
		merge_add(p->merge, s);
	}
}

static void enter_all(struct pump *p, bool tops)
{
	p->nbuffers = 0;
	for (unsigned i = 0; i < p->nsources; i++) {
		enter(p, i, tops, p->nbuffers);
		p->nbuffers += p->sources[i]->nbuffers;
	}
}

/*
 * Of events of the same time those of top buffers go first, in order of opening, then those of
 * instances: as in trace-cmd.
 */
static void start(struct pump *p)
{
	comparable_machines(p);
	p->merge = merge_new();
	enter_all(p, true);
	enter_all(p, false);
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->gate)
			merge_add(p->merge, p->sources[i]->gate);
	for (unsigned i = 0; i < p->nbringers; i++)
		merge_add(p->merge, p->bringers[i]->gate);
	p->filtered |= !filter_empty(p->filter);
	p->in_order |= p->filtered && !(p->parted && filter_only_times(p->filter));
	p->started = true;
}

static void add_up(struct pump *p)
{
	struct pump_stats *st = &p->stats;

	st->early = st->records = st->lost = st->lost_unknown = st->bytes_done = 0;
	for (unsigned i = 0; i < p->nsources; i++)
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++) {
			const struct stream *s = p->sources[i]->streams[k];

			st->records += s->seen;
			st->early += s->taken;
			st->lost += s->lost;
			st->lost_unknown += s->lost_unknown;
			st->bytes_done += s->bytes_done;
		}
	st->late = p->merge ? merge_late(p->merge) : 0;
}

const struct pump_stats *pump_count(struct pump *p)
{
	add_up(p);
	return &p->stats;
}

static void say_progress(struct pump *p)
{
	add_up(p);
	if (p->opts.progress)
		p->opts.progress(p->opts.progress_arg, &p->stats);
}

/*
 * A damaged piece: the first one of each stream is reported, all are counted.
 * Returns -1 when the run has to end for it.
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

/* IT->ev does not pass.  False: the caller has nothing of it. */
static bool leave_out(struct pump *p, struct item *it, enum next *got)
{
	const struct event *ev = it->ev;
	bool counts = ev->lost && takes_loss(p, ev->ts);
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

/* IT->ev is the next one.  False: the caller has nothing of it. */
static inline bool take(struct pump *p, struct item *it, enum next *got)
{
	const struct event *ev = it->ev;
	const struct etype *t = ev->type;

	p->names = t->machine;
	if (machine_go_on(t->machine, ev->ts))
		catalog_see_names(p->catalog);
	if (t->naming && !ev->bare) {
		if (naming_see(p->naming, ev))
			catalog_see_names(p->catalog);
		/* No consumer wants it. */
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
	struct machine *names = p->names;

	/* At once: streams skip unwanted types when they are asked for the next event. */
	if (names && !names->due && machine_catch_up(names))
		catalog_see_names(p->catalog);
}

/* Append the descriptors of S to the N in fds; returns their number. */
static int add_fds(struct pump *p, struct source *s, int n)
{
	for (size_t need = (size_t)n + 16;; need = p->cap_fds + 16) {
		int room, got;

		/* Where all that there is room for is used, there may be more of them. */
		p->fds = mem_grow(p->fds, &p->cap_fds, need, sizeof(*p->fds));
		room = (int)p->cap_fds - n;
		got = s->ops->fds(s, p->fds + n, room);
		if (got < room)
			return n + got;
	}
}

/* The same of a source that may be live; *WAIT becomes what it allows, if that is less. */
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

/* Does anything want a look from time to time? */
static bool is_looked_at(const struct pump *p)
{
	return p->opts.guest || p->opts.over;
}

/* Is it over?  And the guest's turn; from now on the time to the next look is counted. */
static void look(struct pump *p)
{
	if (p->opts.over && !p->halted && p->opts.over(p->opts.over_arg))
		pump_halt(p);
	if (p->opts.guest)
		p->opts.guest->look(p->opts.guest->arg);
	if (is_looked_at(p))
		p->looked = mono_ns();
}

/* Nothing that is given has come for a while: is it time to look? */
static void look_if_due(struct pump *p)
{
	if (is_looked_at(p) && mono_ns() - p->looked >= LOOK_NS)
		look(p);
}

/*
 * What is looked at is so after about as many events as take its time: a handler may need a tenth
 * of a microsecond or a second.
 */
static void look_after_events(struct pump *p)
{
	uint64_t span = mono_ns() - p->looked, next = MORE_UNTIL * p->until;

	if (span)
		next = p->until * LOOK_NS / span < next ? p->until * LOOK_NS / span : next;
	look(p);
	p->until = next < 1 ? 1 : next > PROGRESS_EVERY ? PROGRESS_EVERY : (unsigned)next;
}

/* As many events as were to come before something is looked at. */
static void pause_events(struct pump *p)
{
	p->ticks += p->until;
	if (is_looked_at(p))
		look_after_events(p);
	if (p->ticks < PROGRESS_EVERY)
		return;
	p->ticks = 0;
	say_progress(p);
}

/*
 * What is taken in any order comes from the streams themselves, without the merge; unless events
 * have to pass a filter, or the first one says what is taken off all times.
 */
static void offer_early(struct pump *p)
{
	bool may = !p->in_order && !p->relative;

	for (unsigned i = 0; p->early && i < p->nsources; i++)
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++) {
			p->sources[i]->streams[k]->early = may ? p->early : NULL;
			p->sources[i]->streams[k]->early_arg = p->early_arg;
		}
}

void pump_early(struct pump *p, void (*fn)(void *arg, const struct event *ev), void *arg)
{
	p->early = fn;
	p->early_arg = arg;
}

/* ---- sources that come while the run goes on ---- */

/* The next one that has come meanwhile; false: there is none. */
static bool see_source(struct pump *p)
{
	struct source *s;

	for (unsigned i = 0; i < p->nbringers; i++)
		while ((s = p->bringers[i]->ops->more(p->bringers[i], false))) {
			if (!add_brought(p, s))
				continue;
			if (p->periods) {
				p->periods = mem_realloc(p->periods,
							 p->nsources * sizeof(*p->periods));
				p->periods[s->num] = NULL;
			}
			p->came = s;
			p->before = true;
			return true;
		}
	return false;
}

void pump_refuse(struct pump *p)
{
	struct source *s = p->came;

	p->came = NULL;
	note_say(p->opts.source.notes, NOTE_DAMAGE,
		 "%s: it has come when the output had begun, which takes no more sources: nothing "
		 "of it is there",
		 s->in.path);
	for (unsigned k = 0; k < s->nstreams; k++)
		s->streams[k]->unread = true;
}

static void enter_late(struct pump *p)
{
	struct source *s = p->came;

	if (!s)
		return;
	p->came = NULL;
	enter(p, s->num, true, p->nbuffers);
	enter(p, s->num, false, p->nbuffers);
	p->nbuffers += s->nbuffers;
	if (s->gate)
		merge_add(p->merge, s->gate);
	offer_early(p);
}

/* ---- the next event ---- */

/* Nothing to do until something comes (live). */
static void wait_for_more(struct pump *p)
{
	const struct pump_guest *guest = p->opts.guest;
	int n = 0, wait = -1;

	for (unsigned i = 0; i < p->nsources; i++)
		n = add_waiting(p, p->sources[i], n, &wait);
	for (unsigned i = 0; i < p->nbringers; i++)
		n = add_waiting(p, p->bringers[i], n, &wait);
	if (p->opts.over && wait > OVER_MS)
		wait = OVER_MS;
	wait = wait < 0 ? WAIT_MS : wait;
	if (guest) {
		p->fds = mem_grow(p->fds, &p->cap_fds, n + PUMP_GUEST_FDS, sizeof(*p->fds));
		n += guest->fds(guest->arg, p->fds + n, PUMP_GUEST_FDS, &wait);
	}
	/* A signal that comes between the look at it and the poll waits as long. */
	poll(p->fds, n, wait);
	p->looked = mono_ns();
}

/* A signal has asked for the end.  True: the caller is told so. */
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

/* Every input has been read. */
static void finish(struct pump *p)
{
	/* Whoever asks for a name after the last event gets the one of the end. */
	for (unsigned i = 0; i < p->nsources; i++)
		machine_go_on(machine_of_names(&p->sources[i]->machine), UINT64_MAX);
}

/* The merge gave no event but RC.  True: the caller is told of it. */
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
		if (see_source(p)) {
			*got = NEXT_SOURCE;
			return true;
		}
		say_progress(p);
		look(p);
		if (p->nbringers)
			stall_look(&p->stall, p->merge, p->opts.source.notes);
		/* The caller goes first: it may have output to flush. */
		p->awaits = p->before = true;
		*got = NEXT_IDLE;
		return true;
	case PULL_AGAIN:
		if (see_source(p)) {
			*got = NEXT_SOURCE;
			return true;
		}
		say_progress(p);
		look_if_due(p);
		return false;
	default:
		*got = NEXT_FAILED;
		return damaged(p, e) < 0;
	}
}

/* What the last call left to be done before the next event.  True: the caller is told of more. */
static __attribute__((noinline)) bool prepare(struct pump *p, struct item *it, enum next *got)
{
	p->before = false;
	if (!p->started) {
		start(p);
		offer_early(p);
		p->until = is_looked_at(p) ? 1 : PROGRESS_EVERY;
		p->left = p->until + 1;
		look(p);
		return false;
	}
	if (p->awaits) {
		p->awaits = false;
		if (!is_signalled(p) || !take_signal(p, it, got))
			wait_for_more(p);
		return false;
	}
	enter_late(p);
	*got = NEXT_SOURCE;
	return see_source(p);
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
		if (__builtin_expect(p->relative, 0)) {
			p->relative = false;
			p->run.base = it->ev->ts;
		}
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
	say_progress(p);
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
	p->naming = naming_new();
	p->stats.first_ts = UINT64_MAX;
	p->run.catalog = p->catalog;
	p->run.is_over = is_over;
}
