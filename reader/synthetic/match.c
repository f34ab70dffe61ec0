// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * match: what an event means for one definition: a start whose values are kept, an end that finds
 * its start and raises an event, an abort that discards one.
 */
#include "reader/synthetic/synthetic_priv.h"

#include "base/mem.h"
#include "reader/model/machine.h"

#include <string.h>

#define RECORD_MAX 65535 /* bytes: what a locator of a string reaches */

static bool all_true(const struct formulas *f, const struct event *const *ev)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!formula_number(f->v[i], ev))
			return false;
	return true;
}

/* The number that stands for a string in a key. */
static uint64_t text_key(const struct pending *p, const struct formula *f,
			 const struct event *const *ev)
{
	struct formula_value v;
	struct chars16 c;

	if (f->quick == FORMULA_CHARS16) {
		c = formula_chars16(f, ev);
		return pending_chars16(p, &c);
	}
	formula_run(f, ev, &v);
	return pending_text(p, v.str, v.len);
}

/* False: no event of the other side can have such a key. */
static bool make_keys(const struct part *b, const struct event *const *ev, uint64_t *keys)
{
	const struct site *site = b->site;

	for (unsigned i = 0; i < b->keys.n; i++) {
		const struct formula *f = b->keys.v[i];

		if (__builtin_expect(f->kind == FORMULA_STRING, 0)) {
			keys[i] = text_key(&site->pending, f, ev);
			continue;
		}
		keys[i] = formula_number(f, ev);
		/* A negative number is none that an unsigned value can be. */
		if (f->is_signed == site->unsigned_key[i] && (int64_t)keys[i] < 0)
			return false;
	}
	return true;
}

/* The keys of an event and their hash; false: as above. */
static inline bool take_keys(const struct part *b, const struct event *const *ev, uint64_t *keys,
			     uint64_t *hash)
{
	const struct pending *p = &b->site->pending;

	if (__builtin_expect(b->one_number, 1)) {
		keys[0] = formula_number(b->keys.v[0], ev);
		if (b->not_below_0 && (int64_t)keys[0] < 0)
			return false;
		*hash = pending_mix(p->seed, keys[0]);
		return true;
	}
	if (!make_keys(b, ev, keys))
		return false;
	*hash = pending_hash(p, keys);
	return true;
}

/* Say once of SITE's definition what is no longer whole. */
static void say(struct synthetic *s, const struct site *site, bool *said, const char *what)
{
	if (!*said)
		note_say(s->notes, NOTE_WARN, "%s:%s: %s", site->event->def->system,
			 site->event->def->name, what);
	*said = true;
}

static void keep_values(struct synthetic *s, const struct part *b, struct pending_start *to,
			const struct event *ev)
{
	struct site *site = b->site;
	uint8_t *data = pending_captured(&site->pending, to);
	const struct event *const sides[] = { ev, ev };
	uint32_t tail = b->values.n * 8;

	for (unsigned i = 0; i < b->values.n; i++) {
		struct formula_value v;

		if (!site->rooms[i]) {
			v.num = formula_number(b->values.v[i], sides);
			memcpy(data + i * 8, &v.num, 8);
			continue;
		}
		formula_run(b->values.v[i], sides, &v);
		if (v.len > site->rooms[i]) {
			v.len = site->rooms[i];
			say(s, site, &site->said_cut, "a string was too long, and is cut");
		}
		field_store(data + i * 8, 4, false, tail);
		field_store(data + i * 8 + 4, 4, false, v.len);
		memcpy(data + tail, v.str, v.len);
		tail += site->rooms[i];
	}
}

static inline void keep(struct synthetic *s, const struct part *b, struct pending_start *to,
			const struct event *ev)
{
	uint8_t *data = pending_captured(&b->site->pending, to);
	const struct event *const sides[] = { ev, ev };

	to->ts = ev->ts;
	to->cpu = ev->cpu;
	to->pid = ev->pid;
	if (!b->site->only_numbers) {
		keep_values(s, b, to, ev);
		return;
	}
	for (unsigned i = 0; i < b->values.n; i++)
		field_store(data + i * 8, 8, false, formula_number(b->values.v[i], sides));
}

void match_start(struct synthetic *s, const struct part *b, const struct event *ev)
{
	const struct event *const sides[] = { ev, ev };
	struct site *site = b->site;
	uint64_t keys[SYNTHETIC_KEYS] = { 0 };
	struct pending_start *to = NULL;
	char what[120];
	uint64_t hash;
	int lane;

	if (!all_true(&b->alone, sides) || !take_keys(b, sides, keys, &hash))
		return;
	site->counts.started++;
	site->from = ev->from;
	if (!site->event->def->nest)
		to = pending_find(&site->pending, keys, hash);
	if (to) {
		site->counts.replaced++;
		if (site->event->def->keep == SYNTHETIC_LAST)
			keep(s, b, to, ev);
		return;
	}
	lane = site->by_cpu ? ev->cpu : 0;
	to = site->event->def->nest ? pending_add(&site->pending, keys, hash, lane) :
				      pending_add_first(&site->pending, keys, hash, lane);
	if (to) {
		keep(s, b, to, ev);
		return;
	}
	site->counts.dropped++;
	if (site->said_full)
		return;
	if (site->pending.by_size)
		snprintf(what, sizeof(what),
			 "what is kept of the starts that wait for their end takes " PENDING_SAID
			 ": further ones are left out");
	else
		snprintf(what, sizeof(what),
			 "as many starts wait for their end as max_pending allows (%u): further "
			 "ones are left out",
			 site->event->def->max_pending);
	say(s, site, &site->said_full, what);
}

