/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_FEED_H
#define ZED_RING_FEED_H

#include "base/input.h"
#include "trace/stream.h"
#include "base/pack/codec.h"

/*
 * Sub-buffers ("pages") of one CPU, from any kind of storage.  page() returns one, borrowed until
 * the next call; its length is at most the sub-buffer size (shorter: the file ended within it).
 * PULL_ERR: a piece is damaged, and E says where; the next call continues after it, or returns
 * PULL_EOF.
 */
struct page {
	const uint8_t *p;
	uint32_t len;
	uint64_t off; /* its offset in the file; compressed: that of its block */
};

struct feed;

struct feed_ops {
	enum pull (*page)(struct feed *f, struct page *out, struct err *e);
	void (*close)(struct feed *f);
	/*
	 * Where the page that was returned last is, if the feed can begin there: off and chunks of
	 * AT.  False, or NULL: it cannot.
	 */
	bool (*tell)(const struct feed *f, struct stream_place *at);
	/* Before the first page: begin at AT.  False: there is no such place; nothing was done. */
	bool (*seek)(struct feed *f, const struct stream_place *at);
};

struct feed {
	const struct feed_ops *ops;
	uint64_t done, total; /* bytes of the file, for progress */
	uint64_t watermark;   /* after PULL_WAIT, PULL_AGAIN: no earlier record can follow */
	uint64_t *records;    /* limit shared by several feeds; NULL: none */
	uint64_t settled;     /* live: stream.settled, of the pages before this call's */
};

static inline enum pull feed_page(struct feed *f, struct page *out, struct err *e)
{
	return f->ops->page(f, out, e);
}

/*
 * Shared by the feeds of one file: a decompressor, a buffer for packed bytes, and a total limit for
 * page buffers, as a hostile file may declare any number of CPUs.
 */
struct feed_pool {
	struct unpacker *unpacker;
	uint8_t *packed;
	size_t packed_cap;
	uint32_t window;      /* bytes that each bare extent reads at once */
	uint64_t left, limit; /* bytes that page buffers may still take, and in total */
	uint64_t unpack;      /* bytes that may still be unpacked */
	uint64_t records;     /* records that packed bytes may still yield */
};

/* For a file of SIZE bytes whose blocks are packed by CODEC, with NSTREAMS CPUs with data. */
void feed_pool_init(struct feed_pool *p, enum codec codec, uint64_t size, unsigned nstreams);
void feed_pool_fini(struct feed_pool *p);

/*
 * The feeds of files.  All borrow IN and POOL, own everything else, and are closed by ops->close.
 * OFF and SIZE are bytes of the file; PAGE_SIZE the sub-buffer size.  An extent that exceeds the
 * file is reported once as damage, after its pages.
 */

/* Consecutive bare pages. */
struct feed *feed_extent(struct feed_pool *pool, const struct input *in, uint64_t off,
			 uint64_t size, uint32_t page_size);

/*
 * v7's chunk list: u32 count, then count times {u32 csize, u32 usize, block}.  SIZE bounds it, with
 * four bytes of grace, as trace-cmd before 3.2 did not include the count.  Bytes of SIZE after the
 * counted chunks are damage, and read as further chunks.
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
 * is its unpacked size, with or without a section's header; 0: not stated.
 */
struct feed *feed_inflate(struct feed_pool *pool, const struct input *in, uint64_t off,
			  uint64_t size, uint64_t usize, uint32_t page_size);

#endif
