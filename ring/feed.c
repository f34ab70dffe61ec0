// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * feed: sub-buffers from an extent of a file: bare, in compressed chunks, page by page, or in one
 * zlib stream.  Each feed has one bounded buffer.
 */
#include "ring/feed.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW (128u << 10)    /* bytes read at once; measured best with 4 to 16 CPUs */
#define ALL_WINDOWS (8u << 20) /* of all CPUs together, so that 512 of them stay small */

/*
 * What a file of N bytes may cost, FREE + RATIO * N of each.  Real files: 512 CPUs with chunks of
 * ten pages of 64 KiB would need 320 MiB for pages, and get 32 MiB; sub-buffers of 64 KiB with one
 * event each unpack to 650 times their size, but are few; a record takes at least 3.4 bytes of a
 * file (15 MB of raw system calls, zstd).
 */
#define PAGES_FREE (64u << 20) /* bytes of page buffers at once */
#define PAGES_RATIO 32
#define UNPACK_FREE (64u << 20) /* bytes unpacked in total */
#define UNPACK_RATIO 256
#define RECORDS_FREE (64u << 10) /* records from packed pages */
#define RECORDS_RATIO 1
#define INFLATE_STATE (48u << 10) /* bytes that zlib takes for one stream */
#define RFC_GRACE 20		  /* a section's header, which sizes may include */
#define CHUNK_HEAD 8		  /* bytes: {u32 csize, u32 usize} */
#define PAGE_HEAD 4		  /* {u32 csize} */
#define MAX_CHUNK (64u << 20)	  /* trace-cmd makes chunks of 10 pages, each 1 MiB or so at most */

/*
 * A CPU's pages in a file, in any of their forms (plain, chunk lists, one packed stream): the forms
 * share the extent and the buffer, so there is one struct.
 */
struct file_feed {
	struct feed base; /* must be first */
	const struct input *in;
	struct feed_pool *pool;
	uint64_t off, end; /* the unread part of the file's extent */
	uint64_t cut;	   /* bytes the extent claims past the file's end */
	uint8_t *buf;	   /* pages */
	uint64_t buf_off;  /* file offset of buf's bytes, or of their block */
	uint32_t page_size;
	uint32_t cap, have, used; /* of buf */
	bool blocks;		  /* buf was unpacked: its pages share one offset */
	bool ended;
	bool cut_said;
	uint32_t head; /* bytes before the packed bytes of a block */
	/* Chunk lists, and compressed pages */
	bool big_endian;
	bool counted;	 /* the list's count has been read */
	bool uncounted;	 /* chunks beyond the count follow, up to the end */
	uint64_t chunks; /* left, once counted */
	uint64_t told;	 /* end of the extent as the file declares it, without grace */
	/* One long stream */
	struct unpacker *stream;
	uint8_t *src_buf;   /* packed bytes, src_cap at most ... */
	const uint8_t *src; /* ... of which these are not yet inflated */
	size_t src_len;
	uint32_t src_cap;
	bool whole;		 /* its own end was reached */
	uint64_t expected, made; /* bytes it should unpack to, and did */
};

static uint64_t allowed(uint64_t free_ones, unsigned ratio, uint64_t size)
{
	return size > UINT64_MAX / 2 / ratio ? UINT64_MAX : free_ones + ratio * size;
}

void feed_pool_init(struct feed_pool *p, enum codec codec, uint64_t size, unsigned nstreams)
{
	memset(p, 0, sizeof(*p));
	p->unpacker = unpacker_new(codec);
	p->left = p->limit = allowed(PAGES_FREE, PAGES_RATIO, size);
	p->unpack = allowed(UNPACK_FREE, UNPACK_RATIO, size);
	p->records = allowed(RECORDS_FREE, RECORDS_RATIO, size);
	p->window = nstreams > ALL_WINDOWS / WINDOW ? ALL_WINDOWS / nstreams : WINDOW;
}

void feed_pool_fini(struct feed_pool *p)
{
	unpacker_free(p->unpacker);
	free(p->packed);
	memset(p, 0, sizeof(*p));
}

static int no_room(const struct file_feed *ff, struct err *e)
{
	return err_set(e, ERR_FORMAT, ff->off,
		       "the pages of all CPUs would take over %" PRIu64 " MiB at once: rest of "
		       "this CPU skipped",
		       ff->pool->limit >> 20);
}

