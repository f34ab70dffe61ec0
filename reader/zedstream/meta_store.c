// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meta_store: stores the metadata of many sources in pieces, equal pieces once.
 */
#include "reader/zedstream/meta_store.h"

#include "base/io.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST (16u << 10) /* minimum bytes of a piece, except the last */
#define MOST (256u << 10)
#define CUT_BITS 16		/* a piece has LEAST and about 1 << CUT_BITS bytes */
#define TRIES 16		/* slots to try for a piece; else it is stored again */
#define MIX 0x9e3779b97f4a7c15u /* spreads the bits of a small number over 64 */

struct meta_piece {
	uint64_t hash;
	uint32_t len;
	uint8_t p[];
};

struct meta_store {
	struct meta_piece **all;
	size_t n, cap;
	struct meta_piece **table; /* 1 << bits slots, by hash; borrowed from ALL */
	unsigned bits;
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

	s->bits = 8;
	s->table = mem_zalloc(sizeof(struct meta_piece *) << s->bits);
	return s;
}

void metastore_free(struct meta_store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->all[i]);
	free(s->all);
	free(s->table);
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

static uint64_t hash_of(const uint8_t *p, size_t len)
{
	uint64_t h = len * MIX, word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * MIX;
		h ^= h >> 29;
	}
	while (len--)
		h = (h ^ *p++) * MIX;
	return h ^ h >> 32;
}

/* The slot of the piece of HASH and LEN bytes at P, or a free one; NULL: none near. */
static struct meta_piece **find(const struct meta_store *s, uint64_t hash, const uint8_t *p,
				size_t len)
{
	size_t mask = ((size_t)1 << s->bits) - 1;

	for (unsigned i = 0; i < TRIES; i++) {
		struct meta_piece **at = &s->table[(hash + i) & mask];

		if (!*at || ((*at)->hash == hash && (*at)->len == len && !memcmp((*at)->p, p, len)))
			return at;
	}
	return NULL;
}

static void grow_table(struct meta_store *s)
{
	free(s->table);
	s->bits++;
	s->table = mem_zalloc(sizeof(struct meta_piece *) << s->bits);
	for (size_t i = 0; i < s->n; i++) {
		struct meta_piece *k = s->all[i], **at = find(s, k->hash, k->p, k->len);

		if (at)
			*at = k;
	}
}

static const struct meta_piece *keep(struct meta_store *s, const uint8_t *p, size_t len)
{
	uint64_t hash = hash_of(p, len);
	struct meta_piece **at = find(s, hash, p, len), *k = at ? *at : NULL;

	if (k)
		return k;
	k = mem_alloc(sizeof(*k) + len);
	k->hash = hash;
	k->len = (uint32_t)len;
	memcpy(k->p, p, len);
	s->all = mem_grow(s->all, &s->cap, s->n + 1, sizeof(*s->all));
	s->all[s->n++] = k;
	s->size += len;
	if (at)
		*at = k;
	if (s->n > (size_t)1 << s->bits >> 1)
		grow_table(s);
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
