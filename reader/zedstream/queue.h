/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_QUEUE_H
#define ZED_READER_ZEDSTREAM_QUEUE_H

#include "ring/feed.h"
#include "reader/zedstream/frames.h"

/* The pages of one CPU that have come and wait to be asked for, in their order. */
struct page_queue {
	struct chunk *first, **last;
	size_t *total;	    /* bytes that wait in all queues of the stream; borrowed */
	uint32_t page_size; /* bytes of a whole page */
	bool big;	    /* byte order of the pages */
	uint64_t newest;    /* time of the page that came last */
};

void queue_init(struct page_queue *q, size_t *total, uint32_t page_size, bool big);
void queue_fini(struct page_queue *q);

/* Add the pages of FR, a FRAME_PAGES longer than its head of 4 bytes; its payload is taken over. */
void queue_add(struct page_queue *q, struct frame *fr);

/* Free the pages at the front that have all been handed out: those are no longer used. */
void queue_release(struct page_queue *q);

/* Hand out the next page, until the next queue_release().  There must be one. */
void queue_next(struct page_queue *q, struct page *out);

static inline bool queue_empty(const struct page_queue *q)
{
	return !q->first;
}

#endif
