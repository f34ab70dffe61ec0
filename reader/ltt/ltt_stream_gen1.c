// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_stream_gen1: the events of a tracefile of generation 1: blocks of the size in
 * info/system.xml, with events packed from block_start to block_end.  A block's wall clock and
 * cycles at both ends are the only measure of its time.
 */
#include "reader/ltt/blocks.h"
#include "trace/field.h"

#include <inttypes.h>
#include <stdlib.h>

#define HEAD 6 /* u16 code, u32 low half of the counter */
/*
 * block_start and block_end after their headers: u32 seconds, u32 microseconds (the field is
 * called nanoseconds), u64 cycles, u32 number of the block.
 */
#define STAMP 20
#define EDGE (HEAD + STAMP)
#define TRAILER 4 /* a block's last word: distance of block_end from the block's end */
#define NS 1000000000ull

struct stamp {
	uint64_t ns, tsc;
};

static unsigned code_at(const struct ltt *t, const uint8_t *p)
{
	return field_load(p, 2, t->machines[0].swap);
}

static struct stamp stamp_at(const struct ltt *t, const uint8_t *p)
{
	bool swap = t->machines[0].swap;

	p += HEAD;
	return (struct stamp){ field_load(p, 4, swap) * NS + field_load(p + 4, 4, swap) * 1000,
			       field_load(p + 8, 8, swap) };
}

/* The rate between two stamps, if it can be computed. */
static bool set_rate(struct ltt_clock *c, const struct stamp *a, const struct stamp *b)
{
	if (b->ns <= a->ns || b->tsc <= a->tsc)
		return false;
	c->num = b->ns - a->ns;
	c->den = b->tsc - a->tsc;
	return true;
}

/*
 * The stamps of the block at OFF, of which LEN bytes are present.  *END: offset after its last
 * event, 0 if the block has no end.  -1 with E: it is not a block.
 */
static int read_edges(struct ltt *t, struct ltt_window *w, uint64_t off, uint64_t len,
		      struct stamp *start, struct stamp *last, uint64_t *end, struct err *e)
{
	uint64_t after = off + len;
	const uint8_t *p;
	uint32_t back;

	*end = 0;
	if (len < EDGE)
		return err_set(e, ERR_FORMAT, off, "the file ends here, within block_start");
	p = ltt_window_get(w, off, EDGE, after, e);
	if (!p)
		return -1;
	if (code_at(t, p) != t->block_start)
		return err_set(e, ERR_FORMAT, off, "a block that does not begin with block_start");
	*start = stamp_at(t, p);
	if (len < t->block_size)
		return 0;
	p = ltt_window_get(w, after - TRAILER, TRAILER, after, e);
	if (!p)
		return -1;
	back = field_load(p, 4, t->machines[0].swap);
	if (back < EDGE + TRAILER || back > len - EDGE)
		return 0;
	p = ltt_window_get(w, after - back, EDGE, after, e);
	if (!p)
		return -1;
	if (code_at(t, p) != t->block_end)
		return 0;
	*last = stamp_at(t, p);
	*end = after - back + EDGE;
	return 0;
}

static uint64_t left_of(const struct ltt *t, const struct ltt_file *f, uint64_t block)
{
	uint64_t left = f->in.size - block;

	return left < t->block_size ? left : t->block_size;
}

/*
 * Does file F give the rate: a block with both ends, or two consecutive ones?  FIRST and LAST get
 * the earliest and the latest start of a block of any file.
 */
static bool file_rate(struct ltt *t, struct ltt_file *f, struct stamp *first, struct stamp *last)
{
	struct ltt_window w = { .in = &f->in };
	struct stamp start, end = { 0, 0 }, before = { 0, 0 };
	bool found = false;
	uint64_t after;
	struct err e;

	for (uint64_t off = 0; off < f->in.size && !found; off += t->block_size) {
		if (read_edges(t, &w, off, left_of(t, f, off), &start, &end, &after, &e) < 0)
			continue;
		found = (after && set_rate(&t->clock, &start, &end)) ||
			(before.ns && set_rate(&t->clock, &before, &start));
		before = start;
		if (!first->ns || start.tsc < first->tsc)
			*first = start;
		if (start.tsc > last->tsc)
			*last = start;
	}
	ltt_window_fini(&w);
	return found;
}

void ltt_old_rate(struct ltt *t)
{
	struct stamp first = { 0, 0 }, last = { 0, 0 };

	for (unsigned i = 0; i < t->nfiles; i++)
		if (file_rate(t, &t->files[i], &first, &last))
			return;
	/* The CPUs began at different times, but share a clock. */
	if (set_rate(&t->clock, &first, &last)) {
		t->rate = RATE_ROUGH;
		return;
	}
	t->clock.num = t->clock.den = 1;
	t->rate = RATE_NONE;
}

