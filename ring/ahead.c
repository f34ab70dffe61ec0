// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ahead: the stacks of an event, which ftrace writes as records of their own after it, on the same
 * CPU.  They are looked up when the event is delivered, and become its chain; later they are
 * delivered as ordinary events.  If the event ends its page, the next page is fetched early.
 */
#include "base/bytes.h"
#include "base/mem.h"
#include "trace/chain.h"
#include "trace/field.h"
#include "ring/ring_priv.h"

#include <stdlib.h>
#include <string.h>

/* The layout of a stack's record. */
struct page_shape {
	const struct etype *type; /* NULL: not met yet */
	uint32_t off, elem;	  /* of its addresses, bytes; elem 0: not in its format */
	const struct field *n;	  /* how many there are; NULL: up to the record's end */
	const struct field *tgid; /* the process of a program's; NULL: not in its format */
};

struct ahead {
	struct feed base; /* must be first: wraps the ring's own */
	struct feed *feed;
	struct ring *ring;
	const struct stream_ops *plain; /* the walk */
	struct stream_ops ops;
	struct page_shape shapes[2]; /* by enum stack_kind - 1 */
	uint8_t *copy;		     /* the current event's page, once the next one is there */
	uint32_t cap;
	struct page next; /* the next page ... */
	enum pull rc;	  /* ... or the feed's other result */
	struct err err;
	bool fetched;	   /* next, rc and err are valid */
	bool held;	   /* the event was read, and waits for its stack */
	const uint8_t *at; /* the next record to look at, up to END */
	const uint8_t *end;
	bool in_next;  /* at and end are in the next page */
	unsigned seen; /* bits of enum stack_kind */
	uint64_t *chain;
	size_t cap_chain;
	uint32_t n;
};

/* ---- the feed ---- */

static void mirror(struct ahead *a)
{
	a->base.done = a->feed->done;
	a->base.watermark = a->feed->watermark;
	a->base.settled = a->feed->settled;
}

static enum pull ahead_page(struct feed *f, struct page *out, struct err *e)
{
	struct ahead *a = (struct ahead *)f;
	enum pull rc = a->rc;

	if (!a->fetched) {
		rc = feed_page(a->feed, out, e);
	} else if (rc == PULL_OK) {
		*out = a->next;
	} else if (rc == PULL_ERR) {
		*e = a->err;
	}
	a->fetched = false;
	mirror(a);
	return rc;
}

static bool ahead_seek(struct feed *f, const struct stream_place *at)
{
	struct ahead *a = (struct ahead *)f;
	bool found = a->feed->ops->seek && a->feed->ops->seek(a->feed, at);

	mirror(a);
	return found;
}

static void close_feed(struct feed *f)
{
	struct ahead *a = (struct ahead *)f;

	a->feed->ops->close(a->feed);
	free(a->copy);
	free(a->chain);
	free(a);
}

/* Move pointers into the page to a copy of it, as its memory is about to be reused. */
static void keep_page(struct ring *r, struct ahead *a)
{
	const uint8_t *from = r->place.page;
	const uint8_t *to;

	if (from == a->copy)
		return;
	if (a->cap < r->place.len) {
		a->cap = r->place.len;
		a->copy = mem_realloc(a->copy, a->cap);
	}
	memcpy(a->copy, from, r->place.len);
	to = a->copy;
	r->base.ev.data = to + (r->base.ev.data - from);
	r->p = to + (r->p - from);
	r->data = to + (r->data - from);
	r->place.end = to + (r->place.end - from);
	r->place.page = to;
}

/* ---- records ---- */

enum peek { PEEK_NONE, PEEK_END, PEEK_RECORD };

/* The record at A->at; moves past it. */
static enum peek peek_new(struct ahead *a, const uint8_t **data, uint32_t *len)
{
	bool big = a->ring->layout.big_endian;

	for (;;) {
		uint64_t left = a->end - a->at;
		uint32_t w, type, delta, h;

		if (left < 4)
			return PEEK_END;
		w = bytes_u32(a->at, big);
		type = big ? w >> 27 : w & 31;
		delta = big ? w & 0x7ffffff : w >> 5;
		if (type == TYPE_PADDING && !delta)
			return PEEK_END;
		if (type && type <= TYPE_DATA_MAX) {
			*data = a->at + 4;
			*len = type * 4;
			if (*len > left - 4)
				return PEEK_NONE;
			a->at += 4 + *len;
			return PEEK_RECORD;
		}
		if (left < 8)
			return PEEK_NONE;
		if (type == TYPE_EXTEND || type == TYPE_STAMP) {
			a->at += 8;
			continue;
		}
		h = bytes_u32(a->at + 4, big);
		if (h < 4 || h > left - 4)
			return PEEK_NONE;
		h = (h + 3) & ~3u;
		h = h > left - 4 ? (uint32_t)(left - 4) : h;
		*data = a->at + 8;
		*len = h - 4;
		a->at += 4 + h;
		if (type != TYPE_PADDING)
			return PEEK_RECORD;
	}
}

