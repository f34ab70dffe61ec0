// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring: walks sub-buffers and delivers their records with times, types and losses.  Every length in
 * a page is checked against that page; damage costs at most the rest of the page.
 */
#include "ring/ring_priv.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "trace/sink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define WITHOUT_EVENT_MAX 1024 /* pages without a wanted event before a return to the caller */
#define STAMP_TOP 0xf800000000000000ull /* the bits that an absolute stamp does not carry */

/* The next record is of another task. */
static __attribute__((noinline)) void turn(struct ring *r, int32_t pid)
{
	struct trail *t = &r->trail;

	t->before = r->follows ? ring_time(r, r->last) : TS_UNKNOWN;
	t->before_pid = t->pid;
	t->since = ring_time(r, r->place.stamp);
	t->pid = pid;
	r->follows = r->any = true;
}

/*
 * N events were lost before the next record, whose loss is all that was lost since the last one: if
 * some of it has no number, none of it has.
 */
static void add_loss(struct ring *r, uint64_t n)
{
	struct stream *s = &r->base;
	uint64_t before = r->pending == LOST_UNKNOWN ? 0 : r->pending;

	if (!r->pending) {
		s->ev.lost_since = r->any ? ring_time(r, r->last) : TS_UNKNOWN;
		s->lost_places++;
	}
	r->follows = false;
	r->seq += n == LOST_UNKNOWN ? 1 : n;
	if (r->pending == LOST_UNKNOWN)
		return;
	if (n == LOST_UNKNOWN) {
		s->lost_unknown++;
		r->pending = LOST_UNKNOWN;
		s->lost -= before;
		return;
	}
	r->pending = before + n < LOST_UNKNOWN ? before + n : LOST_UNKNOWN - 1;
	s->lost += r->pending - before;
}

/* The end: a number that no record follows has no place. */
static void drop_pending(struct ring *r)
{
	struct stream *s = &r->base;

	if (!r->pending || r->pending == LOST_UNKNOWN)
		return;
	s->lost_places--;
	s->lost -= r->pending;
	s->timeless += r->pending;
	r->pending = 0;
}

/* The significant half of the commit word, in a page of this kernel. */
static uint8_t *commit_of(uint8_t *page)
{
	return page + 8 + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && sizeof(long) == 8 ? 4 : 0);
}

bool ring_tells_losses(uint8_t *page)
{
	return bytes_u32(commit_of(page), __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) & COMMIT_LOST;
}

void ring_forget_losses(uint8_t *page, bool all)
{
	uint8_t *commit = commit_of(page);
	uint32_t word;

	memcpy(&word, commit, sizeof(word));
	word &= ~((all ? COMMIT_LOST : 0) | COMMIT_STORED);
	memcpy(commit, &word, sizeof(word));
}

uint32_t ring_data_len(const uint8_t *page)
{
	return bytes_u32(commit_of((uint8_t *)page), __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) &
	       COMMIT_SIZE;
}

/* Losses reported by the commit word WORD of a page; SIZE bytes of data. */
static void page_losses(struct ring *r, const struct page *pg, uint32_t word, uint32_t size)
{
	const struct page_layout *l = &r->layout;
	uint64_t at = (uint64_t)l->data_off + size, n;

	r->place.older_loss = r->pending_old = r->pending != 0;
	if (!(word & COMMIT_LOST))
		return;
	if (!(word & COMMIT_STORED) || at + l->long_size > pg->len) {
		add_loss(r, LOST_UNKNOWN);
		return;
	}
	n = l->long_size == 8 ? bytes_u64(pg->p + at, l->big_endian) :
				bytes_u32(pg->p + at, l->big_endian);
	/* A count that no kernel reaches is damage; but events were lost in any case. */
	add_loss(r, n < LOST_UNKNOWN ? n : LOST_UNKNOWN);
}

/*
 * What follows the last record is not earlier, but may have the same time: a watermark.  0: there
 * was none.
 */
static uint64_t after_last(const struct ring *r)
{
	uint64_t last = r->place.number ? ring_time(r, r->place.stamp) : 0;

	return last ? last - 1 : 0;
}

/*
 * Only unwanted records for a while: return to the caller.  A live merge need not wait for this
 * stream before their time.
 */
static enum pull yield(struct ring *r)
{
	uint64_t watermark = after_last(r);

	r->without_event = 0;
	if (watermark)
		r->base.watermark = watermark;
	return PULL_AGAIN;
}

