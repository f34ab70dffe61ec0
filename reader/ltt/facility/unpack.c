// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unpack: rewrites the payload of an LTT event, whose fields have no fixed places, as a record in
 * its layout: a fixed part in our byte order, and a tail.
 */
#include "reader/ltt/facility/plan.h"
#include "trace/field.h"

#include <inttypes.h>

struct opening {
	const uint8_t *p;
	uint64_t len, pos; /* pos may be past len, if the last padding is missing */
	bool swap;
	uint8_t realign;
	struct ltt_record *r;
	struct err *e;
};

static int open_fixed(struct opening *o, const struct unpack_step *st, const uint8_t *p,
		      uint32_t base);
static int open_any(struct opening *o, const struct unpack_step *st, uint32_t base);

static int need(struct opening *o, const struct unpack_step *st, uint64_t n)
{
	uint64_t left = o->pos < o->len ? o->len - o->pos : 0;

	if (n <= left && o->pos <= o->len)
		return 0;
	return err_set(o->e, ERR_FORMAT, o->pos < o->len ? o->pos : o->len,
		       "%s: %" PRIu64 " byte%s needed and %" PRIu64 " %s left", st->name, n,
		       n == 1 ? " is" : "s are", left, left == 1 ? "is" : "are");
}

/*
 * Add SIZE bytes, all 0, to the record; they begin at *AT.  Pointers into the record become
 * invalid.
 */
static int extend(struct opening *o, const struct unpack_step *st, uint64_t size, uint32_t *at)
{
	struct ltt_record *r = o->r;

	if (size > LTT_MAX_RECORD - r->size)
		return err_set(o->e, ERR_FORMAT, o->pos < o->len ? o->pos : o->len,
			       "%s: with it the record has more than %u bytes", st->name,
			       LTT_MAX_RECORD);
	if (r->cap <= r->size + size)
		r->data = mem_grow(r->data, &r->cap, r->size + size + 1, 1);
	*at = r->size;
	memset(r->data + r->size, 0, size);
	r->size += size;
	return 0;
}

static inline void put(uint8_t *to, const uint8_t *from, unsigned size, bool swap)
{
	field_store(to, size, false, field_load(from, size, swap));
}

/* Store ST's span, LEN bytes at AT of the record, in the value that begins at BASE. */
static void put_span(struct opening *o, const struct unpack_step *st, uint32_t base, uint32_t at,
		     uint32_t len)
{
	uint32_t span[2] = { at - base, len };

	memcpy(o->r->data + base + st->to, span, sizeof(span));
}

/* Find the place in the record of N items of ST: *AT. */
static int place_items(struct opening *o, const struct unpack_step *st, uint64_t n, uint32_t base,
		       uint32_t *at)
{
	uint32_t own = st->sub->own;

	*at = base + st->to;
	if (!st->span)
		return 0;
	if (own && n > LTT_MAX_RECORD / own)
		return err_set(o->e, ERR_FORMAT, o->pos < o->len ? o->pos : o->len,
			       "%s: %" PRIu64 " item%s more than a record of %u bytes can have",
			       st->name, n, n == 1 ? " is" : "s are", LTT_MAX_RECORD);
	TRY(extend(o, st, n * own, at));
	put_span(o, st, base, *at, n * own);
	return 0;
}

/* N items of the same length, all present, from P on, without gaps. */
static int open_fixed_items(struct opening *o, const struct unpack_step *st, uint64_t n,
			    const uint8_t *p, uint32_t base)
{
	const struct unpack_step *sub = st->sub;
	uint32_t at;

	TRY(place_items(o, st, n, base, &at));
	if (!sub->own)
		return 0;
	if (st->flat && (!o->swap || sub->size == 1)) {
		if (n)
			memcpy(o->r->data + at, p, n * sub->size);
		return 0;
	}
	for (uint64_t i = 0; i < n; i++)
		TRY(open_fixed(o, sub, p + i * sub->wire, at + i * sub->own));
	return 0;
}

