// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dictionary: numbers the distinct values of a column.
 */
#include "base/parquet/dictionary.h"

#include "base/parquet/encoding.h"

#include <stdlib.h>

uint32_t dictionary_number(struct dictionary *d, uint64_t v)
{
	uint32_t hash, slot, i;

	index_begin(&d->index);
	hash = index_hash(&d->index, v);
	slot = index_home(&d->index, hash);
	while (index_next(&d->index, hash, &slot, &i))
		if (d->numbers[i] == v)
			return i;
	if (d->n == DICTIONARY_MOST)
		return DICTIONARY_FULL;
	d->numbers = mem_grow(d->numbers, &d->cap, (size_t)d->n + 1, sizeof(*d->numbers));
	d->numbers[d->n] = v;
	index_add(&d->index, hash, d->n);
	return d->n++;
}

static bool is_at(const struct dictionary *d, uint32_t place, const void *p, uint32_t len)
{
	uint32_t have;

	memcpy(&have, d->plain.p + place, 4);
	return encoding_le32(have) == len && !memcmp(d->plain.p + place + 4, p, len);
}

uint32_t dictionary_text(struct dictionary *d, const void *p, uint32_t len, bool *is_new)
{
	uint32_t hash, slot, i;

	*is_new = false;
	/* Tasks, machines and buffers seldom change from one row to the next. */
	if (d->n && is_at(d, d->places[d->last], p, len))
		return d->last;
	index_begin(&d->index);
	hash = index_hash_bytes(&d->index, p, len);
	slot = index_home(&d->index, hash);
	while (index_next(&d->index, hash, &slot, &i))
		if (is_at(d, d->places[i], p, len))
			return d->last = i;
	if (len > DICTIONARY_BYTES || d->plain.len + len > DICTIONARY_BYTES ||
	    d->n == DICTIONARY_MOST)
		return DICTIONARY_FULL;
	*is_new = true;
	d->places = mem_grow(d->places, &d->cap, (size_t)d->n + 1, sizeof(*d->places));
	d->places[d->n] = (uint32_t)d->plain.len;
	encoding_u32(&d->plain, len);
	out_bytes(&d->plain, p, len);
	index_add(&d->index, hash, d->n);
	return d->last = d->n++;
}

void dictionary_cut(struct dictionary *d, uint32_t n)
{
	while (d->n > n) {
		d->n--;
		index_remove(&d->index, index_hash(&d->index, d->numbers[d->n]), d->n);
	}
}

size_t dictionary_size(const struct dictionary *d)
{
	return index_bytes(&d->index) + d->plain.cap +
	       d->cap * (d->numbers ? sizeof(*d->numbers) : sizeof(*d->places));
}

void dictionary_fini(struct dictionary *d)
{
	index_fini(&d->index);
	free(d->numbers);
	free(d->places);
	outbuf_fini(&d->plain);
	*d = (struct dictionary){ .n = 0 };
}
