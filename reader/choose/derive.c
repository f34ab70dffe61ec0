// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * derive: gives stable events in place of the raw ones that they are made of, where a user named
 * them.
 */
#include "reader/choose/derive.h"

#include "base/mem.h"
#include "reader/stable/map.h"

#include <stdlib.h>
#include <string.h>

/* A stable event of one raw type. */
struct made {
	struct made *next;
	struct stable_map *map;
	const struct etype *type; /* the catalog's, as what is kept by index would take the raw's */
};

struct slot {
	bool met, raw;
	struct made *made;
};

struct derive {
	struct stage stage; /* must be first */
	struct stage *from;
	const struct words *words;
	struct notes *notes;
	struct catalog *catalog;
	/* The raw event at hand, what has still to be made of it, and the losses before that. */
	const struct event *raw;
	const struct made *next;
	uint32_t lost;
	struct event out;   /* what was made last */
	struct slot *slots; /* by etype idx */
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

static void meet(struct derive *d, struct slot *slot, const struct etype *t)
{
	const struct stable_event *ev;
	struct made **tail = &slot->made;
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

static struct slot *slot_of(struct derive *d, const struct etype *t)
{
	if (t->idx >= d->nslots)
		d->slots = mem_grow_zeroed(d->slots, &d->nslots, (size_t)t->idx + 1,
					   sizeof(*d->slots));
	if (!d->slots[t->idx].met)
		meet(d, &d->slots[t->idx], t);
	return &d->slots[t->idx];
}

/* The next event that is made of the raw one.  NULL: no more. */
static const struct event *make(struct derive *d)
{
	const struct event *stable = NULL;
	const struct made *m;

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

static enum next derive_next(struct stage *s, struct item *it, struct err *e)
{
	struct derive *d = (struct derive *)s;

	for (;;) {
		const struct slot *slot;
		enum next got;

		it->ev = make(d);
		if (it->ev)
			return NEXT_EVENT;
		if (d->lost) {
			d->lost = 0;
			it->ev = d->raw;
			return NEXT_LOST;
		}
		got = stage_next(d->from, it, e);
		if (got != NEXT_EVENT)
			return got;
		slot = slot_of(d, it->ev->type);
		d->raw = it->ev;
		d->next = slot->made;
		if (slot->raw)
			return NEXT_EVENT;
		d->lost = it->ev->lost;
	}
}

static void derive_leave(struct stage *s)
{
	stage_leave(((struct derive *)s)->from);
}

void derive_free(struct derive *d)
{
	struct made *m;

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