/* Make room for NEED bytes of pages. */
static int reserve(struct file_feed *ff, uint32_t need, struct err *e)
{
	if (need <= ff->cap)
		return 0;
	if (need - ff->cap > ff->pool->left)
		return no_room(ff, e);
	ff->pool->left -= need - ff->cap;
	ff->buf = mem_realloc(ff->buf, need);
	ff->cap = need;
	return 0;
}

static void close_file(struct feed *f)
{
	struct file_feed *ff = (struct file_feed *)f;

	unpacker_free(ff->stream);
	ff->pool->left += ff->cap + (ff->src_buf ? ff->src_cap + INFLATE_STATE : 0);
	free(ff->src_buf);
	free(ff->buf);
	free(ff);
}

/* Return the next page of the buffer; false: none left. */
static bool buffered_page(struct file_feed *ff, struct page *out)
{
	uint32_t left = ff->have - ff->used;

	if (!left)
		return false;
	out->p = ff->buf + ff->used;
	out->len = left < ff->page_size ? left : ff->page_size;
	out->off = ff->buf_off + (ff->blocks ? 0 : ff->used);
	ff->used += out->len;
	return true;
}

/* Everything has been returned: the end, or first a report of missing data. */
static enum pull at_end(struct file_feed *ff, struct err *e)
{
	ff->ended = true;
	ff->base.done = ff->base.total;
	if (!ff->cut || ff->cut_said)
		return PULL_EOF;
	ff->cut_said = true;
	return err_set(e, ERR_FORMAT, ff->in->size,
		       "the file ends here, %" PRIu64 " byte%s before the end of this data",
		       ff->cut, plural(ff->cut));
}

/* Room for whole pages, about a window; not more than there is to read. */
static int page_window(struct file_feed *ff, struct err *e)
{
	uint64_t want = ff->pool->window / ff->page_size * (uint64_t)ff->page_size;

	if (ff->cap)
		return 0;
	if (!want)
		want = ff->page_size;
	if (!ff->stream && want > ff->end - ff->off)
		want = ff->end - ff->off;
	if (reserve(ff, want, e) == 0)
		return 0;
	ff->ended = true;
	return -1;
}

static enum pull extent_page(struct feed *f, struct page *out, struct err *e)
{
	struct file_feed *ff = (struct file_feed *)f;
	uint64_t want;
	ssize_t n;

	if (buffered_page(ff, out))
		return PULL_OK;
	if (ff->ended || ff->off >= ff->end)
		return at_end(ff, e);
	if (page_window(ff, e) < 0)
		return PULL_ERR;
	want = ff->end - ff->off < ff->cap ? ff->end - ff->off : ff->cap;
	n = input_read_some(ff->in, ff->buf, want, ff->off, e);
	if (n < 0) {
		/* Only the unreadable stretch is lost. */
		ff->off += want;
		ff->base.done += want;
		return PULL_ERR;
	}
	if ((uint64_t)n < want) {
		ff->cut += ff->end - ff->off - n;
		ff->ended = true;
		if (!n)
			return at_end(ff, e);
	}
	ff->buf_off = ff->off;
	ff->have = n;
	ff->used = 0;
	ff->off += n;
	ff->base.done += n;
	buffered_page(ff, out);
	return PULL_OK;
}

/* Read CSIZE packed bytes at ff->off, all of them in the file, into the pool's buffer. */
static int read_packed(struct file_feed *ff, uint64_t csize, struct err *e)
{
	struct feed_pool *p = ff->pool;

	if (csize > p->packed_cap) {
		p->packed = mem_realloc(p->packed, csize);
		p->packed_cap = csize;
	}
	return input_read(ff->in, p->packed, csize, ff->off, e);
}

/* N bytes are about to be unpacked; -1 with E: over the limit. */
static int may_unpack(struct file_feed *ff, uint64_t n, struct err *e)
{
	if (n <= ff->pool->unpack) {
		ff->pool->unpack -= n;
		return 0;
	}
	ff->ended = true;
	return err_set(e, ERR_FORMAT, ff->off,
		       "the data unpack to over %u times the file: rest of this CPU skipped",
		       UNPACK_RATIO);
}

/*
 * Unpack the block of CSIZE bytes at ff->off, which should give USIZE (EXACT) or at most USIZE
 * bytes.  Advances past the block in any case.
 */
