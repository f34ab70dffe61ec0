/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_RING_PLACE_H
#define ZED_TRACE_RING_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct page_layout;

/*
 * Where a record lies in a ring buffer's sub-buffer: for those who copy records as they are.  Its
 * header begins at page + (event.off - page_off).
 */
struct ring_place {
	uint64_t stamp;	     /* the record's time as the ring buffer has it, without what the
				trace says about its clock */
	const uint8_t *page; /* the sub-buffer from its header on; NULL: it is no longer there */
	const uint8_t *end;  /* of its data */
	uint32_t len;	     /* bytes of it that are there: less than its size at a file's end */
	uint64_t page_off;   /* offset in the file (compressed: of its chunk) */
	uint64_t number;     /* of the sub-buffer in its stream */
	const struct page_layout *layout; /* ring/header_page.h */
	bool older_loss; /* before its first record stand losses that an earlier one told of */
};

#endif
