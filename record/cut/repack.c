// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * repack: puts chosen records into sub-buffers.  The sub-buffer that records come from is copied at
 * its first chosen record; at its end it is known whether all of its records were chosen.
 */
#include "record/cut/repack.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "ring/header_page.h"

#include <stdlib.h>
#include <string.h>

/* The commit word, and the header of a record (format.md 4.1, 4.2, 4.7). */
#define COMMIT_STORED (1u << 30)
#define COMMIT_LOST (1u << 31)
#define TYPE_DATA_MAX 28
#define TYPE_PADDING 29
#define TYPE_EXTEND 30
#define TYPE_STAMP 31
#define OLD_PADDING 0
#define OLD_EXTEND 1
#define OLD_STAMP 2
#define OLD_DATA 3
#define OLD_DATA_MAX 7
#define DELTA_BITS 27
#define EXTEND_BITS 59

/* A chosen record of the page that is held. */
struct held_record {
	uint32_t off, size;
	uint64_t stamp;
};

struct pack {
	struct page_layout layout;
	int (*page)(void *arg, const uint8_t *p, struct err *e);
	void *arg;
	/* The sub-buffer that records come from. */
	uint8_t *from;
	bool holding, whole; /* all of its records were chosen, so far */
	uint64_t number;
	uint32_t upto, end;  /* how far it has been read, and the end of its data */
	uint32_t first_lost; /* before the first chosen one */
	struct held_record *held;
	size_t nheld, cap_held;
	/* The new one. */
	uint8_t *to;
	bool open;
	uint32_t at, cap; /* bytes of the page: used, and usable */
	uint32_t flags;
	uint64_t lost; /* with COMMIT_STORED */
	uint64_t stamp;
};

struct pack *pack_new(const struct page_layout *layout,
		      int (*page)(void *arg, const uint8_t *p, struct err *e), void *arg)
{
	struct pack *k = mem_zalloc(sizeof(*k));

	k->layout = *layout;
	k->page = page;
	k->arg = arg;
	k->from = mem_alloc(layout->page_size);
	k->to = mem_alloc(layout->page_size);
	return k;
}

void pack_free(struct pack *k)
{
	if (!k)
		return;
	free(k->held);
	free(k->from);
	free(k->to);
	free(k);
}

/* ---- new sub-buffers ---- */

static void put(const struct pack *k, uint32_t at, uint64_t v, unsigned size)
{
	bytes_put(k->to + at, v, size, k->layout.big_endian);
}

static int close_page(struct pack *k, struct err *e)
{
	const struct page_layout *l = &k->layout;

	if (!k->open)
		return 0;
	k->open = false;
	memset(k->to + k->at, 0, l->page_size - k->at);
	put(k, 8, k->flags | (k->at - l->data_off), l->long_size);
	if (k->flags & COMMIT_STORED)
		put(k, k->at, k->lost, l->long_size);
	return k->page(k->arg, k->to, e);
}

static void open_page(struct pack *k, uint64_t stamp, uint32_t lost, uint32_t need)
{
	const struct page_layout *l = &k->layout;

	memset(k->to, 0, l->data_off);
	put(k, 0, stamp, 8);
	k->open = true;
	k->stamp = stamp;
	k->at = l->data_off;
	k->cap = l->page_size;
	k->flags = lost ? COMMIT_LOST : 0;
	k->lost = lost;
	/* As the kernel does: the count is written if there is room for it. */
	if (lost && lost != LOST_UNKNOWN && l->data_off + need + l->long_size <= k->cap) {
		k->flags |= COMMIT_STORED;
		k->cap -= l->long_size;
	}
}

/*
 * The first word of a record's header.  WORDS: the length of its data, 0 if another word has it, or
 * another type.
 */
static void put_head(struct pack *k, unsigned words, uint32_t delta)
{
	const struct page_layout *l = &k->layout;
	uint32_t w;

	if (l->old)
		w = l->big_endian ? OLD_DATA << 3 | words : OLD_DATA | words << 2;
	else
		w = words;
	put(k, k->at, l->big_endian ? w << DELTA_BITS | delta : w | delta << 5, 4);
	k->at += 4;
}

static void put_extend(struct pack *k, uint64_t delta)
{
	const struct page_layout *l = &k->layout;
	uint32_t low = delta & ((1u << DELTA_BITS) - 1), w = TYPE_EXTEND;

	if (l->old)
		w = l->big_endian ? OLD_EXTEND << 3 : OLD_EXTEND;
	put(k, k->at, l->big_endian ? w << DELTA_BITS | low : w | low << 5, 4);
	put(k, k->at + 4, delta >> DELTA_BITS, 4);
	k->at += 8;
}

