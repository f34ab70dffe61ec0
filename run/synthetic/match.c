// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * match: what an event means for one definition: a start whose values are kept, an end that finds
 * its start and raises an event, an abort that discards one.
 */
#include "run/synthetic/synthetic_priv.h"

#include "base/mem.h"
#include "trace/machine.h"

#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define RECORD_MAX 65535 /* bytes: the range of a string's locator */

static bool all_true(const struct formulas *f, const struct event *const *ev)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!expr_value_number(f->v[i], ev))
			return false;
	return true;
}

/* The number that represents a string in a key. */
static uint64_t text_key(const struct pending *p, const struct expr_value *f,
			 const struct event *const *ev)
{
	struct expr_result v;
	struct chars16 c;

	if (f->quick == VALUE_CHARS16) {
		c = expr_value_chars16(f, ev);
		return pending_chars16(p, &c);
	}
	expr_value_run(f, ev, &v);
	return pending_text(p, v.str, v.len);
}

/* False: no event of the other side can have such a key. */
static bool make_keys(const struct part *b, const struct event *const *ev, uint64_t *keys)
{
	const struct site *site = b->site;

	for (unsigned i = 0; i < b->keys.n; i++) {
		const struct expr_value *f = b->keys.v[i];

		if (__builtin_expect(f->kind == EXPR_STRING, 0)) {
			keys[i] = text_key(&site->pending, f, ev);
			continue;
		}
		keys[i] = expr_value_number(f, ev);
		/* An unsigned value can never equal a negative number. */
		if (f->is_signed == site->unsigned_key[i] && (int64_t)keys[i] < 0)
			return false;
	}
	return true;
}

/* The key of an event where it is one number, and its hash; false: as above. */
static inline bool take_number(const struct part *b, const struct event *const *ev, uint64_t *key,
			       uint64_t *hash)
{
	*key = expr_value_number(b->keys.v[0], ev);
	*hash = pending_mix(b->site->pending.seed, *key);
	return !b->not_below_0 || (int64_t)*key >= 0;
}

/* The same of any keys. */
static bool take_keys(const struct part *b, const struct event *const *ev, uint64_t *keys,
		      uint64_t *hash)
{
	if (b->one_number)
		return take_number(b, ev, keys, hash);
	if (!make_keys(b, ev, keys))
		return false;
	*hash = pending_hash(&b->site->pending, keys);
	return true;
}

/* Report once what SITE's definition no longer has in full. */
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
		struct expr_result v;

		if (!site->rooms[i]) {
			v.num = expr_value_number(b->values.v[i], sides);
			memcpy(data + i * 8, &v.num, 8);
			continue;
		}
		expr_value_run(b->values.v[i], sides, &v);
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
		field_store(data + i * 8, 8, false, expr_value_number(b->values.v[i], sides));
}