static enum pull unpack(struct file_feed *ff, uint32_t csize, uint32_t usize, bool exact,
			struct page *out, struct err *e)
{
	uint64_t at = ff->off;
	int64_t n = -1;

	if (may_unpack(ff, usize, e) == 0 && reserve(ff, usize, e) == 0 &&
	    read_packed(ff, csize, e) == 0)
		n = unpacker_block(ff->pool->unpacker, ff->pool->packed, csize, ff->buf, usize, at,
				   e);
	ff->off += csize;
	ff->base.done += csize;
	if (n < 0)
		return PULL_ERR;
	ff->buf_off = at;
	ff->have = n;
	ff->used = 0;
	if (exact && n != usize) {
		/* What was unpacked is good; the rest is missing. */
		ff->cut_said = false;
		return err_set(e, ERR_FORMAT, at,
			       "a block gives %" PRId64 " byte%s and should give %u", n, plural(n),
			       usize);
	}
	if (!buffered_page(ff, out))
		return err_set(e, ERR_FORMAT, at, "an empty compressed block");
	return PULL_OK;
}

static enum pull give_up(struct file_feed *ff, struct err *e, uint32_t csize, uint32_t usize)
{
	ff->ended = true;
	return err_set(e, ERR_FORMAT, ff->off - 8,
		       "compressed chunk of %u byte%s to make %u, with "
		       "%" PRIu64 " left: rest of this CPU skipped",
		       csize, plural(csize), usize, ff->end - ff->off);
}

/* The chunk list's count, once.  If it cannot be read, the CPU is lost. */
static enum pull count_chunks(struct file_feed *ff, struct err *e)
{
	uint8_t count[4];

	ff->counted = true;
	if (ff->end - ff->off < 4) {
		ff->ended = true;
		return ff->cut ?
			       at_end(ff, e) :
			       err_set(e, ERR_FORMAT, ff->off, "no room for the number of chunks");
	}
	if (input_read(ff->in, count, 4, ff->off, e) < 0) {
		ff->ended = true;
		return PULL_ERR;
	}
	ff->chunks = bytes_u32(count, ff->big_endian);
	ff->off += 4;
	ff->base.done += 4;
	return PULL_OK;
}

/*
 * All counted chunks have been read.  A recorder that was killed leaves a count of 0, but the bytes
 * after it still are this CPU's.
 */
static enum pull behind_count(struct file_feed *ff, struct err *e)
{
	uint64_t end = ff->told < ff->end ? ff->told : ff->end;

	if (ff->uncounted || ff->off >= end)
		return at_end(ff, e);
	ff->uncounted = true;
	return err_set(e, ERR_FORMAT, ff->off,
		       "%" PRIu64 " byte%s after the last counted chunk: read as further chunks",
		       end - ff->off, plural(end - ff->off));
}

static enum pull chunk_page(struct feed *f, struct page *out, struct err *e)
{
	struct file_feed *ff = (struct file_feed *)f;
	uint8_t head[8];
	uint32_t csize, usize;
	enum pull rc;

	if (buffered_page(ff, out))
		return PULL_OK;
	if (!ff->counted) {
		rc = count_chunks(ff, e);
		if (rc != PULL_OK)
			return rc;
	}
	if (!ff->ended && !ff->chunks && (!ff->uncounted || ff->end - ff->off < 8))
		return behind_count(ff, e);
	if (ff->ended)
		return at_end(ff, e);
	if (ff->end - ff->off < 8) {
		ff->ended = true;
		if (ff->cut)
			return at_end(ff, e);
		return err_set(e, ERR_FORMAT, ff->off, "%" PRIu64 " compressed chunk%s missing",
			       ff->chunks, ff->chunks == 1 ? " is" : "s are");
	}
	if (input_read(ff->in, head, 8, ff->off, e) < 0) {
		ff->ended = true;
		return PULL_ERR;
	}
	csize = bytes_u32(head, ff->big_endian);
	usize = bytes_u32(head + 4, ff->big_endian);
	ff->off += 8;
	ff->base.done += 8;
	if (ff->chunks)
		ff->chunks--;
	if (!csize || !usize || usize > MAX_CHUNK)
		return give_up(ff, e, csize, usize);
	if (csize > ff->end - ff->off) {
		if (!ff->cut)
			return give_up(ff, e, csize, usize);
		return at_end(ff, e);
	}
	return unpack(ff, csize, usize, true, out, e);
}

