/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_FEED_H
#define ZED_RING_FEED_H

#include "base/input.h"
#include "trace/stream.h"
#include "base/pack/codec.h"

/*
 * Sub-buffers ("pages") of one CPU, from wherever they are.  page() hands out one, borrowed until
 * the next call; its length is at most the sub-buffer size (shorter: the file ended within it).
 * PULL_ERR: a piece is damaged, and E says where; the next call continues after it, or says
 * PULL_EOF.
 */
struct page {
	const uint8_t *p;
	uint32_t len;
	uint64_t off; /* where it lies in the file; compressed: where its block lies */
};

struct feed;

struct feed_ops {
	enum pull (*page)(struct feed *f, struct page *out, struct err *e);
	void (*close)(struct feed *f);
};

struct feed {
	const struct feed_ops *ops;
	uint64_t done, total; /* bytes of the file, for progress */
	uint64_t watermark;   /* after PULL_WAIT, PULL_AGAIN: no earlier record can come */
	uint64_t *records;    /* so many may still come, of all that share this; NULL: any */
};

static inline enum pull feed_page(struct feed *f, struct page *out, struct err *e)
{
	return f->ops->page(f, out, e);
}

/*
 * What the feeds of one file share: a decompressor, a buffer for packed bytes, and a limit for all
 * their page buffers together, as a hostile file may claim any number of CPUs.
 */
struct feed_pool {
	struct unpacker *unpacker;
	uint8_t *packed;
	size_t packed_cap;
	uint32_t window;      /* bytes that bare extents read at once, each */
	uint64_t left, limit; /* bytes that page buffers may still take, and in all */
	uint64_t unpack;      /* bytes that packed ones may still become */
	uint64_t records;     /* that may still come of packed bytes */
};

/* For a file of SIZE bytes whose blocks are packed by CODEC, with NSTREAMS CPUs with data. */
void feed_pool_init(struct feed_pool *p, enum codec codec, uint64_t size, unsigned nstreams);
void feed_pool_fini(struct feed_pool *p);

/*
 * The feeds of files.  All borrow IN and POOL, own the rest, and are closed through ops->close. OFF
 * and SIZE are bytes of the file; PAGE_SIZE the sub-buffer size.  What lies past the end of the
 * file is reported once as damage, after the pages before it.
 */

/* Bare pages one after the other. */
struct feed *feed_extent(struct feed_pool *pool, const struct input *in, uint64_t off,
			 uint64_t size, uint32_t page_size);

/*
 * v7's chunk list: u32 count, then count times {u32 csize, u32 usize, block}.  SIZE bounds it, with
 * four bytes of grace, as trace-cmd before 3.2 did not count the count.  What SIZE has after the
 * counted chunks is damage, and read as further ones.
 */
struct feed *feed_chunks(struct feed_pool *pool, const struct input *in, uint64_t off,
			 uint64_t size, uint32_t page_size, bool big_endian);

/* The last N chunks of such a list, which begin at OFF, up to END. */
struct feed *feed_last_chunks(struct feed_pool *pool, const struct input *in, uint64_t off,
			      uint64_t end, uint64_t n, uint32_t page_size, bool big_endian);

/* The RFC's BUFFER_COMPRESSED: {u32 csize, block of one page} to the end of SIZE. */
struct feed *feed_paged(struct feed_pool *pool, const struct input *in, uint64_t off, uint64_t size,
			uint32_t page_size, bool big_endian);

/*
 * The RFC's compressed BUFFER section: all pages in one zlib stream; inflated as it is read.  USIZE
 * is what it should unpack to, a section's header counted or not; 0: not stated.
 */
struct feed *feed_inflate(struct feed_pool *pool, const struct input *in, uint64_t off,
			  uint64_t size, uint64_t usize, uint32_t page_size);

#endif