/* The feed has no page now.  It promises a time; the last record may promise more. */
static void wait_for_page(struct ring *r)
{
	uint64_t told = ring_watermark(r, r->feed->watermark), last = after_last(r);

	r->base.watermark = told > last ? told : last;
	r->without_event = 0;
}

/* Subtract the records of the last page from the limit; -1 with E: it is used up. */
static int count_records(struct ring *r, struct err *e)
{
	uint64_t n = r->base.seen - r->counted;

	r->counted = r->base.seen;
	if (n <= *r->feed->records) {
		*r->feed->records -= n;
		return 0;
	}
	r->used_up = true;
	return err_set(e, ERR_FORMAT, r->place.page_off,
		       "more records than bytes in the file, by over "
		       "65536: rest of this CPU skipped");
}

/* Does a page without data have non-zero bytes?  Kernels clear what follows the data. */
static bool hollow(const struct page *pg, const struct page_layout *l)
{
	uint32_t i = l->data_off;

	while (i < pg->len && !pg->p[i])
		i++;
	return i < pg->len;
}

/* Get the next page with data. */
static enum pull next_page(struct ring *r, struct err *e)
{
	const struct page_layout *l = &r->layout;
	enum pull rc;
	struct page pg;

	if (++r->without_event > WITHOUT_EVENT_MAX)
		return yield(r);
	if (r->feed->records && count_records(r, e) < 0)
		return PULL_ERR;
	if (r->used_up)
		return PULL_EOF;
	for (;;) {
		const uint8_t *commit;
		uint32_t word, size;

		rc = feed_page(r->feed, &pg, e);
		r->base.bytes_done = r->feed->done;
		r->base.settled = r->feed->settled;
		if (rc == PULL_WAIT || rc == PULL_AGAIN)
			wait_for_page(r);
		if (rc == PULL_EOF)
			drop_pending(r);
		if (rc != PULL_OK)
			return rc;
		if (pg.len < l->data_off)
			continue; /* truncated in its header; the feed has reported it */
		/* Only the low half of a 64-bit commit word is significant. */
		commit = pg.p + 8 + (l->big_endian && l->long_size == 8 ? 4 : 0);
		word = bytes_u32(commit, l->big_endian);
		size = word & COMMIT_SIZE;
		if (size > l->page_size - l->data_off)
			return err_set(e, ERR_FORMAT, pg.off,
				       "page with %u byte%s of data, where %u fit: skipped", size,
				       plural(size), l->page_size - l->data_off);
		if (unlikely(r->ends) && size && !(word & COMMIT_LOST) &&
		    places_end(r, bytes_u64(pg.p, l->big_endian)))
			return PULL_EOF;
		page_losses(r, &pg, word, size);
		r->cut = size > pg.len - l->data_off;
		if (r->cut)
			size = pg.len - l->data_off;
		if (!size && !word && hollow(&pg, l))
			return err_set(e, ERR_FORMAT, pg.off,
				       "page that says it is empty, but has bytes: skipped");
		if (!size)
			continue;
		r->place.stamp = bytes_u64(pg.p, l->big_endian);
		r->place.page = pg.p;
		r->place.len = pg.len;
		r->place.page_off = pg.off;
		r->place.number++;
		r->data = pg.p + l->data_off;
		r->p = r->data;
		r->place.end = r->data + size;
		if (unlikely(r->base.place != NULL))
			places_tell(r);
		return PULL_OK;
	}
}

/* The rest of the page cannot be read: skip it. */
static enum pull bad_rest(struct ring *r, const uint8_t *p, struct err *e, const char *what,
			  uint64_t len)
{
	uint64_t left = r->place.end - p;

	r->p = r->place.end;
	if (r->cut)
		return PULL_AGAIN;
	return err_set(e, ERR_FORMAT, r->place.page_off + (p - r->place.page),
		       "%s of %" PRIu64 " byte%s runs past its page (%" PRIu64 " left): rest of "
		       "the page skipped",
		       what, len, plural(len), left);
}

/* An absolute stamp V of 59 bits; the upper 5 are those of the previous time (format.md 4.3). */
static uint64_t absolute(uint64_t before, uint64_t v)
{
	uint64_t t = v;

	if (before & STAMP_TOP) {
		t = v | (before & STAMP_TOP);
		if (t < before)
			t += 1ull << 59;
	}
	return t;
}

