/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_RING_PLACE_H
#define ZED_TRACE_RING_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct page_layout;

/*
 * Where a record is in its ring-buffer sub-buffer: for copying records unchanged.  Its header
 * begins at page + (event.off - page_off).
 */
struct ring_place {
	uint64_t stamp;	     /* the record's time as the ring buffer has it, without what the
				trace says about its clock */
	const uint8_t *page; /* the sub-buffer from its header on; NULL: no longer available */
	const uint8_t *end;  /* of its data */
	uint32_t len;	     /* bytes available: less than its size at a file's end */
	uint64_t page_off;   /* offset in the file (compressed: of its chunk) */
	uint64_t number;     /* of the sub-buffer in its stream */
	const struct page_layout *layout; /* ring/header_page.h */
	bool older_loss; /* losses reported by an earlier sub-buffer precede its first record */
};

#endif
