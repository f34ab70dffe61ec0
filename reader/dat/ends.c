// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ends: the times of the first and the last record of each CPU of a trace.dat, from the first and
 * the last pages with records, without reading the pages between.
 */
#include "reader/dat/buffers.h"

#define MORE 8 /* times as many pages from the end, if the previous ones had no record */

/*
 * Compressed data are pieces with headers: {csize, usize} of a chunk, {csize} of a page.  Finds the
 * start of piece N, or the end if there are fewer, and returns the number of pieces before it.
 */
static uint64_t skip_pieces(const struct dat *d, const struct buffer_cpu *c, uint64_t n,
			    uint64_t *off)
{
	bool chunks = c->how == DAT_CHUNKS;
	unsigned head = chunks ? 8 : 4;
	uint64_t end = d->base.in.size, i = 0;
	uint8_t word[4];
	struct err e;

	/* The size of a chunk list may exclude its first word (feed_chunks). */
	if (c->off < end && c->size < end - c->off)
		end = c->off + c->size + (chunks && end - c->off - c->size >= 4 ? 4 : 0);
	*off = c->off + (chunks ? 4 : 0);
	for (; i < n && *off < end && end - *off > head; i++) {
		uint32_t size;

		if (input_read(&d->base.in, word, 4, *off, &e) < 0)
			break;
		size = bytes_u32(word, d->head.big_endian);
		if (!size || size > end - *off - head)
			break;
		*off += head + size;
	}
	return i;
}

/* The last N pieces of stream I: pages, or chunks of them.  *ALL: these are all. */
static struct feed *last_pieces(struct dat *d, struct feed_pool *pool, unsigned i, uint64_t n,
				bool *all)
{
	const struct buffer *b = &d->base.buffers[d->places[i].buffer];
	const struct buffer_cpu *c = &b->cpus[d->places[i].cpu];
	const struct input *in = &d->base.in;
	uint64_t there = c->off < in->size ? in->size - c->off : 0, end, count, off;

	if (there > c->size)
		there = c->size;
	end = c->off + there;
	if (c->how == DAT_BARE)
		count = (there + b->page_size - 1) / b->page_size;
	else
		count = c->how == DAT_INFLATE ? 0 : skip_pieces(d, c, UINT64_MAX, &off);
	*all = n >= count;
	if (*all)
		return dat_feed(d, pool, i);
	if (c->how == DAT_BARE) {
		off = c->off + (count - n) * b->page_size;
		return feed_extent(pool, in, off, end - off, b->page_size);
	}
	skip_pieces(d, c, count - n, &off);
	return c->how == DAT_PAGED ?
		       feed_paged(pool, in, off, end - off, b->page_size, d->head.big_endian) :
		       feed_last_chunks(pool, in, off, end, n, b->page_size, d->head.big_endian);
}

/* The time of the first record in FEED, or, if LAST, of the last one.  False: no records. */
static bool find(struct dat *d, unsigned i, struct feed *feed, bool last, uint64_t *ts)
{
	struct ring_opts o = dat_ring(d, i);
	struct stream *s;
	bool found = false;
	enum pull rc;
	struct err e;

	o.feed = feed;
	o.all = true;
	s = ring_stream(&o);
	while ((rc = stream_next(s, &e)) != PULL_EOF && (last || !found)) {
		if (rc != PULL_OK)
			continue;
		*ts = s->ev.ts;
		found = true;
	}
	s->ops->close(s);
	return found;
}

void dat_miss_empty(struct dat *d)
{
	struct feed_pool pool;
	uint64_t ts;

	feed_pool_init(&pool, d->codec, d->base.in.size, d->base.nstreams);
	for (unsigned i = 0; i < d->base.nstreams; i++) {
		const struct dat_place *at = &d->places[i];
		const struct buffer_cpu *c = &d->base.buffers[at->buffer].cpus[at->cpu];

		if (c->cut && !find(d, i, dat_feed(d, &pool, i), false, &ts))
			dat_miss_cpu(d, c->cpu);
	}
	feed_pool_fini(&pool);
}

void dat_ends(struct source *s, struct period *v)
{
	struct dat *d = (struct dat *)s;
	struct feed_pool pool;

	/* Its limits are shared by all CPUs: the cost of this is bounded like that of reading. */
	feed_pool_init(&pool, d->codec, s->in.size, s->nstreams);
	for (unsigned i = 0; i < s->nstreams; i++) {
		bool all = false, found = false;

		if (!find(d, i, dat_feed(d, &pool, i), false, &v[i].first))
			continue;
		for (uint64_t n = 1; !found && !all; n *= MORE)
			found = find(d, i, last_pieces(d, &pool, i, n, &all), true, &v[i].last);
		/* Not before the first, even if the clock is damaged. */
		if (!found || v[i].last < v[i].first)
			v[i].last = v[i].first;
	}
	feed_pool_fini(&pool);
}
