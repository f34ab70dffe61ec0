// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * synthetic: the stage that checks each event against every definition, keeps starts, and makes an
 * event of each end that finds one.  Events that an event raises are given after it, when the next
 * ones are asked for.
 */
#include "run/synthetic/synthetic_priv.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- definitions ---- */

struct synthetic *synthetic_new(struct catalog *c, const struct stable *stable, struct notes *n)
{
	struct synthetic *s = mem_zalloc(sizeof(*s));

	s->catalog = c;
	s->stable = stable;
	s->notes = n;
	s->until = UINT64_MAX;
	return s;
}

static void drop_parts(struct synthetic *s, const struct synthetic_event *x)
{
	for (size_t i = 0; i < s->nslots; i++) {
		struct part **at = &s->slots[i].list, *b;

		while ((b = *at)) {
			if (x && b->site->event != x) {
				at = &b->next;
				continue;
			}
			*at = b->next;
			part_free(b);
		}
	}
}

static void event_free(struct synthetic_event *x)
{
	struct site *site;

	while ((site = x->sites)) {
		x->sites = site->next;
		synthetic_site_free(site);
	}
	for (unsigned i = 0; x->captured && i < x->def->ncaptured; i++)
		expr_free(x->captured[i]);
	free(x->captured);
	if (x->def)
		synthetic_def_free(x->def);
	free(x);
}

void synthetic_free(struct synthetic *s)
{
	struct synthetic_event *x;

	if (!s)
		return;
	drop_parts(s, NULL);
	while ((x = s->events)) {
		s->events = x->next;
		event_free(x);
	}
	for (size_t i = 0; i < s->cap_queue; i++)
		free(s->queue[i].data);
	free(s->queue);
	free(s->slots);
	arena_fini(&s->arena);
	free(s);
}

/* Every name that is kept, as a formula of the start alone. */
static int parse_captured(struct synthetic_event *x, struct err *e)
{
	x->captured = mem_zalloc((x->def->ncaptured + 1) * sizeof(*x->captured));
	for (unsigned i = 0; i < x->def->ncaptured; i++) {
		x->captured[i] = expr_parse(x->def->captured[i], 0, NULL, e);
		if (!x->captured[i])
			return -1;
	}
	return 0;
}

/* Bind X on each machine that the catalog has types of.  -1 with E: possible on none. */
static int make_sites(struct synthetic *s, struct synthetic_event *x, struct err *e)
{
	/* Made types come after these. */
	unsigned n = catalog_count(s->catalog);
	struct machine *last = NULL;
	bool failed = false;
	struct err one;

	for (unsigned i = 0; i < n; i++) {
		struct machine *m = catalog_at(s->catalog, i)->machine;
		const struct site *site = x->sites;

		while (site && site->machine != m)
			site = site->next;
		if (site || m == last)
			continue;
		last = m;
		if (synthetic_site_make(s, x, m, &one) >= 0)
			continue;
		/* With several inputs, one may lack what the others have. */
		err_path(&one, m->path ? m->path : "an input");
		if (!failed)
			*e = one;
		failed = true;
	}
	if (x->sites && failed) {
		e->msg[strcspn(e->msg, "\n")] = '\0';
		err_within(e, "no %s:%s here", x->def->system, x->def->name);
		note_err(s->notes, NOTE_WARN, e);
	}
	if (x->sites)
		return 0;
	if (failed) {
		e->path[0] = '\0';
		return -1;
	}
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "no input has both events, start and end, of %s:%s", x->def->system,
		       x->def->name);
}

struct synthetic_event *synthetic_add(struct synthetic *s, const struct synthetic_spec *spec,
				      struct err *e)
{
	struct synthetic_event *x = mem_zalloc(sizeof(*x)), **at = &s->events;

	if (s->n == SYNTHETIC_MAX)
		err_set(e, ERR_USAGE, ERR_NO_OFF, "more than %d synthetic events", SYNTHETIC_MAX);
	else
		x->def = synthetic_def_new(spec, s->stable, s->catalog, s->notes, e);
	x->number = s->n;
	if (!x->def || parse_captured(x, e) < 0 || make_sites(s, x, e) < 0) {
		drop_parts(s, x);
		event_free(x);
		e->kind = ERR_USAGE;
		return NULL;
	}
	while (*at)
		at = &(*at)->next;
	*at = x;
	s->n++;
	for (unsigned i = 0; i < catalog_count(s->catalog); i++)
		synthetic_slot_at(s, i)->met = true;
	return x;
}

const char *synthetic_system(const struct synthetic *s, unsigned i)
{
	const struct synthetic_event *x = s->events;

	while (x && i--)
		x = x->next;
	return x ? x->def->system : NULL;
}

bool synthetic_any(const struct synthetic *s)
{
	return s->events;
}