/* Is the record outside the requested time window? */
static inline bool outside(const struct ring *r)
{
	uint64_t ts = ring_time(r, r->place.stamp);

	return ts < r->base.start || ts > r->base.end;
}

/* Fill the event for the record of LEN bytes at DATA, whose header is at P.  False: skip it. */
static inline __attribute__((always_inline)) enum pull take_record(struct ring *r, const uint8_t *p,
								   const uint8_t *data,
								   uint32_t len, bool swap,
								   struct err *e, bool *skip)
{
	struct stream *s = &r->base;
	struct event *ev = &s->ev;
	const struct etype *t;
	int32_t pid;
	unsigned id;

	*skip = false;
	s->seen++;
	r->seq++;
	if (unlikely(len < r->ids->type_off + 2))
		return err_set(e, ERR_FORMAT, r->place.page_off + (p - r->place.page),
			       "record of %u byte%s is too short for its type", len, plural(len));
	pid = likely((uint64_t)r->ids->pid_off + 4 <= len) ?
		      (int32_t)field_load(data + r->ids->pid_off, 4, swap) :
		      -1;
	if (unlikely(pid != r->trail.pid || !r->follows))
		turn(r, pid);
	r->last = r->place.stamp;
	if (unlikely(s->place != NULL))
		places_check(r);
	id = field_load(data + r->ids->type_off, 2, swap);
	t = r->ids->types[id];
	if (unlikely(!t || !t->resolved))
		t = idmap_meet(r->ids, id);
	if ((t->demand->skip || (unlikely(s->windowed) && !t->demand->beyond && outside(r))) &&
	    !r->pending && !r->all) {
		*skip = true;
		return PULL_OK;
	}
	if (unlikely(len < t->fixed))
		return err_set(e, ERR_FORMAT, r->place.page_off + (p - r->place.page),
			       "record of %u byte%s is shorter than its format %s:%s (%u)", len,
			       plural(len), t->system, t->name, t->fixed);
	ev->ts = likely(r->offset_only) ? r->place.stamp + r->offset : ring_time(r, r->place.stamp);
	ev->type = t;
	ev->data = data;
	ev->size = len;
	ev->lost = r->pending;
	ev->at_page_start = p == r->data && !r->pending_old;
	r->pending = 0;
	r->pending_old = false;
	ev->seq = r->seq;
	ev->pid = pid;
	ev->off = r->place.page_off + (p - r->place.page);
	if (t->demand->early && s->early && !ev->lost) {
		s->early(s->early_arg, ev);
		s->taken++;
		*skip = true;
		return PULL_OK;
	}
	r->without_event = 0;
	return PULL_OK;
}

static inline __attribute__((always_inline)) enum pull walk(struct ring *r, bool big_endian,
							    bool swap, struct err *e)
{
	for (;;) {
		const uint8_t *p = r->p;
		uint64_t left = r->place.end - p;
		uint32_t w, type_len, delta, len, h;
		enum pull rc;
		bool skip;

		if (left < 4) {
			if (left) {
				r->p = r->place.end;
				if (r->cut)
					continue;
				return err_set(e, ERR_FORMAT,
					       r->place.page_off + (p - r->place.page),
					       "%" PRIu64
					       " byte%s at the end of a page %s no record",
					       left, plural(left), left == 1 ? "is" : "are");
			}
			rc = next_page(r, e);
			if (rc != PULL_OK)
				return rc;
			continue;
		}
		w = field_load(p, 4, swap);
		type_len = big_endian ? w >> 27 : w & 31;
		delta = big_endian ? w & 0x7ffffff : w >> 5;
		if (likely(type_len - 1 < TYPE_DATA_MAX)) {
			len = type_len * 4;
			if (unlikely(len > left - 4))
				return bad_rest(r, p, e, "record", len);
			r->place.stamp += delta;
			r->p = p + 4 + len;
			rc = take_record(r, p, p + 4, len, swap, e, &skip);
			if (skip)
				continue;
			return rc;
		}
		if (type_len == TYPE_PADDING && !delta) {
			r->p = r->place.end;
			continue;
		}
		if (left < 8)
			return bad_rest(r, p, e, "record header", 8);
		h = field_load(p + 4, 4, swap);
		switch (type_len) {
		case TYPE_EXTEND:
			r->place.stamp += ((uint64_t)h << 27) + delta;
			r->p = p + 8;
			continue;
		case TYPE_STAMP:
			r->place.stamp = absolute(r->place.stamp, ((uint64_t)h << 27) + delta);
			r->p = p + 8;
			continue;
		}
		/* Long data and padding state their length, which includes the length word. */
		if (h < 4 || h > left - 4)
			return bad_rest(r, p, e, type_len ? "padding" : "record", h);
		len = (h + 3) & ~3u;
		if (len > left - 4)
			len = left - 4;
		r->place.stamp += delta;
		r->p = p + 4 + len;
		if (type_len == TYPE_PADDING)
			continue;
		rc = take_record(r, p, p + 8, len - 4, swap, e, &skip);
		if (skip)
			continue;
		return rc;
	}
}

