// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meta_store: stores the metadata of many sources in pieces, equal pieces once.
 */
#include "reader/zedstream/meta_store.h"

#include "base/hash_index.h"
#include "base/io.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST (16u << 10) /* minimum bytes of a piece, except the last */
#define MOST (256u << 10)
#define CUT_BITS 16		/* a piece has LEAST and about 1 << CUT_BITS bytes */
#define MIX 0x9e3779b97f4a7c15u /* spreads the bits of a small number over 64 */

struct meta_piece {
	size_t len;
	uint8_t p[];
};

struct meta_store {
	struct meta_piece **v;
	size_t cap;
	struct hash_index index; /* of V, by all bytes */
	uint64_t size;
};

struct held {
	struct input_held base; /* must be first */
	struct held_piece {
		uint64_t off;
		const struct meta_piece *piece;
	} * v; /* in order */
	size_t n, cap;
};

struct meta_store *metastore_new(void)
{
	struct meta_store *s = mem_zalloc(sizeof(*s));

	index_begin(&s->index);
	return s;
}

void metastore_free(struct meta_store *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->index.n; i++)
		free(s->v[i]);
	free(s->v);
	index_fini(&s->index);
	free(s);
}

uint64_t metastore_size(const struct meta_store *s)
{
	return s->size;
}

/* ---- pieces ---- */

/* The length of the next piece among the LEN bytes at P: it ends where the last 64 bytes say so. */
static size_t cut(const uint8_t *p, size_t len)
{
	uint64_t h = 0;

	if (len > MOST)
		len = MOST;
	for (size_t i = 0; i < len; i++) {
		h = (h << 1) + (p[i] + 1) * MIX;
		if (i >= LEAST && !(h >> (64 - CUT_BITS)))
			return i + 1;
	}
	return len;
}

static const struct meta_piece *keep(struct meta_store *s, const uint8_t *p, size_t len)
{
	uint32_t hash = index_hash_bytes(&s->index, p, len);
	uint32_t slot = index_home(&s->index, hash), i, n = s->index.n;
	struct meta_piece *k;

	while (index_next(&s->index, hash, &slot, &i))
		if (s->v[i]->len == len && !memcmp(s->v[i]->p, p, len))
			return s->v[i];
	k = mem_alloc(sizeof(*k) + len);
	k->len = len;
	memcpy(k->p, p, len);
	s->v = mem_grow(s->v, &s->cap, n + 1, sizeof(*s->v));
	s->v[n] = k;
	index_add(&s->index, hash, n);
	s->size += len;
	return k;
}

/* ---- reading ---- */

/* The piece with the byte at OFF; N: none. */
static size_t place_at(const struct held *h, uint64_t off)
{
	size_t low = 0, high = h->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->v[mid].off + h->v[mid].piece->len <= off)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t read_held(const struct input_held *base, void *buf, size_t len, uint64_t off)
{
	const struct held *h = (const struct held *)base;
	size_t done = 0;

	for (size_t i = place_at(h, off); i < h->n && done < len; i++) {
		const struct meta_piece *k = h->v[i].piece;
		size_t at = (size_t)(off + done - h->v[i].off), n = k->len - at;

		if (n > len - done)
			n = len - done;
		memcpy((uint8_t *)buf + done, k->p + at, n);
		done += n;
	}
	return done;
}

static void close_held(struct input_held *base)
{
	struct held *h = (struct held *)base;

	free(h->v);
	free(h);
}

struct input_held *metastore_add(struct meta_store *s, int fd, uint64_t size)
{
	struct held *h = mem_zalloc(sizeof(*h));
	uint8_t *window = mem_alloc(MOST);
	uint64_t off = 0;
	size_t have = 0, n;

	h->base.read = read_held;
	h->base.close = close_held;
	while (off < size) {
		size_t more = size - off - have < MOST - have ? (size_t)(size - off - have) :
								MOST - have;

		if (io_pread(fd, window + have, more, off + have) != (ssize_t)more) {
			free(window);
			close_held(&h->base);
			return NULL;
		}
		have += more;
		n = cut(window, have);
		h->v = mem_grow(h->v, &h->cap, h->n + 1, sizeof(*h->v));
		h->v[h->n++] = (struct held_piece){ off, keep(s, window, n) };
		memmove(window, window + n, have - n);
		off += n;
		have -= n;
	}
	free(window);
	return &h->base;
}
