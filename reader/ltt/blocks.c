// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blocks: walks a tracefile's blocks in order, with the memory of the longest event, and delivers
 * their events as a stream.  ltt_stream.c and ltt_stream_gen1.c handle the inside of a block.
 */
#include "reader/ltt/blocks.h"

#include "base/mem.h"

#include <stdlib.h>

/* ---- the file's bytes ---- */

static int fill(struct ltt_window *w, uint64_t off, size_t len, uint64_t end, struct err *e)
{
	size_t cap = w->in->size < LTT_WINDOW ? w->in->size : LTT_WINDOW;

	if (cap < len)
		cap = len;
	if (cap != w->cap) {
		free(w->p);
		w->p = mem_alloc(cap);
		w->cap = cap;
	}
	w->at = off;
	w->len = 0;
	len = end - off < cap ? end - off : cap;
	TRY(input_read(w->in, w->p, len, off, e));
	w->len = len;
	return 0;
}

const uint8_t *ltt_window_get(struct ltt_window *w, uint64_t off, size_t len, uint64_t end,
			      struct err *e)
{
	if (!len)
		return (const uint8_t *)"";
	if (off < w->at || off - w->at > w->len || w->len - (off - w->at) < len)
		if (fill(w, off, len, end, e) < 0)
			return NULL;
	return w->p + (off - w->at);
}

int ltt_window_open(struct ltt_window *w, uint64_t off, uint64_t end, const struct ltt_layout *l,
		    struct ltt_record *r, size_t *used, struct err *e)
{
	uint64_t all = end - off, len = all ? 1 : 0;

	for (;;) {
		const uint8_t *p = ltt_window_get(w, off, len, end, e);

		if (!p)
			return -1;
		if (len) {
			len = w->len - (off - w->at);
			if (len > all)
				len = all;
		}
		/* The window may have cut off padding after the last field. */
		if (ltt_layout_open(l, p, len, r, used, e) == 0 && (*used < len || len == all))
			return 0;
		if (len == all) {
			e->off += off;
			return -1;
		}
		len = len < LTT_WINDOW / 2 ? LTT_WINDOW : 2 * len;
		if (len > all)
			len = all;
	}
}

void ltt_window_fini(struct ltt_window *w)
{
	free(w->p);
	w->p = NULL;
	w->cap = w->len = 0;
}

/* ---- its blocks ---- */

void ltt_blocks_leave(struct ltt_reading *r)
{
	uint64_t size = r->f->in.size;

	r->open = false;
	r->block += r->block_size;
	r->base.bytes_done = r->block < size ? r->block : size;
}

/* No event of a block was wanted: return to the caller, which may have to end the run. */
static enum pull yield(struct ltt_reading *r)
{
	uint64_t watermark = r->ops->time(r);

	r->base.watermark = watermark ? watermark - 1 : 0;
	return PULL_AGAIN;
}

static enum pull next(struct stream *s, struct err *e)
{
	struct ltt_reading *r = (struct ltt_reading *)s;

	for (;;) {
		enum pull rc;

		if (!r->open) {
			rc = r->ops->open(r, e);
			if (rc != PULL_OK)
				return rc;
		}
		switch (r->ops->event(r, e)) {
		case STEP_EVENT:
			return PULL_OK;
		case STEP_NEXT:
			break;
		case STEP_END:
			ltt_blocks_leave(r);
			if (r->unwanted_so_far)
				return yield(r);
			break;
		case STEP_BREAK:
			ltt_blocks_leave(r);
			/* fall through */
		case STEP_BAD:
			return PULL_ERR;
		}
	}
}

static void close_reading(struct stream *s)
{
	struct ltt_reading *r = (struct ltt_reading *)s;

	ltt_window_fini(&r->w);
	free(r->rec.data);
	free(r);
}

static const struct stream_ops stream_ops = { .next = next, .close = close_reading };

struct ltt_reading *ltt_blocks_new(const struct ltt_blocks_ops *ops, struct ltt *t,
				   struct ltt_file *f, uint64_t block_size)
{
	struct ltt_reading *r = mem_zalloc(sizeof(*r));

	r->base.ops = &stream_ops;
	r->base.from = &f->from;
	r->base.bytes_total = f->in.size;
	r->ops = ops;
	r->t = t;
	r->f = f;
	r->w.in = &f->in;
	r->block_size = block_size;
	return r;
}
