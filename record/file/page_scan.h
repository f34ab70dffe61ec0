/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_PAGE_SCAN_H
#define ZED_RECORD_FILE_PAGE_SCAN_H

#include "record/file/assemble.h"

/*
 * Which pages of a dead recorder have reached the disk.  Holes, pages of zeros and incomplete pages
 * are left out.
 */
enum page_ring { /* are the pages of a CPU a ring, which wraps? */
		 RING_NO,
		 RING_YES,
		 RING_UNKNOWN, /* decided by their times */
};

struct page_scan {
	struct assembly *a; /* gets the extents; its page_size is set.  The caller frees a->v */
	bool big_endian;
	enum page_ring ring;
	uint8_t *buf; /* freed by pagescan_fini() */
	size_t cap;   /* of a->v */
	/* Of the current CPU: */
	uint64_t last;	/* time stamp of the page before */
	uint64_t fall;	/* where the time first went back, ... */
	unsigned falls; /* ... and how often it did */
};

/* The pages of CPU, which begin at BASE of FD and reach to END at most, in the order of time. */
int pagescan_cpu(struct page_scan *s, int fd, int cpu, uint64_t base, uint64_t end, struct err *e);

/* All regions of data.NN (spool_dir.h), which is FD: SHIFT is NN, and pages begin at FIRST. */
int pagescan_places(struct page_scan *s, int fd, int shift, uint64_t first, struct err *e);
void pagescan_fini(struct page_scan *s);

#endif