static int put_record(struct pack *k, const uint8_t *data, uint32_t len, uint64_t stamp,
		      uint32_t lost, struct err *e)
{
	uint32_t size = (len + 3) & ~3u, max = k->layout.old ? OLD_DATA_MAX : TYPE_DATA_MAX;
	bool words = size && size / 4 <= max;
	uint32_t need = size + (words ? 4 : 8);
	uint64_t delta = stamp - k->stamp;
	bool extend = delta >> DELTA_BITS;

	if (need > k->layout.page_size - k->layout.data_off)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "a record of %u byte%s does not fit into a sub-buffer", len,
			       plural(len));
	/* A time that goes back needs a new page as well: its difference is too large. */
	if (!k->open || lost || delta >> EXTEND_BITS || need + (extend ? 8 : 0) > k->cap - k->at) {
		TRY(close_page(k, e));
		open_page(k, stamp, lost, need);
		delta = 0;
		extend = false;
	}
	if (extend) {
		put_extend(k, delta);
		delta = 0;
	}
	put_head(k, words ? size / 4 : 0, (uint32_t)delta);
	if (!words) {
		put(k, k->at, size + 4, 4);
		k->at += 4;
	}
	memcpy(k->to + k->at, data, len);
	memset(k->to + k->at + len, 0, size - len);
	k->at += size;
	k->stamp = stamp;
	return 0;
}

/* ---- the sub-buffer that records come from ---- */

/* Is there only time and padding, no record, between FROM and TO of the held page? */
static bool is_quiet(const struct pack *k, uint32_t from, uint32_t to)
{
	const struct page_layout *l = &k->layout;

	while (from + 4 <= to) {
		uint32_t w = bytes_u32(k->from + from, l->big_endian), type, delta, len;

		delta = l->big_endian ? w & ((1u << DELTA_BITS) - 1) : w >> 5;
		if (l->old) {
			type = l->big_endian ? w >> 30 : w & 3;
			if (type == OLD_PADDING)
				return true;
			if (type == OLD_DATA)
				return false;
			from += 8;
			continue;
		}
		type = l->big_endian ? w >> DELTA_BITS : w & 31;
		if (type < TYPE_PADDING)
			return false;
		if (type == TYPE_PADDING && !delta)
			return true;
		if (to - from < 8)
			return false;
		len = type == TYPE_PADDING ? bytes_u32(k->from + from + 4, l->big_endian) : 4;
		if (len < 4 || len > to - from - 4)
			return false;
		from += 4 + ((len + 3) & ~3u);
	}
	return from >= to;
}

/* The run leaves the held page. */
static int settle(struct pack *k, struct err *e)
{
	size_t n = k->nheld;

	k->nheld = 0;
	if (!k->holding)
		return 0;
	k->holding = false;
	if (k->whole && is_quiet(k, k->upto, k->end)) {
		TRY(close_page(k, e));
		return k->page(k->arg, k->from, e);
	}
	for (size_t i = 0; i < n; i++) {
		const struct held_record *h = &k->held[i];

		TRY(put_record(k, k->from + h->off, h->size, h->stamp, i ? 0 : k->first_lost, e));
	}
	return 0;
}

static void hold(struct pack *k, const struct ring_place *p)
{
	const struct page_layout *l = &k->layout;

	k->end = (uint32_t)(p->end - p->page);
	k->holding = true;
	k->whole = p->len == l->page_size;
	k->number = p->number;
	k->upto = l->data_off;
	memcpy(k->from, p->page, p->len);
}

int pack_record(struct pack *k, const struct event *ev, uint32_t lost, struct err *e)
{
	const struct ring_place *p = ev->place;
	uint32_t off, head;

	if (!p->page) {
		TRY(settle(k, e));
		return put_record(k, ev->data, ev->size, p->stamp, lost, e);
	}
	if (!k->holding || p->number != k->number || (lost && k->nheld)) {
		bool again = k->holding && p->number == k->number;

		TRY(settle(k, e));
		hold(k, p);
		k->whole &= !again;
	}
	off = (uint32_t)(ev->data - p->page);
	head = (uint32_t)(ev->off - p->page_off);
	k->whole = k->whole && is_quiet(k, k->upto, head);
	if (!k->nheld) {
		k->first_lost = lost;
		/* The page counts only its own losses. */
		k->whole = k->whole && lost == ev->lost && !(lost && p->older_loss);
	}
	k->upto = off + ev->size;
	k->held = mem_grow(k->held, &k->cap_held, k->nheld + 1, sizeof(*k->held));
	k->held[k->nheld++] =
		(struct held_record){ .off = off, .size = ev->size, .stamp = p->stamp };
	return 0;
}

int pack_end(struct pack *k, struct err *e)
{
	TRY(settle(k, e));
	return close_page(k, e);
}
