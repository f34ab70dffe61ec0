// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dictionary: numbers the distinct values of a column, with an open-addressing hash table.
 */
#include "base/parquet/dictionary.h"

#include "base/parquet/encoding.h"

#include <stdlib.h>

#define FIRST_BITS 5

static uint64_t mixed(uint64_t factor, uint64_t v)
{
	v *= factor;
	v ^= v >> 32;
	return v * 0x9e3779b97f4a7c15u;
}

static struct dictionary_slot *slot_of(const struct dictionary *d, uint64_t key)
{
	return &d->slots[mixed(d->factor, key) >> (64 - d->bits)];
}

static struct dictionary_slot *next_slot(const struct dictionary *d, struct dictionary_slot *s)
{
	return ++s == d->slots + ((size_t)1 << d->bits) ? d->slots : s;
}

/* Reinsert the entries of the slots OLD whose numbers are below N. */
static void refill(struct dictionary *d, const struct dictionary_slot *old, size_t n, uint32_t most)
{
	for (size_t i = 0; i < n; i++) {
		struct dictionary_slot *s;

		if (!old[i].at || old[i].at > most)
			continue;
		for (s = slot_of(d, old[i].key); s->at; s = next_slot(d, s))
			;
		*s = old[i];
	}
}

static void make_slots(struct dictionary *d, unsigned bits)
{
	struct dictionary_slot *old = d->slots;
	size_t n = old ? (size_t)1 << d->bits : 0;

	d->bits = bits;
	d->slots = mem_zalloc(sizeof(*d->slots) << bits);
	refill(d, old, n, d->n);
	free(old);
}

/* Make room for one more value; false: full. */
static bool may_add(struct dictionary *d)
{
	if (d->n == DICTIONARY_MOST)
		return false;
	if (!d->slots)
		make_slots(d, FIRST_BITS);
	else if (d->n >= (uint32_t)1 << (d->bits - 1))
		make_slots(d, d->bits + 2);
	return true;
}

uint32_t dictionary_number(struct dictionary *d, uint64_t v)
{
	struct dictionary_slot *s;

	if (d->slots)
		for (s = slot_of(d, v); s->at; s = next_slot(d, s))
			if (s->key == v)
				return s->at - 1;
	if (!may_add(d))
		return DICTIONARY_FULL;
	for (s = slot_of(d, v); s->at; s = next_slot(d, s))
		;
	d->numbers = mem_grow(d->numbers, &d->cap, (size_t)d->n + 1, sizeof(*d->numbers));
	d->numbers[d->n] = v;
	*s = (struct dictionary_slot){ v, ++d->n };
	return d->n - 1;
}

static uint64_t hash_of(uint64_t factor, const uint8_t *p, uint32_t len)
{
	uint64_t h = len, w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = mixed(factor, h ^ w);
	}
	w = 0;
	memcpy(&w, p, len);
	return mixed(factor, h ^ w);
}

static bool is_at(const struct dictionary *d, uint32_t place, const void *p, uint32_t len)
{
	uint32_t have;

	memcpy(&have, d->plain.p + place, 4);
	return encoding_le32(have) == len && !memcmp(d->plain.p + place + 4, p, len);
}

/* The number of a text other than the last one; DICTIONARY_FULL: not found. */
static uint32_t find_text(const struct dictionary *d, uint64_t key, const void *p, uint32_t len)
{
	struct dictionary_slot *s;

	if (d->slots)
		for (s = slot_of(d, key); s->at; s = next_slot(d, s))
			if (s->key == key && is_at(d, d->places[s->at - 1], p, len))
				return s->at - 1;
	return DICTIONARY_FULL;
}

uint32_t dictionary_text(struct dictionary *d, const void *p, uint32_t len, bool *is_new)
{
	struct dictionary_slot *s;
	uint64_t key;
	uint32_t at;

	*is_new = false;
	/* Tasks, machines and buffers seldom change from one row to the next. */
	if (d->n && is_at(d, d->places[d->last], p, len))
		return d->last;
	key = hash_of(d->factor, p, len);
	at = find_text(d, key, p, len);
	if (at != DICTIONARY_FULL)
		return d->last = at;
	if (len > DICTIONARY_BYTES || d->plain.len + len > DICTIONARY_BYTES || !may_add(d))
		return DICTIONARY_FULL;
	for (s = slot_of(d, key); s->at; s = next_slot(d, s))
		;
	*is_new = true;
	d->places = mem_grow(d->places, &d->cap, (size_t)d->n + 1, sizeof(*d->places));
	d->places[d->n] = (uint32_t)d->plain.len;
	encoding_u32(&d->plain, len);
	out_bytes(&d->plain, p, len);
	*s = (struct dictionary_slot){ key, ++d->n };
	return d->last = d->n - 1;
}

void dictionary_cut(struct dictionary *d, uint32_t n)
{
	struct dictionary_slot *old = d->slots;
	size_t size = (size_t)1 << d->bits;

	if (d->n == n)
		return;
	d->slots = mem_zalloc(sizeof(*d->slots) << d->bits);
	refill(d, old, size, n);
	free(old);
	d->n = n;
}

size_t dictionary_size(const struct dictionary *d)
{
	return (d->slots ? sizeof(*d->slots) << d->bits : 0) + d->plain.cap +
	       d->cap * (d->numbers ? sizeof(*d->numbers) : sizeof(*d->places));
}

void dictionary_fini(struct dictionary *d)
{
	free(d->slots);
	free(d->numbers);
	free(d->places);
	outbuf_fini(&d->plain);
	*d = (struct dictionary){ .factor = d->factor };
}
