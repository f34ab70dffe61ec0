// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_stream: the events of a tracefile of versions 0.4 to 0.7: blocks of one size, each with
 * headers and then events, which have one of four header layouts.
 */
#include "reader/ltt/blocks.h"
#include "trace/field.h"

#include <inttypes.h>
#include <stdlib.h>

#define SIZE_UNKNOWN 0xffff /* of a payload: depends on its contents */
#define BEAT 2		    /* core's time_heartbeat */

/* An event's header and related data. */
struct head {
	uint64_t off, data; /* offsets of the header and the payload */
	uint8_t facility, event;
	uint16_t size;
	uint64_t before; /* r->time before it */
	struct ltt_loaded *loaded;
	struct ltt_known *known;
};

static uint64_t align(uint64_t n, unsigned to)
{
	return (n + to - 1) & ~(uint64_t)(to - 1);
}

static void say_open(struct ltt_reading *r)
{
	if (!r->f->unclosed++)
		note_say(r->t->notes, NOTE_WARN,
			 "%s: offset 0x%" PRIx64 ": this block was never "
			 "closed (a crash, or a flight recorder): it and others like it are read "
			 "as long as their events make sense",
			 r->f->in.path, r->block);
}

/* PULL_OK: the block at r->block is open; PULL_EOF: there is none. */
static enum pull open_block(struct ltt_reading *r, struct err *e)
{
	const struct ltt_head *h = &r->f->head;
	uint64_t left = r->f->in.size - r->block;
	struct ltt_block b;
	const uint8_t *p;

	if (r->block >= r->f->in.size)
		return PULL_EOF;
	if (left < h->first) {
		err_set(e, ERR_FORMAT, r->block,
			"the file ends here, within the header of a block");
		ltt_blocks_leave(r);
		return PULL_ERR;
	}
	p = ltt_window_get(&r->w, r->block, h->first, r->block + h->first, e);
	if (!p || ltt_block_read(h, p, &b, e) < 0) {
		if (p)
			e->off += r->block;
		ltt_blocks_leave(r);
		return PULL_ERR;
	}
	r->loose = b.lost == LTT_OPEN;
	r->end = b.size - (r->loose ? 0 : b.lost);
	if (r->loose)
		say_open(r);
	if (r->end > left) {
		note_say(r->t->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": the file ends here, "
			 "within the block that begins at 0x%" PRIx64 ": what is whole of it is "
			 "read",
			 r->f->in.path, r->f->in.size, r->block);
		r->end = left;
		r->loose = true;
	}
	r->end += r->block;
	r->pos = r->block + h->first;
	r->time = h->tsc ? b.tsc : 0;
	r->begin_ns = b.ns;
	r->open = r->unwanted_so_far = true;
	return PULL_OK;
}

/* The rest of the block cannot be read. */
static enum ltt_step bad(struct ltt_reading *r)
{
	return r->loose ? STEP_END : STEP_BREAK;
}

/*
 * In a block that was not closed, older events may follow the last one; they look as if the counter
 * had wrapped.  More than two heartbeats fall into such a time, so no real event is that late.
 */
static bool makes_sense(const struct ltt_reading *r, const struct head *h)
{
	if (!h->known && (!h->loaded || h->loaded->text))
		return false;
	return r->time >= h->before && r->time - h->before < 1u << 31;
}

static void find_event(struct ltt_reading *r, struct head *h)
{
	h->loaded = r->t->by_id[h->facility];
	h->known = h->loaded && h->event < h->loaded->nevents ? &h->loaded->events[h->event] : NULL;
}

/* The header at r->pos.  STEP_EVENT: there is one. */
static enum ltt_step read_head(struct ltt_reading *r, struct head *h, struct err *e)
{
	const struct ltt_head *fh = &r->f->head;
	uint64_t from = r->block + align(r->pos - r->block, r->step);
	const uint8_t *p;

	if (r->pos == r->end || from == r->end)
		return STEP_END;
	h->off = from;
	h->data = r->block + align(from - r->block + r->head, r->step);
	if (from > r->end || r->end - from < r->head) {
		err_set(e, ERR_FORMAT, r->pos,
			"the block ends within the header of an event: the "
			"rest of it is left out");
		return bad(r);
	}
	p = ltt_window_get(&r->w, from, r->head, r->end, e);
	if (!p)
		return STEP_BREAK;
	h->before = r->time;
	if (r->head == 8)
		r->time = ltt_widen(r->time, field_load(p, 4, fh->swap));
	else
		r->time = field_load(p, 8, fh->swap);
	p += r->head - 4;
	h->facility = p[0];
	h->event = p[1];
	h->size = field_load(p + 2, 2, fh->swap);
	/* Padding may be missing at the very end. */
	if (h->data > r->end && !h->size)
		h->data = r->end;
	if (h->data > r->end || (h->size != SIZE_UNKNOWN && h->size > r->end - h->data)) {
		err_set(e, ERR_FORMAT, from,
			"an event of %u byte%s runs past its block: the rest "
			"of it is left out",
			h->size, plural(h->size));
		return bad(r);
	}
	return STEP_EVENT;
}