static enum pull paged_page(struct feed *f, struct page *out, struct err *e)
{
	struct file_feed *ff = (struct file_feed *)f;
	uint8_t head[4];
	uint32_t csize;

	if (ff->ended || ff->off >= ff->end)
		return at_end(ff, e);
	if (ff->end - ff->off < 4) {
		ff->ended = true;
		return err_set(e, ERR_FORMAT, ff->off, "no room for another compressed page");
	}
	if (input_read(ff->in, head, 4, ff->off, e) < 0) {
		ff->ended = true;
		return PULL_ERR;
	}
	csize = bytes_u32(head, ff->big_endian);
	ff->off += 4;
	ff->base.done += 4;
	if (!csize || csize > ff->end - ff->off) {
		ff->ended = true;
		if (ff->cut && csize)
			return at_end(ff, e);
		return err_set(e, ERR_FORMAT, ff->off - 4,
			       "compressed page of %u byte%s, with %" PRIu64
			       " left: rest of this CPU skipped",
			       csize, plural(csize), ff->end - ff->off);
	}
	return unpack(ff, csize, ff->page_size, true, out, e);
}

/* The end of a stream of declared length. */
static enum pull inflate_end(struct file_feed *ff, struct err *e)
{
	uint64_t expected = ff->expected, rest = ff->src_len + (ff->end - ff->off);

	ff->expected = 0;
	if (expected > RFC_GRACE && !ff->cut && ff->made < expected - RFC_GRACE)
		return err_set(e, ERR_FORMAT, ff->off,
			       "the data unpack to %" PRIu64 " byte%s and should "
			       "give %" PRIu64,
			       ff->made, plural(ff->made), expected);
	if (ff->whole && rest > RFC_GRACE) {
		ff->whole = false;
		return err_set(e, ERR_FORMAT, ff->off - ff->src_len,
			       "%" PRIu64 " bytes after the end of the compressed data: not read",
			       rest);
	}
	return at_end(ff, e);
}

/* Working memory for a stream, which counts as page memory. */
static int inflate_room(struct file_feed *ff, struct err *e)
{
	uint32_t want = ff->end - ff->off < WINDOW ? ff->end - ff->off : WINDOW;

	if (want + INFLATE_STATE > ff->pool->left) {
		ff->ended = true;
		return no_room(ff, e);
	}
	ff->pool->left -= want + INFLATE_STATE;
	ff->src_cap = want;
	ff->src_buf = mem_alloc(want);
	return 0;
}

static enum pull inflate_page(struct feed *f, struct page *out, struct err *e)
{
	struct file_feed *ff = (struct file_feed *)f;
	bool end = false;

	if (buffered_page(ff, out))
		return PULL_OK;
	if (ff->ended)
		return inflate_end(ff, e);
	if (page_window(ff, e) < 0)
		return PULL_ERR;
	if (!ff->src_buf && inflate_room(ff, e) < 0)
		return PULL_ERR;
	ff->have = ff->used = 0;
	ff->buf_off = ff->off - ff->src_len;
	while (ff->have < ff->cap && !end) {
		int64_t n;

		if (!ff->src_len) {
			uint64_t want = ff->end - ff->off < ff->src_cap ? ff->end - ff->off :
									  ff->src_cap;

			if (!want)
				break;
			if (input_read(ff->in, ff->src_buf, want, ff->off, e) < 0) {
				ff->ended = true;
				return PULL_ERR;
			}
			ff->src = ff->src_buf;
			ff->src_len = want;
			ff->off += want;
			ff->base.done += want;
		}
		n = unpacker_stream(ff->stream, &ff->src, &ff->src_len, ff->buf + ff->have,
				    ff->cap - ff->have, &end, ff->off - ff->src_len, e);
		if (n < 0) {
			ff->ended = true;
			return PULL_ERR; /* pages made before it have yet to be returned */
		}
		ff->have += n;
		ff->made += n;
		if (may_unpack(ff, n, e) < 0) {
			ff->have = 0;
			return PULL_ERR;
		}
	}
	if (end)
		ff->ended = ff->whole = true;
	else if (ff->off >= ff->end && !ff->src_len)
		ff->ended = true;
	if (buffered_page(ff, out))
		return PULL_OK;
	return inflate_end(ff, e);
}

