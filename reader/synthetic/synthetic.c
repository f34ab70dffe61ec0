// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * synthetic: the sink in between, which looks at each event for every definition, keeps starts,
 * and makes an event of each end that finds one.  All that an event raises is ready before the
 * event itself is given on: a handler that dies in it leaves by a longjmp, and nothing is lost.
 */
#include "reader/synthetic/synthetic_priv.h"

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

/* X on each machine that the catalog has types of.  -1 with E: it is possible on none. */
static int make_sites(struct synthetic *s, struct synthetic_event *x, struct err *e)
{
	/* Types that are made come behind these. */
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
		/* Of several inputs one may lack what the others have. */
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

/* Events were lost before EV: on its CPU, or nobody knows where. */
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

/* What is wanted of events of the type T. */
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

/* May TO have events of T? */
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

/* Give on EV, which was raised, if it is asked for, or follows what is. */
static enum verdict give_raised(struct synthetic *s, const struct event *ev, struct err *e)
{
	const struct synthetic_gate *gate = &s->gate;

	if (!shows(s, ev->type))
		return SINK_MORE;
	if (!gate->passes || gate->passes(gate->arg, ev))
		return s->out.to->ops->event(s->out.to, ev, e);
	if (!ev->type->follows || (gate->beyond && !gate->beyond(gate->arg, ev)))
		return SINK_MORE;
	return forward_beyond(&s->out.sink, ev, true, false, e);
}

enum verdict synthetic_resume(struct synthetic *s, struct err *e)
{
	enum verdict v = SINK_MORE;

	while (s->given < s->raised && v == SINK_MORE)
		v = give_raised(s, &s->queue[s->given++].ev, e);
	return v;
}

/* What was raised may end or start others. */
static void look_at_raised(struct synthetic *s, const struct event *raw)
{
	for (unsigned i = 0; i < s->raised; i++) {
		/* A copy: the queue may move. */
		struct event made;
		const struct part *b = s->slots[s->queue[i].ev.type->idx].list;

		if (!b)
			continue;
		made = s->queue[i].ev;
		look(s, b, &made, raw);
	}
}

/* Give EV on, and behind it what was raised. */
static __attribute__((noinline)) enum verdict give(struct synthetic *s, const struct event *ev,
						   struct err *e)
{
	enum verdict v;

	if (s->raised)
		look_at_raised(s, ev);
	/* Would the sink behind do nothing with it? */
	if (ev->type->idx < s->nslots && s->slots[ev->type->idx].unheard && !ev->lost)
		v = SINK_MORE;
	else if (shows(s, ev->type))
		v = s->out.to->ops->event(s->out.to, ev, e);
	else
		v = ev->lost ? forward_lost(&s->out.sink, ev, e) : SINK_MORE;
	return v == SINK_MORE && s->given < s->raised ? synthetic_resume(s, e) : v;
}

/* ---- the sink ---- */

void synthetic_time(struct synthetic *s, uint64_t start, uint64_t end)
{
	s->since = start;
	s->until = end;
}

void synthetic_watch(struct synthetic *s, const struct synthetic_watch *watch)
{
	s->watch = *watch;
}

/* Somebody waited for that time.  True: the run ends. */
static inline bool ends_at(const struct synthetic *s, const struct event *ev)
{
	const struct synthetic_watch *w = &s->watch;

	return w->fn && ev->ts - *w->base >= *w->due && w->fn(w->arg, ev);
}

void synthetic_forget(struct synthetic *s)
{
	for (struct synthetic_event *x = s->events; x; x = x->next)
		for (struct site *site = x->sites; site; site = site->next)
			pending_drop_all(&site->pending);
}

static enum verdict event(struct sink *sink, const struct event *ev, struct err *e)
{
	struct synthetic *s = (struct synthetic *)sink;
	const struct slot *slot;

	s->raised = s->given = 0;
	s->outside = false;
	if (__builtin_expect(ends_at(s, ev), 0))
		return SINK_STOP;
	if (__builtin_expect(ev->lost, 0))
		lose(s, ev);
	if (__builtin_expect(ev->bare, 0))
		return give(s, ev, e);
	slot = slot_of(s, ev->type);
	look(s, slot->list, ev, ev);
	return slot->unheard && !s->raised && !ev->lost ? SINK_MORE : give(s, ev, e);
}

static enum verdict lost(struct sink *sink, const struct event *ev, struct err *e)
{
	struct synthetic *s = (struct synthetic *)sink;

	s->outside = false;
	if (ends_at(s, ev))
		return SINK_STOP;
	lose(s, ev);
	return forward_lost(sink, ev, e);
}

/*
 * An event that was not chosen may be the start of a pair that is: which are, the gate says of what
 * is raised.  After the time that was asked for nothing is of use any more, and what waits then is
 * what waits at its end.
 */
static enum verdict beyond(struct sink *sink, const struct event *ev, bool follow, bool counts,
			   struct err *e)
{
	struct synthetic *s = (struct synthetic *)sink;
	enum verdict v;

	s->raised = s->given = 0;
	if (ends_at(s, ev))
		return SINK_STOP;
	if (ev->ts <= s->until) {
		s->outside = !counts || ev->ts < s->since;
		if (ev->lost)
			lose(s, ev);
		s->outside = true;
		if (follow)
			look(s, slot_of(s, ev->type)->list, ev, ev);
		if (s->raised)
			look_at_raised(s, ev);
	}
	v = forward_beyond(sink, ev, follow, counts, e);
	return v == SINK_MORE && s->raised ? synthetic_resume(s, e) : v;
}

struct sink *synthetic_before(struct synthetic *s, struct sink *to,
			      const struct synthetic_gate *gate)
{
	static const struct sink_ops ops = {
		.begin = forward_begin,
		.event = event,
		.lost = lost,
		.beyond = beyond,
		.idle = forward_idle,
		.more = forward_more,
		.end = forward_end,
	};

	s->out.sink.ops = &ops;
	s->out.to = to;
	if (gate)
		s->gate = *gate;
	return &s->out.sink;
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