/* Its payload cannot be read: skip it. */
static enum ltt_step skip(struct ltt_reading *r, const struct head *h, struct err *e)
{
	struct ltt *t = r->t;
	bool *said = h->loaded ? &h->loaded->said : &t->strange[h->facility];

	if (h->size == SIZE_UNKNOWN) {
		err_set(e, ERR_FORMAT, h->off,
			"event of undescribed facility %u and unknown size: "
			"the rest of its block is left out",
			h->facility);
		return bad(r);
	}
	if (!*said && h->loaded)
		note_say(t->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": event %u of facility %s "
			 "(%u) cannot be read%s: it and others like it are left out",
			 r->f->in.path, h->off, h->event, h->loaded->name, h->facility,
			 h->loaded->text ? "" : ", as no description in eventdefs/ is its");
	else if (!*said)
		note_say(t->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": an event of facility "
			 "%u, which control/facilities do not describe: it and others like it are "
			 "left out",
			 r->f->in.path, h->off, h->facility);
	*said = true;
	t->skipped++;
	r->pos = h->data + h->size;
	r->seq++;
	return STEP_NEXT;
}

/* Unpack its payload into r->rec; *TYPE gets its resulting type. */
static enum ltt_step open_event(struct ltt_reading *r, const struct head *h,
				const struct etype **type, struct err *e)
{
	const struct ltt_layout *l = h->known->layouts[r->f->machine];
	bool told = h->size != SIZE_UNKNOWN, beat = !h->facility && h->event == BEAT;
	const uint8_t *p;
	size_t used = 0;

	*type = h->known->type;
	/*
	 * At some point kernels began to omit the heartbeat's fields, without a change of version.
	 */
	if (beat && !h->size && (*type)->nfields) {
		*type = ltt_known_beat(r->t);
		r->rec.size = 0;
		r->pos = h->data;
		return STEP_EVENT;
	}
	if (!told) {
		if (ltt_window_open(&r->w, h->data, r->end, l, &r->rec, &used, e) < 0)
			return bad(r);
		r->pos = h->data + used;
		return STEP_EVENT;
	}
	r->pos = h->data + h->size;
	p = ltt_window_get(&r->w, h->data, h->size, r->end, e);
	if (!p)
		return STEP_BREAK;
	if (ltt_layout_open(l, p, h->size, &r->rec, &used, e) < 0) {
		e->off += h->data;
		return r->loose ? STEP_END : STEP_BAD;
	}
	if (used != h->size && !beat && !h->known->said) {
		note_say(r->t->notes, NOTE_WARN,
			 "%s: offset 0x%" PRIx64 ": an event %s::%s has %u "
			 "bytes, and by its type it has %zu: its fields may be wrong",
			 r->f->in.path, h->off, (*type)->system, (*type)->name, h->size, used);
		h->known->said = true;
	}
	return STEP_EVENT;
}

static uint64_t time_of(const struct ltt_reading *r)
{
	if (r->f->head.tsc)
		return ltt_clock_ns(&r->t->clock, r->time);
	return r->begin_ns + r->time * 1000;
}

static void deliver(struct ltt_reading *r, const struct head *h, const struct etype *type)
{
	struct event *ev = &r->base.ev;

	r->unwanted_so_far = false;
	ev->ts = time_of(r);
	ev->type = type;
	ev->data = r->rec.data ? r->rec.data : (const uint8_t *)"";
	ev->size = r->rec.size;
	ev->seq = r->seq;
	ev->pid = -1;
	ev->cpu = r->f->cpu;
	ev->at_page_start = h->off == r->block + r->f->head.first;
	ev->off = h->off;
	ev->from = &r->f->from;
}

static enum ltt_step read_event(struct ltt_reading *r, struct err *e)
{
	const struct etype *type;
	struct head h;
	enum ltt_step step = read_head(r, &h, e);

	if (step != STEP_EVENT)
		return step;
	find_event(r, &h);
	if (r->loose && !makes_sense(r, &h))
		return STEP_END;
	if (!h.known || !h.known->type)
		return skip(r, &h, e);
	if (h.known->type->demand->skip && !r->loose && h.size != SIZE_UNKNOWN) {
		r->pos = h.data + h.size;
		r->seq++;
		r->base.seen++;
		return STEP_NEXT;
	}
	step = open_event(r, &h, &type, e);
	if (step == STEP_BAD || step == STEP_BREAK)
		err_within(e, "event %s::%s", h.known->type->system, h.known->type->name);
	if (step == STEP_BREAK || step == STEP_END)
		return step;
	r->seq++;
	if (step == STEP_BAD)
		return step;
	r->base.seen++;
	if (type->demand->skip)
		return STEP_NEXT;
	deliver(r, &h, type);
	return STEP_EVENT;
}

static const struct ltt_blocks_ops ops = { open_block, read_event, time_of };

struct stream *ltt_stream(struct ltt *t, struct ltt_file *f)
{
	const struct ltt_head *h = &f->head;
	struct ltt_reading *r = ltt_blocks_new(&ops, t, f, h->block_size);

	r->head = h->heartbeat || !h->tsc ? 8 : 12;
	r->step = h->align < h->arch_size ? h->align : h->arch_size;
	if (!r->step)
		r->step = 1;
	return &r->base;
}
