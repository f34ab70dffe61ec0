// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blocks: walks a tracefile's blocks in order, and delivers their events as a stream.  ltt_stream.c
 * and ltt_stream_gen1.c handle the inside of a block.
 */
#include "reader/ltt/blocks.h"

#include "base/mem.h"

#include <stdlib.h>

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
