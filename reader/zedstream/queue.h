/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_QUEUE_H
#define ZED_READER_ZEDSTREAM_QUEUE_H

#include "ring/feed.h"
#include "reader/zedstream/frames.h"

/* The queued pages of one CPU, in order. */
struct page_queue {
	struct chunk *first, **last;
	size_t *total;	    /* bytes in all queues of the stream; borrowed */
	uint32_t page_size; /* bytes of a whole page */
	bool big;	    /* byte order of the pages */
	uint64_t newest;    /* time of the last page received */
};

void queue_init(struct page_queue *q, size_t *total, uint32_t page_size, bool big);
void queue_fini(struct page_queue *q);

/*
 * Add the pages of FR, a FRAME_PAGES longer than its header of 4 bytes; takes ownership of its
 * payload.
 */
void queue_add(struct page_queue *q, struct frame *fr);

/* Free fully consumed frames at the front: their pages are no longer used. */
void queue_release(struct page_queue *q);

/* Return the next page, valid until the next queue_release().  There must be one. */
void queue_next(struct page_queue *q, struct page *out);

static inline bool queue_empty(const struct page_queue *q)
{
	return !q->first;
}

#endif
