/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_SPOOL_PAGES_H
#define ZED_RECORD_FILE_SPOOL_PAGES_H

#include "record/file/assemble.h"

/*
 * Where the pages of a recording in progress go: each CPU has a place of its own, in one sparse
 * file (layout ONE of spool_dir.h) or in a file for each (layout SPLIT).
 */
struct spool_pages {
	int dir;	/* FILE.zed, borrowed */
	int data;	/* data.NN or meta, which begins with the metadata; -1: not open */
	int shift;	/* NN; 0: layout SPLIT */
	unsigned ncpus; /* CPUs that have a region in data.NN; others get files */
	uint64_t first; /* layout ONE: where CPU 0's region begins (assemble_first) */
	uint32_t page_size;
	uint64_t ring;	/* bytes after which a CPU's pages begin anew; 0: never */
	uint64_t bytes; /* bytes of pages stored, also by a call that failed */
	/* The disk is full.  True: try again, there may be room now.  NULL: there is none. */
	bool (*room)(void *arg);
	void *arg;    /* of room() */
	bool wrapped; /* a ring has overwritten pages */
	struct page_place **by_cpu;
	size_t cap; /* of by_cpu */
};

/*
 * Make the file with the metadata, empty, in DIR.  ONE: layout ONE is preferred; it is used if the
 * file system can take holes out of a file, and nothing limits the size of files.  P->first and
 * P->page_size have to be set afterwards, and P->ring and P->room may be, before the first page.
 */
int spoolpages_open(struct spool_pages *p, int dir, unsigned ncpus, bool one, struct err *e);
void spoolpages_close(struct spool_pages *p);

/* LEN bytes, whole pages, from PIPE, without a copy where the file system can do that. */
int spoolpages_splice(struct spool_pages *p, int cpu, int pipe, size_t len, struct err *e);

/* One page of LEN bytes. */
int spoolpages_write(struct spool_pages *p, int cpu, const uint8_t *page, uint32_t len,
		     struct err *e);

/* All pages into A->v and A->n, in the order of time; the caller frees A->v. */
void spoolpages_extents(const struct spool_pages *p, struct assembly *a);

/* Are the files still there?  False: another process has removed one. */
bool spoolpages_linked(const struct spool_pages *p);

/*
 * How many events are in the pages of CPU that have reached the disk?  Reads them; -1: cannot.  0
 * if their file was removed.
 * PAGE_HEAD: where the data of a sub-buffer begin, bytes.
 */
int64_t spoolpages_events(const struct spool_pages *p, int cpu, uint32_t page_size,
			  uint32_t page_head);

/*
 * How many of A's events the task PID caused: exact if there are few pages, else estimated from
 * 16384 of them, evenly spaced.  0 for PID 0, an unknown one.
 */
uint64_t spoolpages_own(const struct assembly *a, uint32_t page_head, int32_t pid);

#endif
