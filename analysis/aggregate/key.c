/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key: reads packed keys, orders them, and gives the masks of all kernels one form.
 */
#include "analysis/aggregate/key.h"

/* LEN bytes of a part of that kind, after their number. */
static void put_bytes(struct key *k, unsigned kind, const void *p, uint32_t len)
{
	const char *from = p;
	uint64_t v;

	key_push(k, len, 2);
	for (; len >= 8; len -= 8, from += 8) {
		memcpy(&v, from, 8);
		key_push(k, le64toh(v), 8);
	}
	v = 0;
	memcpy(&v, from, len);
	if (len)
		key_push(k, le64toh(v), len);
	key_mark(k, kind);
}

void key_text(struct key *k, const char *s, uint32_t len)
{
	k->cut |= len > KEY_TEXT_MAX;
	put_bytes(k, KEY_TEXT, s, len <= KEY_TEXT_MAX ? len : KEY_TEXT_MAX);
}

void key_bits(struct key *k, const uint8_t *p, uint32_t len, unsigned elem, bool big)
{
	uint8_t bits[KEY_TEXT_MAX];
	uint32_t i;

	if (len > KEY_TEXT_MAX) {
		k->cut = true;
		len = KEY_TEXT_MAX;
	}
	/* A big-endian long has its low byte last. */
	for (i = 0; i < len; i++) {
		uint32_t from = big && elem ? i / elem * elem + (elem - 1 - i % elem) : i;

		bits[i] = from < len ? p[from] : 0;
	}
	while (len && !bits[len - 1])
		len--;
	put_bytes(k, KEY_BITS, bits, len);
}

void key_first(struct key_reader *r, const uint64_t *key)
{
	r->p = (const uint8_t *)key + 4;
	r->kinds = (uint32_t)le64toh(key[0]);
}

void key_next(struct key_reader *r, struct key_part *part)
{
	uint16_t len;
	uint32_t small;

	part->kind = (enum key_kind)(r->kinds & 15);
	r->kinds >>= 4;
	switch (part->kind) {
	case KEY_INT32:
		memcpy(&small, r->p, 4);
		part->num = (uint64_t)(int32_t)le32toh(small);
		r->p += 4;
		break;
	case KEY_INT64:
	case KEY_UINT64:
		memcpy(&part->num, r->p, 8);
		part->num = le64toh(part->num);
		r->p += 8;
		break;
	case KEY_TEXT:
	case KEY_BITS:
		memcpy(&len, r->p, 2);
		part->len = le16toh(len);
		part->text = (const char *)r->p + 2;
		r->p += 2 + part->len;
		break;
	case KEY_UNDEF:
		break;
	}
}

unsigned key_words(const uint64_t *key, unsigned n)
{
	struct key_reader r;
	struct key_part part;

	key_first(&r, key);
	while (n--)
		key_next(&r, &part);
	return (unsigned)(r.p - (const uint8_t *)key + 7) / 8;
}

static int number_compare(const struct key_part *a, const struct key_part *b)
{
	int64_t x = (int64_t)a->num, y = (int64_t)b->num;

	/* Only KEY_UINT64 is above INT64_MAX. */
	if ((a->kind == KEY_UINT64) != (b->kind == KEY_UINT64))
		return a->kind == KEY_UINT64 ? 1 : -1;
	if (a->kind == KEY_UINT64)
		return a->num < b->num ? -1 : a->num > b->num;
	return x < y ? -1 : x > y;
}

/* Numbers of all sizes have the same rank. */
static int rank(enum key_kind kind)
{
	return kind == KEY_INT64 || kind == KEY_UINT64 ? KEY_INT32 : (int)kind;
}

static int part_compare(const struct key_part *a, const struct key_part *b)
{
	uint32_t len = a->len < b->len ? a->len : b->len;
	int c = rank(a->kind) - rank(b->kind);

	if (c || a->kind == KEY_UNDEF)
		return c;
	if (rank(a->kind) == KEY_INT32)
		return number_compare(a, b);
	c = memcmp(a->text, b->text, len);
	return c ? c : a->len < b->len ? -1 : a->len > b->len;
}

int key_compare(const uint64_t *a, const uint64_t *b, unsigned n)
{
	struct key_part x = { .kind = KEY_UNDEF }, y = { .kind = KEY_UNDEF };
	struct key_reader r, s;
	int c = 0;

	key_first(&r, a);
	key_first(&s, b);
	while (n-- && !c) {
		key_next(&r, &x);
		key_next(&s, &y);
		c = part_compare(&x, &y);
	}
	return c;
}