bool synthetic_takes(const struct synthetic *s, const struct etype *t)
{
	return t->idx < s->nslots && s->slots[t->idx].list;
}

const struct etype *synthetic_type(const struct synthetic_event *x, unsigned i)
{
	const struct site *site = x->sites;

	while (site && i--)
		site = site->next;
	return site ? site->type : NULL;
}

/* ---- the stream of events ---- */

/* Events were lost before EV: on its CPU, or on an unknown one. */
static __attribute__((noinline)) void lose(struct synthetic *s, const struct event *ev)
{
	uint64_t n;

	for (struct synthetic_event *x = s->events; x; x = x->next)
		for (struct site *site = x->sites; site; site = site->next) {
			if (site->machine != ev->type->machine)
				continue;
			n = ev->lost_anywhere ?
				    pending_drop_all(&site->pending) :
				    pending_drop(&site->pending, site->by_cpu ? ev->cpu : 0);
			if (!s->outside)
				site->counts.lost += n;
		}
}

static __attribute__((noinline)) void meet(struct synthetic *s, const struct etype *t)
{
	synthetic_slot_at(s, t->idx)->met = true;
	for (struct synthetic_event *x = s->events; x; x = x->next) {
		struct site *site = x->sites;
		struct err e;

		while (site && site->machine != t->machine)
			site = site->next;
		if (site)
			synthetic_site_meet(s, site, t);
		else if (t->machine && synthetic_site_make(s, x, t->machine, &e) < 0)
			note_err(s->notes, NOTE_INFO, &e);
	}
}

/* How events of the type T are needed. */
static inline const struct slot *slot_of(struct synthetic *s, const struct etype *t)
{
	if (__builtin_expect(t->idx >= s->nslots || !s->slots[t->idx].met, 0))
		meet(s, t);
	return &s->slots[t->idx];
}

static inline void look(struct synthetic *s, const struct part *b, const struct event *ev,
			const struct event *raw)
{
	for (; b; b = b->next)
		b->match(s, b, ev, raw);
}

void synthetic_want(struct synthetic *s, const uint8_t *want)
{
	for (unsigned i = 0; i < catalog_count(s->catalog); i++)
		synthetic_slot_at(s, i)->unheard = want && want[i] == WANT_NO;
}

/* May the consumer get events of T? */
static bool shows(struct synthetic *s, const struct etype *t)
{
	struct slot *slot;

	if (!s->gate.shows)
		return true;
	slot = synthetic_slot_at(s, t->idx);
	if (!slot->asked) {
		slot->asked = true;
		slot->shown = s->gate.shows(s->gate.arg, t);
	}
	return slot->shown;
}

/* Raised events may end or start others. */
static void look_at_raised(struct synthetic *s, const struct event *raw)
{
	for (unsigned i = 0; i < s->raised; i++) {
		/* Copied, as the queue may move. */
		struct event made;
		const struct part *b = s->slots[s->queue[i].ev.type->idx].list;

		if (!b)
			continue;
		made = s->queue[i].ev;
		look(s, b, &made, raw);
	}
}

/* ---- the stage ---- */

/* EV came: queue what it raises.  False: the consumer does not get EV itself. */
static inline bool take(struct synthetic *s, const struct event *ev, enum next *got)
{
	bool heard = true;

	s->outside = false;
	if (__builtin_expect(ev->lost, 0))
		lose(s, ev);
	if (!__builtin_expect(ev->bare, 0)) {
		const struct slot *slot = slot_of(s, ev->type);

		heard = !slot->unheard;
		look(s, slot->list, ev, ev);
		if (s->raised)
			look_at_raised(s, ev);
	}
	/* Would the consumer ignore it? */
	if (!heard && !ev->lost)
		return false;
	*got = shows(s, ev->type) ? NEXT_EVENT : NEXT_LOST;
	return *got == NEXT_EVENT || ev->lost;
}

/*
 * An event that was not chosen may be the start of a pair that is: the gate decides about the
 * raised events.  After the time that was asked for no event is needed, and what waits then is what
 * waits at its end.
 */
static void beyond(struct synthetic *s, const struct event *ev, bool follow, bool counts)
{
	if (ev->ts > s->until)
		return;
	s->outside = !counts || ev->ts < s->since;
	if (ev->lost)
		lose(s, ev);
	s->outside = true;
	if (follow)
		look(s, slot_of(s, ev->type)->list, ev, ev);
	if (s->raised)
		look_at_raised(s, ev);
}

/*
 * Is the raised event EV asked for (NEXT_EVENT), or only needed to follow states?  False: neither.
 */
