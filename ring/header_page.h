/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_HEADER_PAGE_H
#define ZED_RING_HEADER_PAGE_H

#include "base/err.h"

/* The layout of sub-buffers, from events/header_page (format.md 4.1). */
struct page_layout {
	bool big_endian;
	bool old;	    /* 2.6.30's event headers (format.md 4.7) */
	unsigned long_size; /* bytes of the commit word */
	uint32_t data_off;  /* offset of the event data, bytes */
	uint32_t page_size; /* whole sub-buffer, bytes */
};

/*
 * Read header_page's TEXT into L (long_size, data_off, page_size, old).  An empty text means the
 * old layout with a long of LONG_SIZE; page_size is then unchanged.
 */
int header_page_parse(struct page_layout *l, const char *text, size_t len, unsigned long_size,
		      struct err *e);

#endif
