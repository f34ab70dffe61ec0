/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_AGGREGATE_KEY_H
#define ZED_READER_AGGREGATE_KEY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The values of some expressions packed into words: what a table is searched by.  First 32 bits
 * that say what each part is (4 bits a part, the first part lowest), then the parts, then zeros up
 * to a whole word.  A number takes 4 bytes where it fits into an int32_t, else 8, so equal numbers
 * of fields of different sizes and signs are equal keys.  A text has its length before it.
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
#define KEY_TEXT_MAX 1024 /* bytes of a text or set that are kept */
#define KEY_WORDS ((4 + KEY_PARTS * (2 + KEY_TEXT_MAX) + 7) / 8)

struct key {
	uint32_t kinds, n; /* n: parts */
	uint32_t at;	   /* bytes of w */
	bool cut;	   /* a part was longer than KEY_TEXT_MAX */
	union {
		uint64_t w[KEY_WORDS];
		uint8_t b[KEY_WORDS * 8];
	};
};

static inline void key_begin(struct key *k)
{
	k->kinds = k->n = 0;
	k->at = 4;
}

/* The next LEN bytes are a part of that kind. */
static inline void key_mark(struct key *k, unsigned kind, unsigned len)
{
	k->at += len;
	k->kinds |= kind << 4 * k->n++;
}

static inline void key_put(struct key *k, unsigned kind, const void *p, unsigned len)
{
	memcpy(k->b + k->at, p, len);
	key_mark(k, kind, len);
}

static inline void key_undef(struct key *k)
{
	k->n++;
}

static inline void key_number(struct key *k, uint64_t v, bool is_signed)
{
	int32_t small = (int32_t)v;

	if ((uint64_t)(int64_t)small == v && (is_signed || small >= 0))
		key_put(k, KEY_INT32, &small, 4);
	else
		key_put(k, is_signed || v <= INT64_MAX ? KEY_INT64 : KEY_UINT64, &v, 8);
}

/*
 * The one word of a key that is a single number which fits into an int32_t.  Made in a register: a
 * word that is read back from two halves waits until both are written.
 */
static inline uint64_t key_small(int32_t v)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		return (uint64_t)KEY_INT32 << 32 | (uint32_t)v;
	return (uint64_t)(uint32_t)v << 32 | KEY_INT32;
}

static inline void key_text(struct key *k, const char *s, uint32_t len)
{
	uint16_t kept = len <= KEY_TEXT_MAX ? (uint16_t)len : KEY_TEXT_MAX;

	k->cut |= len > KEY_TEXT_MAX;
	memcpy(k->b + k->at, &kept, 2);
	k->at += 2;
	key_put(k, KEY_TEXT, s, kept);
}

/* A mask of the kernel: longs of ELEM bytes, in big-endian order if BIG. */
void key_bits(struct key *k, const uint8_t *p, uint32_t len, unsigned elem, bool big);

/* Returns the number of words. */
static inline unsigned key_end(struct key *k)
{
	unsigned words = (k->at + 7) / 8;

	memcpy(k->b, &k->kinds, 4);
	memset(k->b + k->at, 0, words * 8 - k->at);
	return words;
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
 * The order in which keys of N parts are shown: what is not there, numbers, texts by their bytes,
 * sets.  As strcmp().
 */
int key_compare(const uint64_t *a, const uint64_t *b, unsigned n);

#endif