void match_kept(const struct site *site, const struct pending_start *p, struct event *out)
{
	*out = (struct event){
		.ts = p->ts,
		.type = &site->start,
		.from = site->from,
		.data = pending_captured(&site->pending, p),
		.size = site->start.fixed,
		.pid = p->pid,
		.cpu = p->cpu,
	};
}

/* Append a string, and the NUL that readers of text expect, to the record R of SIZE bytes. */
static uint32_t put_string(struct synthetic *s, struct site *site, struct raised *r, uint32_t size,
			   uint32_t off, const struct formula *f, const struct formula_value *v)
{
	bool text = !f->field || f->field->kind == FIELD_STR;
	uint32_t len = v->len, room = RECORD_MAX - size;

	/* Nothing is left, not even for a NUL: no bytes, which reads as an empty string. */
	text = text && room;
	if (len > room - text) {
		len = room - text;
		say(s, site, &site->said_cut, "a string was too long, and is cut");
	}
	if (size + len + 1 > r->cap)
		r->data = mem_grow(r->data, &r->cap, size + len + 1, 1);
	field_store(r->data + off, 4, site->machine->swap, size | (len + text) << 16);
	memcpy(r->data + size, v->str, len);
	r->data[size + len] = 0;
	return size + len + text;
}

/* Room for one more event in the queue; NULL: there are too many. */
static struct raised *next_raised(struct synthetic *s, const struct site *site)
{
	size_t was = s->cap_queue;

	if (s->raised == SYNTHETIC_QUEUE) {
		say(s, site, &s->said_queue, "one event raises too many others: some are left out");
		return NULL;
	}
	if (s->raised == was) {
		s->queue = mem_grow(s->queue, &s->cap_queue, s->raised + 1, sizeof(*s->queue));
		memset(s->queue + was, 0, (s->cap_queue - was) * sizeof(*s->queue));
	}
	return &s->queue[s->raised++];
}

/* Does anybody ask for SITE's events?  Else they are only counted. */
static inline bool is_asked(const struct synthetic *s, const struct site *site)
{
	return !site->type->unused || s->slots[site->type->idx].list;
}

/* RAW: the record that all of this began with, whose common fields the new one has. */
static void raise_event(struct synthetic *s, const struct part *b, const struct event *const *sides,
			const struct event *raw)
{
	struct site *site = b->site;
	const struct field *fields = site->type->fields + site->type->ncommon;
	uint32_t size = site->last, common = site->common;
	struct raised *r;

	r = next_raised(s, site);
	if (!r)
		return;
	if (r->cap < size + 1)
		r->data = mem_grow(r->data, &r->cap, size + 1, 1);
	memset(r->data, 0, size);
	memcpy(r->data, raw->data, common < raw->size ? common : raw->size);
	for (unsigned i = 0; i < b->values.n; i++) {
		const struct formula *f = b->values.v[i];
		struct formula_value v;

		if (f->kind == FORMULA_NUMBER) {
			field_store(r->data + fields[i].off, 8, site->machine->swap,
				    formula_number(f, sides));
			continue;
		}
		formula_run(f, sides, &v);
		size = put_string(s, site, r, size, fields[i].off, f, &v);
	}
	if (common >= 2)
		field_store(r->data, 2, site->machine->swap, site->type->id);
	r->ev = *sides[SIDE_END];
	r->ev.type = site->type;
	r->ev.data = r->data;
	r->ev.size = size;
	r->ev.lost = 0;
}

void match_other(struct synthetic *s, const struct part *b, const struct event *ev,
		 const struct event *raw)
{
	const struct event *sides[] = { ev, ev };
	struct site *site = b->site;
	uint64_t keys[SYNTHETIC_KEYS] = { 0 };
	struct pending_start *p;
	bool raises = b->role == ROLE_END && is_asked(s, site);
	struct event kept;
	uint64_t hash;

	if (!site->pending.live || !all_true(&b->alone, sides) || !take_keys(b, sides, keys, &hash))
		return;
	while ((p = pending_find(&site->pending, keys, hash))) {
		if (raises || b->both.n) {
			match_kept(site, p, &kept);
			kept.from = ev->from;
			sides[SIDE_START] = &kept;
		}
		if (!all_true(&b->both, sides))
			return;
		if (b->role == ROLE_END) {
			site->counts.matched++;
			if (raises)
				raise_event(s, b, sides, raw);
			pending_remove(&site->pending, p);
			return;
		}
		site->counts.aborted++;
		pending_remove(&site->pending, p);
	}
}