/* SITE's definition cannot keep another start. */
static void leave_out(struct synthetic *s, struct site *site)
{
	char what[120];

	site->counts.dropped += !s->outside;
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

/* A start with KEYS of HASH. */
static ALWAYS_INLINE void take_start(struct synthetic *s, const struct part *b,
				     const struct event *ev, const uint64_t *keys, uint64_t hash)
{
	struct site *site = b->site;
	const struct synthetic_def *def = site->event->def;
	int lane = site->by_cpu ? ev->cpu : 0;
	struct pending_start *to;
	bool had = false;

	site->counts.started += !s->outside;
	site->from = ev->from;
	to = def->nest ? pending_add(&site->pending, keys, hash, lane) :
			 pending_find_or_add(&site->pending, keys, hash, lane, &had);
	if (had) {
		site->counts.replaced += !s->outside;
		if (def->keep != SYNTHETIC_LAST)
			return;
	}
	if (to)
		keep(s, b, to, ev);
	else
		leave_out(s, site);
}

static void match_start(struct synthetic *s, const struct part *b, const struct event *ev,
			const struct event *raw)
{
	const struct event *const sides[] = { ev, ev };
	uint64_t keys[SYNTHETIC_KEYS] = { 0 };
	uint64_t hash;

	if (all_true(&b->alone, sides) && take_keys(b, sides, keys, &hash))
		take_start(s, b, ev, keys, hash);
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
			   uint32_t off, const struct expr_value *f, const struct expr_result *v)
{
	bool text = !f->field || f->field->kind == FIELD_STR;
	uint32_t len = v->len, room = RECORD_MAX - size;

	/* There is no room, not even for a NUL: no bytes, which reads as an empty string. */
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

/* Does a consumer need SITE's events?  Otherwise they are only counted. */
static inline bool is_asked(const struct synthetic *s, const struct site *site)
{
	return site->type->demand->asked != WANT_NO || s->slots[site->type->idx].list;
}

/*
 * EV ends the start P.  RAW: the original record, whose common fields the new one gets.
 */
static void raise_event(struct synthetic *s, const struct part *b, const struct pending_start *p,
			const struct event *ev, const struct event *raw)
{
	struct event kept;
	const struct event *const sides[] = { &kept, ev };
	struct site *site = b->site;
	const struct field *fields = site->type->fields + site->type->ncommon;
	uint32_t size = site->last, common = site->common;
	struct raised *r;

	r = next_raised(s, site);
	if (!r)
		return;
	match_kept(site, p, &kept);
	kept.from = ev->from;
	if (r->cap < size + 1)
		r->data = mem_grow(r->data, &r->cap, size + 1, 1);
	memset(r->data, 0, size);
	memcpy(r->data, raw->data, common < raw->size ? common : raw->size);
	for (unsigned i = 0; i < b->values.n; i++) {
		const struct expr_value *f = b->values.v[i];
		struct expr_result v;

		if (f->kind == EXPR_NUMBER) {
			field_store(r->data + fields[i].off, 8, site->machine->swap,
				    expr_value_number(f, sides));
			continue;
		}
		expr_value_run(f, sides, &v);
		size = put_string(s, site, r, size, fields[i].off, f, &v);
	}
	if (common >= 2)
		field_store(r->data, 2, site->machine->swap, site->type->id);
	r->ev = *ev;
	r->ev.type = site->type;
	r->ev.data = r->data;
	r->ev.size = size;
	r->ev.lost = 0;
}

/* The event of the start P and EV, its end. */
static inline bool is_both(const struct part *b, const struct pending_start *p,
			   const struct event *ev)
{
	struct event kept;
	const struct event *const sides[] = { &kept, ev };

	match_kept(b->site, p, &kept);
	kept.from = ev->from;
	return all_true(&b->both, sides);
}

/* An end or an abort with KEYS of HASH. */
static ALWAYS_INLINE void take_other(struct synthetic *s, const struct part *b, enum role role,
				     const struct event *ev, const struct event *raw,
				     const uint64_t *keys, uint64_t hash)
{
	struct site *site = b->site;
	struct pending_start *p;

	while ((p = pending_find(&site->pending, keys, hash)) &&
	       (!b->both.n || is_both(b, p, ev))) {
		if (role == ROLE_END) {
			site->counts.matched += !s->outside;
			if (is_asked(s, site))
				raise_event(s, b, p, ev, raw);
			pending_remove(&site->pending, p);
			return;
		}
		site->counts.aborted += !s->outside;
		pending_remove(&site->pending, p);
	}
}

static void match_other(struct synthetic *s, const struct part *b, const struct event *ev,
			const struct event *raw)
{
	const struct event *const sides[] = { ev, ev };
	uint64_t keys[SYNTHETIC_KEYS] = { 0 };
	uint64_t hash;

	if (b->site->pending.live && all_true(&b->alone, sides) && take_keys(b, sides, keys, &hash))
		take_other(s, b, b->role, ev, raw, keys, hash);
}

/* ---- what B sees is made from the type's events ---- */

static void match_mapped_start(struct synthetic *s, const struct part *b, const struct event *ev,
			       const struct event *raw)
{
	const struct event *seen = stable_map_event(b->map, ev);

	if (seen)
		match_start(s, b, seen, raw);
}

static void match_mapped_other(struct synthetic *s, const struct part *b, const struct event *ev,
			       const struct event *raw)
{
	const struct event *seen = stable_map_event(b->map, ev);

	if (seen)
		match_other(s, b, seen, raw);
}

/* ---- the usual definition: its key is one number, and there are no other conditions ---- */

static void match_quick_start(struct synthetic *s, const struct part *b, const struct event *ev,
			      const struct event *raw)
{
	const struct event *const sides[] = { ev, ev };
	uint64_t key, hash;

	if (take_number(b, sides, &key, &hash))
		take_start(s, b, ev, &key, hash);
}

static void match_quick_end(struct synthetic *s, const struct part *b, const struct event *ev,
			    const struct event *raw)
{
	const struct event *const sides[] = { ev, ev };
	uint64_t key, hash;

	if (b->site->pending.live && take_number(b, sides, &key, &hash))
		take_other(s, b, ROLE_END, ev, raw, &key, hash);
}

void match_choose(struct part *b)
{
	bool start = b->role == ROLE_START;

	if (b->map)
		b->match = start ? match_mapped_start : match_mapped_other;
	else if (b->one_number && !b->alone.n && b->role != ROLE_ABORT)
		b->match = start ? match_quick_start : match_quick_end;
	else
		b->match = start ? match_start : match_other;
}