/* 2.6.30's (format.md 4.7). */
static enum peek peek_old(struct ahead *a, const uint8_t **data, uint32_t *len)
{
	bool big = a->ring->layout.big_endian;

	for (;;) {
		uint64_t left = a->end - a->at;
		uint32_t w, type, n, h;

		if (left < 4)
			return PEEK_END;
		w = bytes_u32(a->at, big);
		type = big ? w >> 30 : w & 3;
		n = (big ? w >> 27 & 7 : w >> 2 & 7) * 4;
		if (type == 0)
			return PEEK_END;
		if (type != 3) {
			if (left < 8)
				return PEEK_NONE;
			a->at += 8;
			continue;
		}
		*data = a->at + 4;
		if (!n) {
			if (left < 8)
				return PEEK_NONE;
			h = bytes_u32(a->at + 4, big);
			if (h < 4 || h > left - 4)
				return PEEK_NONE;
			*data = a->at + 8;
			n = ((h + 3) & ~3u) - 4;
			n = n > left - 8 ? (uint32_t)(left - 8) : n;
		} else if (n > left - 4) {
			return PEEK_NONE;
		}
		*len = n;
		a->at = *data + n;
		return PEEK_RECORD;
	}
}

/* ---- stacks ---- */

static void learn(struct page_shape *sh, struct ring *r, const struct etype *t)
{
	const struct field *f;
	struct err e;

	*sh = (struct page_shape){ .type = t };
	if (!t->resolved)
		etype_resolve(r->ids->catalog, t, &e);
	f = field_find(t, "caller");
	if (!f || (f->elem != 4 && f->elem != 8) || (f->loc != FIELD_AT && f->loc != FIELD_TAIL))
		return;
	sh->off = f->off;
	sh->elem = f->elem;
	f = field_find(t, "size");
	if (f && f->loc == FIELD_AT && f->size == 4)
		sh->n = f;
	f = field_find(t, "tgid");
	if (f && f->loc == FIELD_AT && f->size == 4)
		sh->tgid = f;
}

static void add(struct ahead *a, uint64_t address)
{
	a->chain = mem_grow(a->chain, &a->cap_chain, a->n + 1, sizeof(*a->chain));
	a->chain[a->n++] = address;
}

/*
 * The addresses of a record of LEN bytes at DATA.  The end mark of old kernels is not an address.
 */
static void take_addresses(struct ahead *a, const struct page_shape *sh, const uint8_t *data,
			   uint32_t len)
{
	uint64_t none = sh->elem == 4 ? UINT32_MAX : UINT64_MAX, max = UINT32_MAX, address;
	bool swap = a->ring->swap;

	if (sh->n && sh->n->off + 4 <= len)
		max = field_load(data + sh->n->off, 4, swap);
	for (uint32_t off = sh->off; max-- && off <= len && sh->elem <= len - off;
	     off += sh->elem) {
		address = field_load(data + off, sh->elem, swap);
		if (!address || address == none)
			return;
		if (!chain_is_mark(address))
			add(a, address);
	}
}

/* The addresses added after the first BEFORE of the chain belong before them. */
static void put_first(struct ahead *a, uint32_t before)
{
	uint32_t n = a->n - before;

	a->chain = mem_grow(a->chain, &a->cap_chain, a->n + n, sizeof(*a->chain));
	memmove(a->chain + n, a->chain, a->n * sizeof(*a->chain));
	memcpy(a->chain, a->chain + a->n, n * sizeof(*a->chain));
}

/*
 * Is the record a stack of the current event that it does not have yet?  If so, extend its chain.
 */
static bool take_stack(struct ahead *a, const uint8_t *data, uint32_t len)
{
	struct ring *r = a->ring;
	const struct idmap *ids = r->ids;
	const struct etype *t;
	struct page_shape *sh;
	uint32_t before;

	if (len < ids->type_off + 2 || (uint64_t)ids->pid_off + 4 > len ||
	    (int32_t)field_load(data + ids->pid_off, 4, r->swap) != r->base.ev.pid)
		return false;
	t = ids->types[field_load(data + ids->type_off, 2, r->swap)];
	if (!t || !t->stack || a->seen & 1u << t->stack)
		return false;
	sh = &a->shapes[t->stack - 1];
	if (sh->type != t)
		learn(sh, r, t);
	a->seen |= 1u << t->stack;
	before = a->n;
	add(a, (uint64_t)(t->stack == STACK_KERNEL ? CHAIN_KERNEL : CHAIN_USER));
	if (sh->elem)
		take_addresses(a, sh, data, len);
	if (sh->tgid && sh->tgid->off + 4 <= len)
		r->base.ev.process = (int32_t)field_load(data + sh->tgid->off, 4, r->swap);
	/* A stack of an event trigger comes last. */
	if (t->stack == STACK_KERNEL && before)
		put_first(a, before);
	return true;
}