/* The value at P, whose bytes are all present. */
static int open_fixed(struct opening *o, const struct unpack_step *st, const uint8_t *p,
		      uint32_t base)
{
	if (st->op == STEP_SCALAR) {
		put(o->r->data + base + st->to, p, st->size, o->swap);
		return 0;
	}
	if (st->op == STEP_ITEMS)
		return open_fixed_items(o, st, st->count, p, base);
	for (unsigned i = 0; i < st->nsub; i++)
		TRY(open_fixed(o, &st->sub[i], p + st->sub[i].at, base + st->to));
	return 0;
}

static int open_string(struct opening *o, const struct unpack_step *st, uint32_t base)
{
	const uint8_t *from, *end;
	uint32_t at, len;

	TRY(need(o, st, 1));
	from = o->p + o->pos;
	end = memchr(from, 0, o->len - o->pos);
	if (!end)
		return err_set(o->e, ERR_FORMAT, o->pos,
			       "%s: this string has no end within %" PRIu64 " bytes", st->name,
			       o->len - o->pos);
	if ((size_t)(end + 1 - from) > LTT_MAX_RECORD)
		return err_set(o->e, ERR_FORMAT, o->pos, "%s: a string of more than %u bytes",
			       st->name, LTT_MAX_RECORD);
	len = end + 1 - from;
	TRY(extend(o, st, len, &at));
	memcpy(o->r->data + at, from, len);
	put_span(o, st, base, at, len);
	o->pos = step_align(o->pos + len, o->realign);
	return 0;
}

/* An array with items of variable length, or a sequence. */
static int open_items(struct opening *o, const struct unpack_step *st, uint32_t base)
{
	const struct unpack_step *sub = st->sub;
	uint64_t n = st->count;
	uint32_t at;

	if (st->length_size) {
		TRY(need(o, st, st->length_size));
		n = field_load(o->p + o->pos, st->length_size, o->swap);
		o->pos += st->length_size;
	}
	o->pos = step_align(o->pos, sub->align);
	if (sub->fixed) {
		if (sub->wire && n > o->len / sub->wire)
			return need(o, st, n > UINT64_MAX / sub->wire ? UINT64_MAX : n * sub->wire);
		if (n && sub->wire)
			TRY(need(o, st, n * sub->wire));
		TRY(open_fixed_items(o, st, n, n && sub->wire ? o->p + o->pos : o->p, base));
		o->pos += n * sub->wire;
	} else {
		/* Items are never empty in the payload. */
		if (n)
			TRY(need(o, st, n));
		TRY(place_items(o, st, n, base, &at));
		for (uint64_t i = 0; i < n; i++)
			TRY(open_any(o, sub, at + i * sub->own));
	}
	if (st->length_size)
		o->pos = step_align(o->pos, o->realign);
	return 0;
}

/* The next value in the payload. */
static int open_any(struct opening *o, const struct unpack_step *st, uint32_t base)
{
	o->pos = step_align(o->pos, st->align);
	if (st->fixed) {
		if (st->wire)
			TRY(need(o, st, st->wire));
		TRY(open_fixed(o, st, st->wire ? o->p + o->pos : o->p, base));
		o->pos += st->wire;
		return 0;
	}
	if (st->op == STEP_STRING)
		return open_string(o, st, base);
	if (st->op == STEP_ITEMS)
		return open_items(o, st, base);
	for (unsigned i = 0; i < st->nsub; i++)
		TRY(open_any(o, &st->sub[i], base + st->to));
	return 0;
}

int ltt_layout_open(const struct ltt_layout *l, const uint8_t *p, size_t len, struct ltt_record *r,
		    size_t *used, struct err *e)
{
	struct opening o = { p, len, 0, l->swap, l->realign, r, e };
	uint32_t at;

	r->size = 0;
	TRY(extend(&o, &l->top, l->fixed, &at));
	TRY(open_any(&o, &l->top, at));
	*used = o.pos < len ? o.pos : len;
	return 0;
}
