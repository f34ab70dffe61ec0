/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_KEY_H
#define ZED_ANALYSIS_AGGREGATE_KEY_H

#include "base/chars16.h"

#include <stdbool.h>

/*
 * The values of some expressions packed into words: the key of a table.  First 32 bits with the
 * kind of each part (4 bits a part, the first part lowest), then the parts, then zeros up to a
 * whole word, all with the low byte first.  A number takes 4 bytes if it fits into an int32_t, else
 * 8, so equal numbers of fields of different sizes and signs are equal keys.  A text has its length
 * before it, in 2 bytes.
 *
 * A key is assembled in a register, word by word: a load of another size than the stores before it
 * would have to wait for them.
 */
enum key_kind {
	KEY_UNDEF, /* no bytes: the event has no such field */
	KEY_INT32,
	KEY_INT64,
	KEY_UINT64, /* above INT64_MAX */
	KEY_TEXT,
	KEY_BITS, /* a set: bit n is bit n % 8 of byte n / 8; no zero bytes at the end */
};

#define KEY_PARTS 8
#define KEY_TEXT_MAX 1024 /* bytes kept of a text or set */
#define KEY_WORDS ((4 + KEY_PARTS * (2 + KEY_TEXT_MAX) + 7) / 8)

struct key {
	uint32_t kinds, n; /* n: parts */
	uint32_t words;	   /* complete ones in w */
	unsigned bits;	   /* bits of the next one, so far */
	uint64_t next;	   /* these bits; above them 0 */
	bool cut;	   /* a part was longer than KEY_TEXT_MAX */
	uint64_t w[KEY_WORDS];
};

static inline void key_begin(struct key *k)
{
	k->kinds = k->n = k->words = 0;
	k->bits = 32;
	k->next = 0;
	k->cut = false;
}

/* Append the low BYTES (1 to 8) bytes of V; the bytes above them are 0. */
static inline void key_push(struct key *k, uint64_t v, unsigned bytes)
{
	k->next |= v << k->bits;
	k->bits += 8 * bytes;
	if (k->bits < 64)
		return;
	k->w[k->words++] = htole64(k->next);
	k->bits -= 64;
	k->next = k->bits ? v >> (8 * bytes - k->bits) : 0;
}

static inline void key_mark(struct key *k, unsigned kind)
{
	k->kinds |= kind << 4 * k->n++;
}

static inline void key_undef(struct key *k)
{
	k->n++;
}

static inline void key_number(struct key *k, uint64_t v, bool is_signed)
{
	int32_t small = (int32_t)v;
	bool fits = (uint64_t)(int64_t)small == v && (is_signed || small >= 0);

	key_push(k, fits ? (uint32_t)small : v, fits ? 4 : 8);
	key_mark(k, fits ? KEY_INT32 : is_signed || v <= INT64_MAX ? KEY_INT64 : KEY_UINT64);
}

/* The single word of a key that is one number and fits into an int32_t. */
static inline uint64_t key_small(int32_t v)
{
	return htole64((uint64_t)(uint32_t)v << 32 | KEY_INT32);
}

static inline void key_chars16(struct key *k, const struct chars16 *c)
{
	unsigned first = c->len < 8 ? c->len : 8;

	key_push(k, c->len, 2);
	if (first)
		key_push(k, c->w[0], first);
	if (c->len > 8)
		key_push(k, c->w[1], c->len - 8);
	key_mark(k, KEY_TEXT);
}

/* The key that is only this string, in the words W; returns how many. */
static inline unsigned key_of_chars16(uint64_t w[3], const struct chars16 *c)
{
	w[0] = htole64(KEY_TEXT | (uint64_t)c->len << 32 | c->w[0] << 48);
	w[1] = htole64(c->w[0] >> 16 | c->w[1] << 48);
	w[2] = htole64(c->w[1] >> 16);
	/* 4 bytes of kinds, 2 of length, the string. */
	return c->len > 10 ? 3 : c->len > 2 ? 2 : 1;
}

void key_text(struct key *k, const char *s, uint32_t len);

/* A mask of the kernel: longs of ELEM bytes, in big-endian order if BIG. */
void key_bits(struct key *k, const uint8_t *p, uint32_t len, unsigned elem, bool big);

/* Returns the number of words. */
static inline unsigned key_end(struct key *k)
{
	if (k->bits)
		k->w[k->words++] = htole64(k->next);
	k->w[0] |= htole64(k->kinds);
	return k->words;
}

struct key_part {
	enum key_kind kind;
	uint64_t num;	  /* KEY_INT32, KEY_INT64 (in two's complement), KEY_UINT64 */
	const char *text; /* KEY_TEXT, KEY_BITS: len bytes, the key's */
	uint32_t len;
};

/* Reading the parts of a packed key, from the first: key_first(), then key_next() for each. */
struct key_reader {
	const uint8_t *p;
	uint32_t kinds;
};

void key_first(struct key_reader *r, const uint64_t *key);
void key_next(struct key_reader *r, struct key_part *part);

/* The words of the packed key of N parts. */
unsigned key_words(const uint64_t *key, unsigned n);

/*
 * The order in which keys of N parts are shown: absent parts, numbers, texts by their bytes, sets.
 * As strcmp().
 */
int key_compare(const uint64_t *a, const uint64_t *b, unsigned n);

#endif