static bool is_given(struct synthetic *s, const struct event *ev, enum next *got)
{
	const struct synthetic_gate *gate = &s->gate;

	if (!shows(s, ev->type))
		return false;
	*got = !gate->passes || gate->passes(gate->arg, ev) ? NEXT_EVENT : NEXT_BEYOND;
	return *got == NEXT_EVENT || (ev->type->demand->asked == WANT_BEYOND &&
				      (!gate->beyond || gate->beyond(gate->arg, ev)));
}

/* The next raised event that the consumer gets.  False: no more. */
static __attribute__((noinline)) bool next_raised(struct synthetic *s, struct item *it,
						  enum next *got)
{
	while (s->given < s->raised) {
		it->ev = &s->queue[s->given++].ev;
		it->follow = true;
		it->counts = false;
		if (is_given(s, it->ev, got))
			return true;
	}
	s->raised = s->given = 0;
	return false;
}

/* Does the consumer wait for the time of IT? */
static inline bool is_due(const struct synthetic *s, enum next got, const struct item *it)
{
	return s->due && (got == NEXT_EVENT || got == NEXT_LOST || got == NEXT_BEYOND) &&
	       it->ev->ts - *s->base >= *s->due;
}

/* The next item of the stage before; when a time is due, it is held until that was reported. */
static inline enum next next_below(struct synthetic *s, struct item *it, struct err *e)
{
	enum next got;

	if (__builtin_expect(s->held, 0)) {
		s->held = false;
		*it = s->item;
		return s->got;
	}
	got = stage_next(s->from, it, e);
	if (__builtin_expect(!is_due(s, got, it), 1))
		return got;
	s->held = true;
	s->item = *it;
	s->got = got;
	return NEXT_DUE;
}

static bool synthetic_rest(struct stage *stage, struct item *it, enum next *got)
{
	struct synthetic *s = (struct synthetic *)stage;

	return s->raised && next_raised(s, it, got);
}

static enum next synthetic_next(struct stage *stage, struct item *it, struct err *e)
{
	struct synthetic *s = (struct synthetic *)stage;

	for (;;) {
		enum next got;

		if (synthetic_rest(stage, it, &got))
			return got;
		got = next_below(s, it, e);
		switch (got) {
		case NEXT_EVENT:
			if (!take(s, it->ev, &got))
				continue;
			break;
		case NEXT_LOST:
			beyond(s, it->ev, false, true);
			break;
		case NEXT_BEYOND:
			beyond(s, it->ev, it->follow, it->counts);
			break;
		default:
			break;
		}
		return got;
	}
}

static void synthetic_leave(struct stage *stage)
{
	stage_leave(((struct synthetic *)stage)->from);
}

struct stage *synthetic_stage(struct synthetic *s, struct stage *from,
			      const struct synthetic_gate *gate)
{
	s->stage.next = synthetic_next;
	s->stage.rest = synthetic_rest;
	s->stage.leave = synthetic_leave;
	s->from = from;
	if (gate)
		s->gate = *gate;
	return &s->stage;
}

void synthetic_time(struct synthetic *s, uint64_t start, uint64_t end)
{
	s->since = start;
	s->until = end;
}

void synthetic_watch(struct synthetic *s, const uint64_t *base, const uint64_t *due)
{
	s->base = base;
	s->due = due;
}

void synthetic_forget(struct synthetic *s)
{
	for (struct synthetic_event *x = s->events; x; x = x->next)
		for (struct site *site = x->sites; site; site = site->next)
			pending_drop_all(&site->pending);
}

/* ---- what waits ---- */

void synthetic_count(const struct synthetic_event *x, struct synthetic_counts *c)
{
	*c = (struct synthetic_counts){ .pending = 0 };
	for (const struct site *site = x->sites; site; site = site->next) {
		c->started += site->counts.started;
		c->matched += site->counts.matched;
		c->aborted += site->counts.aborted;
		c->replaced += site->counts.replaced;
		c->lost += site->counts.lost;
		c->dropped += site->counts.dropped;
		c->pending += site->pending.live;
	}
}

void synthetic_clear(struct synthetic_event *x)
{
	for (struct site *site = x->sites; site; site = site->next)
		memset(&site->counts, 0, sizeof(site->counts));
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

void synthetic_each(const struct synthetic_event *x,
		    void (*fn)(void *arg, const struct event *start), void *arg)
{
	struct synthetic_counts c;
	struct event *list;
	size_t n = 0;

	synthetic_count(x, &c);
	list = mem_alloc((c.pending + 1) * sizeof(*list));
	for (const struct site *site = x->sites; site; site = site->next) {
		const struct pending_start *p;

		for (uint32_t i = 0; (p = pending_next(&site->pending, &i)); n++)
			match_kept(site, p, &list[n]);
	}
	qsort(list, n, sizeof(*list), by_time);
	for (size_t i = 0; i < n; i++)
		fn(arg, &list[i]);
	free(list);
}