static void say_loose(struct ltt_reading *r, uint64_t len)
{
	if (len < r->t->block_size)
		note_say(r->t->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": the file ends here, "
			 "within the block that begins at 0x%" PRIx64 ": what is whole of it is "
			 "read",
			 r->f->in.path, r->f->in.size, r->block);
	else if (!r->f->unclosed++)
		note_say(r->t->notes, NOTE_WARN,
			 "%s: offset 0x%" PRIx64 ": this block has no "
			 "block_end: it and others like it are read as long as their events make "
			 "sense",
			 r->f->in.path, r->block);
	if (r->t->rate != RATE_KNOWN)
		note_say(r->t->notes, NOTE_WARN, "%s: no block has the rate of the counter: %s",
			 r->f->in.path,
			 r->t->rate == RATE_ROUGH ?
				 "taken from when the CPUs began, and times are rough" :
				 "a cycle counts as 1 ns");
	r->t->rate = RATE_KNOWN;
}

static enum pull open_block(struct ltt_reading *r, struct err *e)
{
	struct stamp start, end = { 0, 0 };
	uint64_t len;

	if (r->block >= r->f->in.size)
		return PULL_EOF;
	len = left_of(r->t, r->f, r->block);
	if (read_edges(r->t, &r->w, r->block, len, &start, &end, &r->end, e) < 0) {
		ltt_blocks_leave(r);
		return PULL_ERR;
	}
	r->loose = !r->end;
	/* A block without a rate uses that of the previous block, or of any other. */
	if (!r->loose)
		set_rate(&r->clock, &start, &end);
	if (r->loose) {
		say_loose(r, len);
		r->end = r->block + len;
	}
	r->clock.zero = start.tsc;
	r->clock.base = start.ns;
	r->time = start.tsc;
	r->pos = r->block;
	r->open = r->unwanted_so_far = true;
	return PULL_OK;
}

static enum ltt_step broken(struct ltt_reading *r, const char *what, struct err *e)
{
	if (r->loose)
		return STEP_END;
	err_set(e, ERR_FORMAT, r->pos, "%s: the rest of its block is left out", what);
	return STEP_BREAK;
}

static uint64_t time_of(const struct ltt_reading *r)
{
	return r->t->raw ? r->time : ltt_clock_ns(&r->clock, r->time);
}

static void deliver(struct ltt_reading *r, const struct etype *type)
{
	struct event *ev = &r->base.ev;

	r->unwanted_so_far = false;
	ev->ts = time_of(r);
	ev->type = type;
	ev->data = r->rec.data;
	ev->size = r->rec.size;
	ev->seq = r->seq;
	ev->pid = -1;
	ev->cpu = r->f->cpu;
	ev->at_page_start = r->pos == r->block;
	ev->off = r->pos;
	ev->from = &r->f->from;
}

static enum ltt_step read_event(struct ltt_reading *r, struct err *e)
{
	struct ltt *t = r->t;
	struct ltt_known *k;
	const uint8_t *p;
	uint64_t before = r->time;
	unsigned code;
	uint32_t low;
	size_t used;

	if (r->pos == r->end)
		return STEP_END;
	if (r->end - r->pos < HEAD)
		return broken(r, "the events run past block_end", e);
	p = ltt_window_get(&r->w, r->pos, HEAD, r->end, e);
	if (!p)
		return STEP_BREAK;
	code = code_at(t, p);
	low = field_load(p + 2, 4, t->machines[0].swap);
	r->time = ltt_widen(r->time, low);
	/* After the last event of a block there are only zeros. */
	if (r->loose && ((!code && !low) || r->time - before >= 1u << 31))
		return STEP_END;
	k = t->by_code[code];
	if (!k)
		return broken(r, "an event of a code that no facility has", e);
	if (!k->type)
		return broken(r, "an event whose type cannot be read, nor its size", e);
	if (ltt_window_open(&r->w, r->pos + HEAD, r->end, k->layouts[0], &r->rec, &used, e) < 0) {
		err_within(e, "event %s::%s", k->type->system, k->type->name);
		return r->loose ? STEP_END : STEP_BREAK;
	}
	r->seq++;
	r->base.seen++;
	if (!k->type->demand->skip)
		deliver(r, k->type);
	r->pos += HEAD + used;
	if (r->loose && code == t->block_end)
		r->end = r->pos;
	return k->type->demand->skip ? STEP_NEXT : STEP_EVENT;
}

static const struct ltt_blocks_ops ops = { open_block, read_event, time_of };

struct stream *ltt_old_stream(struct ltt *t, struct ltt_file *f)
{
	struct ltt_reading *r = ltt_blocks_new(&ops, t, f, t->block_size);

	r->clock = t->clock;
	return &r->base;
}