/* 2.6.30's records (format.md 4.7): two bits of type, three of length. */
static enum pull walk_old(struct ring *r, struct err *e)
{
	bool big_endian = r->layout.big_endian;

	for (;;) {
		const uint8_t *p = r->p, *data;
		uint64_t left = r->place.end - p;
		uint32_t w, type, len, delta, h = 0;
		enum pull rc;
		bool skip;

		if (left < 4) {
			rc = next_page(r, e);
			if (rc != PULL_OK)
				return rc;
			continue;
		}
		w = bytes_u32(p, big_endian);
		/*
		 * Bit fields of a big-endian kernel begin at the top bit; trace-cmd is off by one
		 * bit.
		 */
		type = big_endian ? w >> 30 : w & 3;
		len = (big_endian ? w >> 27 & 7 : w >> 2 & 7) * 4;
		delta = big_endian ? w & 0x7ffffff : w >> 5;
		if (type == 0) {
			r->p = r->place.end;
			continue;
		}
		if (type != 3 || !len) {
			if (left < 8)
				return bad_rest(r, p, e, "record header", 8);
			h = bytes_u32(p + 4, big_endian);
		}
		if (type == 1)
			r->place.stamp += ((uint64_t)h << 27) + delta;
		if (type != 3) {
			r->p = p + 8;
			continue;
		}
		data = p + 4;
		if (!len) {
			if (h < 4 || h > left - 4)
				return bad_rest(r, p, e, "record", h);
			data = p + 8;
			len = ((h + 3) & ~3u) - 4;
			if (len > left - 8)
				len = left - 8;
		} else if (len > left - 4) {
			return bad_rest(r, p, e, "record", len);
		}
		r->place.stamp += delta;
		r->p = data + len;
		rc = take_record(r, p, data, len, r->swap, e, &skip);
		if (!skip)
			return rc;
	}
}

#define NATIVE_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* One for each byte order, so that the walk has no branch on it. */
static enum pull next_little(struct stream *s, struct err *e)
{
	return walk((struct ring *)s, false, NATIVE_BIG, e);
}

static enum pull next_big(struct stream *s, struct err *e)
{
	return walk((struct ring *)s, true, !NATIVE_BIG, e);
}

static enum pull next_old(struct stream *s, struct err *e)
{
	return walk_old((struct ring *)s, e);
}

static void close_ring(struct stream *s)
{
	struct ring *r = (struct ring *)s;

	r->feed->ops->close(r->feed);
	free(r);
}

static const struct stream_ops little_ops = { next_little, close_ring, ahead_begin, true,
					      places_jump };
static const struct stream_ops big_ops = { next_big, close_ring, ahead_begin, true, places_jump };
static const struct stream_ops old_ops = { next_old, close_ring, ahead_begin, true, places_jump };

struct stream *ring_stream(const struct ring_opts *o)
{
	struct ring *r = mem_zalloc(sizeof(*r));

	r->base.ops = o->layout.old ? &old_ops : o->layout.big_endian ? &big_ops : &little_ops;
	r->base.from = o->from;
	r->base.seq = o->seq;
	r->base.bytes_total = o->feed->total;
	r->base.ev.cpu = o->from->cpu;
	r->base.ev.from = o->from;
	r->base.ev.place = &r->place;
	r->base.ev.trail = &r->trail;
	r->feed = o->feed;
	r->layout = o->layout;
	r->place.layout = &r->layout;
	r->swap = o->layout.big_endian != NATIVE_BIG;
	r->clock = o->clock;
	r->ids = o->ids;
	r->all = o->all;
	r->offset_only = clock_is_offset(o->clock, o->from->cpu);
	r->offset = o->clock->raw ? 0 : (uint64_t)o->clock->offset;
	return &r->base;
}
