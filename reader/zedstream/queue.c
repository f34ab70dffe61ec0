// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queue: the pages of one CPU between their frame and the stream that reads them.  The payload of a
 * frame is kept unchanged and returned page by page.
 */
#include "reader/zedstream/zedstream_priv.h"

#include "base/mem.h"
#include "reader/zedstream/format.h"

#include <stdlib.h>

#define CHUNK_COST 64 /* bytes of overhead of a chunk */

/* The pages of one frame. */
struct chunk {
	struct chunk *next;
	uint8_t *p; /* the frame's payload */
	uint32_t len, at;
	uint64_t off; /* of p in the stream */
};

void queue_init(struct page_queue *q, size_t *total, uint32_t page_size, bool big)
{
	*q = (struct page_queue){ .total = total, .page_size = page_size, .big = big };
	q->last = &q->first;
}

static void drop_first(struct page_queue *q)
{
	struct chunk *k = q->first;

	q->first = k->next;
	if (!q->first)
		q->last = &q->first;
	*q->total -= k->len + CHUNK_COST;
	free(k->p);
	free(k);
}

void queue_fini(struct page_queue *q)
{
	while (q->first)
		drop_first(q);
}

void queue_add(struct page_queue *q, struct frame *fr)
{
	struct chunk *k = mem_alloc(sizeof(*k));
	uint32_t last = 4 + (fr->len - 5) / q->page_size * q->page_size;

	*k = (struct chunk){
		.p = fr->p, .len = fr->len, .at = 4, .off = fr->off + FRAMES_FRAME_LEN
	};
	fr->p = NULL;
	*q->last = k;
	q->last = &k->next;
	*q->total += k->len + CHUNK_COST;
	if (k->len - last >= 8)
		q->newest = bytes_u64(k->p + last, q->big);
}

uint64_t queue_offset(const struct page_queue *q)
{
	return q->first ? q->first->off : UINT64_MAX;
}

void queue_release(struct page_queue *q)
{
	if (q->first && q->first->at >= q->first->len)
		drop_first(q);
}

void queue_next(struct page_queue *q, struct page *out)
{
	struct chunk *k = q->first;

	out->p = k->p + k->at;
	out->len = k->len - k->at < q->page_size ? k->len - k->at : q->page_size;
	out->off = k->off + k->at;
	k->at += out->len;
}