/* ---- places ---- */

static bool tell_file(const struct feed *f, struct stream_place *at)
{
	const struct file_feed *ff = (const struct file_feed *)f;

	/* Only the first page of a block has a place of its own. */
	if (ff->blocks && (ff->used > ff->page_size || ff->uncounted))
		return false;
	at->off = ff->buf_off + (ff->blocks ? 0 : ff->used - 1) / ff->page_size * ff->page_size;
	at->off -= ff->head;
	at->chunks = ff->chunks + 1;
	return true;
}

static bool seek_file(struct feed *f, const struct stream_place *at)
{
	struct file_feed *ff = (struct file_feed *)f;

	if (at->off < ff->off || at->off >= ff->end ||
	    (!ff->blocks && (at->off - ff->off) % ff->page_size))
		return false;
	ff->off = at->off;
	ff->base.done = ff->base.total - (ff->end - ff->off);
	/* The list's head, which has the number of chunks, is passed over. */
	ff->counted = true;
	ff->chunks = at->chunks;
	return true;
}

static struct file_feed *file_feed(const struct feed_ops *ops, struct feed_pool *pool,
				   const struct input *in, uint64_t off, uint64_t size,
				   uint32_t page_size)
{
	struct file_feed *ff = mem_zalloc(sizeof(*ff));
	uint64_t there = off < in->size ? in->size - off : 0;

	ff->base.ops = ops;
	ff->pool = pool;
	ff->in = in;
	ff->off = off;
	ff->page_size = page_size;
	if (size > there) {
		ff->cut = size - there;
		size = there;
	}
	ff->end = off + size;
	ff->base.total = size;
	return ff;
}

struct feed *feed_extent(struct feed_pool *pool, const struct input *in, uint64_t off,
			 uint64_t size, uint32_t page_size)
{
	static const struct feed_ops ops = { extent_page, close_file, tell_file, seek_file };

	return &file_feed(&ops, pool, in, off, size, page_size)->base;
}

struct feed *feed_chunks(struct feed_pool *pool, const struct input *in, uint64_t off,
			 uint64_t size, uint32_t page_size, bool big_endian)
{
	static const struct feed_ops ops = { chunk_page, close_file, tell_file, seek_file };
	struct file_feed *ff = file_feed(&ops, pool, in, off,
					 size <= UINT64_MAX - 4 ? size + 4 : size, page_size);

	ff->told = size <= UINT64_MAX - off ? off + size : UINT64_MAX;
	if (ff->cut && ff->cut <= 4)
		ff->cut = 0; /* within the grace, not missing */
	ff->blocks = true;
	ff->head = CHUNK_HEAD;
	ff->base.records = &pool->records;
	ff->big_endian = big_endian;
	return &ff->base;
}

struct feed *feed_last_chunks(struct feed_pool *pool, const struct input *in, uint64_t off,
			      uint64_t end, uint64_t n, uint32_t page_size, bool big_endian)
{
	struct file_feed *ff = (struct file_feed *)feed_chunks(pool, in, off, end - off, page_size,
							       big_endian);

	ff->counted = true;
	ff->chunks = n;
	return &ff->base;
}

struct feed *feed_paged(struct feed_pool *pool, const struct input *in, uint64_t off, uint64_t size,
			uint32_t page_size, bool big_endian)
{
	static const struct feed_ops ops = { paged_page, close_file, tell_file, seek_file };
	struct file_feed *ff = file_feed(&ops, pool, in, off, size, page_size);

	ff->blocks = true;
	ff->head = PAGE_HEAD;
	ff->base.records = &pool->records;
	ff->big_endian = big_endian;
	return &ff->base;
}

struct feed *feed_inflate(struct feed_pool *pool, const struct input *in, uint64_t off,
			  uint64_t size, uint64_t usize, uint32_t page_size)
{
	static const struct feed_ops ops = { .page = inflate_page, .close = close_file };
	struct file_feed *ff = file_feed(&ops, pool, in, off, size, page_size);

	ff->blocks = true;
	ff->base.records = &pool->records;
	ff->stream = unpacker_new(CODEC_ZLIB);
	ff->expected = usize;
	return &ff->base;
}