/* ---- the stream ---- */

/* The records of the fetched page; false: it does not directly follow. */
static bool enter_next(struct ahead *a)
{
	const struct page_layout *l = &a->ring->layout;
	uint32_t word, size;

	if (a->next.len < l->data_off)
		return false;
	word = bytes_u32(a->next.p + 8 + (l->big_endian && l->long_size == 8 ? 4 : 0),
			 l->big_endian);
	size = word & COMMIT_SIZE;
	if (word & COMMIT_LOST || size > l->page_size - l->data_off)
		return false;
	if (size > a->next.len - l->data_off)
		size = a->next.len - l->data_off;
	a->at = a->next.p + l->data_off;
	a->end = a->at + size;
	a->in_next = true;
	return true;
}

/*
 * Fetch the next page.  PULL_OK: look there; PULL_EOF: no stack; PULL_WAIT, PULL_AGAIN: it may
 * still arrive.
 */
static enum pull fetch(struct ahead *a)
{
	struct ring *r = a->ring;
	struct stream *s = &r->base;
	uint64_t watermark;

	if (a->in_next)
		return PULL_EOF;
	keep_page(r, a);
	/* The rest of the page is padding, and invalid once the next page is requested. */
	a->at = a->end = NULL;
	if (!a->fetched) {
		a->rc = feed_page(a->feed, &a->next, &a->err);
		a->fetched = a->rc != PULL_WAIT && a->rc != PULL_AGAIN;
		mirror(a);
	}
	if (a->rc == PULL_OK)
		return enter_next(a) ? PULL_OK : PULL_EOF;
	if (a->fetched)
		return PULL_EOF;
	watermark = ring_watermark(r, a->feed->watermark);
	if (watermark > s->ev.ts)
		return PULL_EOF;
	/* The event itself has yet to be delivered. */
	s->watermark = watermark < s->ev.ts ? watermark : s->ev.ts - (s->ev.ts > 0);
	return a->rc;
}

static enum pull look(struct ahead *a)
{
	struct event *ev = &a->ring->base.ev;

	a->held = false;
	a->ring->base.held = 0;
	for (;;) {
		const uint8_t *data;
		uint32_t len;
		enum peek is = a->ring->layout.old ? peek_old(a, &data, &len) :
						     peek_new(a, &data, &len);
		enum pull rc;

		if (is == PEEK_RECORD && take_stack(a, data, len))
			continue;
		if (is != PEEK_END)
			break;
		rc = fetch(a);
		if (rc == PULL_EOF)
			break;
		if (rc != PULL_OK) {
			a->held = true;
			a->ring->base.held = ev->ts;
			return rc;
		}
	}
	ev->chain = a->n ? a->chain : NULL;
	ev->nchain = a->n;
	return PULL_OK;
}

static enum pull next(struct stream *s, struct err *e)
{
	struct ring *r = (struct ring *)s;
	struct ahead *a = r->ahead;
	enum pull rc;

	if (a->held)
		return look(a);
	s->ev.chain = NULL;
	s->ev.nchain = 0;
	s->ev.process = 0;
	rc = a->plain->next(s, e);
	if (rc != PULL_OK || s->ev.type->stack)
		return rc;
	a->at = r->p;
	a->end = r->place.end;
	a->in_next = false;
	a->seen = a->n = 0;
	return look(a);
}

void ahead_begin(struct stream *s)
{
	static const struct feed_ops feed_ops = { ahead_page, close_feed, NULL, ahead_seek };
	struct ring *r = (struct ring *)s;
	struct ahead *a;

	if (r->ahead)
		return;
	a = mem_zalloc(sizeof(*a));
	a->ring = r;
	a->feed = r->feed;
	a->base.ops = &feed_ops;
	a->base.total = a->feed->total;
	a->base.records = a->feed->records;
	mirror(a);
	a->plain = s->ops;
	a->ops = *s->ops;
	a->ops.next = next;
	r->ahead = a;
	r->feed = &a->base;
	s->ops = &a->ops;
}
