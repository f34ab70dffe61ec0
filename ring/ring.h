/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_RING_H
#define ZED_RING_RING_H

#include "trace/catalog.h"
#include "ring/clock.h"
#include "ring/feed.h"
#include "ring/header_page.h"

/*
 * The ring buffer's sub-buffers as a stream of events (format.md 4).  A record is delivered only
 * after its length has been checked against its page and its type's fixed size.
 */

struct ring_opts {
	struct feed *feed; /* ownership is taken */
	struct page_layout layout;
	const struct clock *clock; /* borrowed, like the rest */
	struct idmap *ids;
	const struct origin *from;
	unsigned seq; /* order of opening */
	bool all;     /* deliver all types, whatever the run wants (struct demand) */
};

#define RING_HEAD 16 /* bytes of the longest sub-buffer header: time, commit word */

/* Does PAGE, of this kernel and at least RING_HEAD bytes, report lost events? */
bool ring_tells_losses(uint8_t *page);

/* The bytes of data of such a page. */
uint32_t ring_data_len(const uint8_t *page);

/* Clear that report, or only the number. */
void ring_forget_losses(uint8_t *page, bool all);

/* A stream of the records of FEED.  Never NULL; closing it closes the feed. */
struct stream *ring_stream(const struct ring_opts *o);

#endif
