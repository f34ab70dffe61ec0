// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * derive: gives stable events in place of the raw ones they are made from, if a user named them.
 */
#include "run/choose/derive.h"

#include "base/mem.h"
#include "stable/map.h"

#include <stdlib.h>
#include <string.h>

/* A stable event of one raw type. */
struct derived_event {
	struct derived_event *next;
	struct stable_map *map;
	const struct etype *type; /* the catalog's, as what is kept by index would take the raw's */
};

struct derived_slot {
	bool met, raw;
	struct derived_event *made;
};

struct derive {
	struct stage stage; /* must be first */
	struct stage *from;
	const struct words *words;
	struct notes *notes;
	struct catalog *catalog;
	/* The current raw event, the events still to be made from it, and the losses before it. */
	const struct event *raw;
	const struct derived_event *next;
	uint32_t lost;
	struct event out;	    /* the last event made */
	struct derived_slot *slots; /* by etype idx */
	size_t nslots;
};

/* A type like that of M, in the catalog. */
static const struct etype *own_type(struct derive *d, const struct stable_map *m)
{
	const struct etype *t = stable_map_type(m);
	struct etype *own = catalog_add_fields(d->catalog, t->machine, t->system, t->name, t->id,
					       t->fields, t->nfields, t->fixed);

	own->stable = true;
	return own;
}

static void meet(struct derive *d, struct derived_slot *slot, const struct etype *t)
{
	const struct stable_event *ev;
	struct derived_event **tail = &slot->made;
	unsigned i = 0;
	int from;

	slot->met = true;
	slot->raw = words_take_raw(d->words, t);
	while ((ev = words_stable(d->words, t, &i, &from))) {
		struct err e;
		struct stable_map *map = stable_map_new(ev, d->catalog, from, t, d->notes, &e);

		if (!map) {
			note_say(d->notes, NOTE_WARN, "the stable event %s:%s is left out: %s",
				 ev->system, ev->name, e.msg);
			continue;
		}
		*tail = mem_zalloc(sizeof(**tail));
		(*tail)->map = map;
		(*tail)->type = own_type(d, map);
		tail = &(*tail)->next;
	}
}

static struct derived_slot *slot_of(struct derive *d, const struct etype *t)
{
	if (t->idx >= d->nslots)
		d->slots = mem_grow_zeroed(d->slots, &d->nslots, (size_t)t->idx + 1,
					   sizeof(*d->slots));
	if (!d->slots[t->idx].met)
		meet(d, &d->slots[t->idx], t);
	return &d->slots[t->idx];
}

/* The next event made from the raw one.  NULL: no more. */
static const struct event *make(struct derive *d)
{
	const struct event *stable = NULL;
	const struct derived_event *m;

	while ((m = d->next) && !stable) {
		d->next = m->next;
		stable = stable_map_event(m->map, d->raw);
		if (!stable)
			continue;
		d->out = *stable;
		d->out.type = m->type;
		d->out.lost = d->lost;
		d->lost = 0;
	}
	return stable ? &d->out : NULL;
}

/* Give the next event made from the current raw one.  False: there is none. */
static bool give_made(struct derive *d, struct item *it, enum next *got)
{
	it->ev = make(d);
	*got = NEXT_EVENT;
	if (it->ev)
		return true;
	if (!d->lost)
		return false;
	d->lost = 0;
	it->ev = d->raw;
	*got = NEXT_LOST;
	return true;
}

/* EV came.  True: it is given itself; events made from it follow. */
static bool take(struct derive *d, const struct event *ev)
{
	const struct derived_slot *slot = slot_of(d, ev->type);

	d->raw = ev;
	d->next = slot->made;
	d->lost = slot->raw ? 0 : ev->lost;
	return slot->raw;
}

static bool derive_rest(struct stage *s, struct item *it, enum next *got)
{
	struct derive *d = (struct derive *)s;

	for (;;) {
		if (give_made(d, it, got))
			return true;
		if (!stage_rest(d->from, it, got))
			return false;
		if (*got != NEXT_EVENT || take(d, it->ev))
			return true;
	}
}

static enum next derive_next(struct stage *s, struct item *it, struct err *e)
{
	struct derive *d = (struct derive *)s;

	for (;;) {
		enum next got;

		if (derive_rest(s, it, &got))
			return got;
		got = stage_next(d->from, it, e);
		if (got != NEXT_EVENT || take(d, it->ev))
			return got;
	}
}

static void derive_leave(struct stage *s)
{
	stage_leave(((struct derive *)s)->from);
}

void derive_free(struct derive *d)
{
	struct derived_event *m;

	if (!d)
		return;
	for (size_t i = 0; i < d->nslots; i++)
		while ((m = d->slots[i].made)) {
			d->slots[i].made = m->next;
			stable_map_free(m->map);
			free(m);
		}
	free(d->slots);
	free(d);
}

struct derive *derive_new(const struct words *w, struct catalog *c, struct notes *n,
			  struct stage *from)
{
	struct derive *d = mem_zalloc(sizeof(*d));

	d->stage.next = derive_next;
	d->stage.rest = derive_rest;
	d->stage.leave = derive_leave;
	d->words = w;
	d->catalog = c;
	d->notes = n;
	d->from = from;
	return d;
}

struct stage *derive_stage(struct derive *d)
{
	return &d->stage;
}
