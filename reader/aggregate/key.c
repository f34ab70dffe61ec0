/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key: reads packed keys again, puts them in order, and gives the masks of all kernels one form.
 */
#include "reader/aggregate/key.h"

void key_bits(struct key *k, const uint8_t *p, uint32_t len, unsigned elem, bool big)
{
	uint8_t *bits = k->b + k->at + 2;
	uint16_t kept;
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
	kept = (uint16_t)len;
	memcpy(k->b + k->at, &kept, 2);
	key_mark(k, KEY_BITS, 2u + kept);
}

void key_first(struct key_reader *r, const uint64_t *key)
{
	r->p = (const uint8_t *)key + 4;
	memcpy(&r->kinds, key, 4);
}

void key_next(struct key_reader *r, struct key_part *part)
{
	uint16_t len;
	int32_t small;

	part->kind = (enum key_kind)(r->kinds & 15);
	r->kinds >>= 4;
	switch (part->kind) {
	case KEY_INT32:
		memcpy(&small, r->p, 4);
		part->num = (uint64_t)(int64_t)small;
		r->p += 4;
		break;
	case KEY_INT64:
	case KEY_UINT64:
		memcpy(&part->num, r->p, 8);
		r->p += 8;
		break;
	case KEY_TEXT:
	case KEY_BITS:
		memcpy(&len, r->p, 2);
		part->text = (const char *)r->p + 2;
		part->len = len;
		r->p += 2 + len;
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

/* Numbers are of one rank, whatever their size. */
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
