// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * derive: hands stable events to a sink in place of the raw ones that they are made of, where a
 * user named them.
 */
#include "reader/choose/derive.h"

#include "base/mem.h"
#include "reader/model/forward.h"
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
	struct forward out; /* must be first */
	const struct words *words;
	struct notes *notes;
	struct catalog *catalog;
	struct slot *slots; /* by etype idx */
	size_t nslots;
};

static enum verdict begin(struct sink *s, const struct run_info *run, struct err *e)
{
	struct derive *d = (struct derive *)s;

	d->catalog = run->catalog;
	return forward_begin(s, run, e);
}

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

static enum verdict event(struct sink *s, const struct event *ev, struct err *e)
{
	struct derive *d = (struct derive *)s;
	const struct slot *slot = slot_of(d, ev->type);
	enum verdict v = SINK_MORE;
	uint32_t lost = ev->lost;

	if (slot->raw) {
		v = d->out.to->ops->event(d->out.to, ev, e);
		lost = 0;
	}
	for (const struct made *m = slot->made; m && v == SINK_MORE; m = m->next) {
		const struct event *stable = stable_map_event(m->map, ev);
		struct event out;

		if (!stable)
			continue;
		out = *stable;
		out.type = m->type;
		out.lost = lost;
		lost = 0;
		v = d->out.to->ops->event(d->out.to, &out, e);
	}
	if (lost && v == SINK_MORE)
		v = forward_lost(&d->out.sink, ev, e);
	return v;
}

static void close_sink(struct sink *s)
{
	struct derive *d = (struct derive *)s;
	struct made *m;

	for (size_t i = 0; i < d->nslots; i++)
		while ((m = d->slots[i].made)) {
			d->slots[i].made = m->next;
			stable_map_free(m->map);
			free(m);
		}
	free(d->slots);
	free(d);
}

static const struct sink_ops OPS = {
	.begin = begin,
	.event = event,
	.lost = forward_lost,
	.beyond = forward_beyond,
	.idle = forward_idle,
	.more = forward_more,
	.end = forward_end,
	.close = close_sink,
};

struct sink *derive_new(const struct words *w, struct notes *n, struct sink *to)
{
	struct derive *d = mem_zalloc(sizeof(*d));

	d->out.sink.ops = &OPS;
	d->words = w;
	d->notes = n;
	d->out.to = to;
	return &d->out.sink;
}
