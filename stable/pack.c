// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack: converts records between the packed and the open form of their description, and reads and
 * writes bit fields of any width and position.
 */
#include "stable/pack.h"

#include "trace/field.h"

#include <string.h>

#define LOC_MAX 0xffffu /* each half of a locator */

static const bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/* Can the bits be loaded as a whole 8, 16, 32 or 64 bit number? */
static bool is_whole(uint64_t bit, unsigned size)
{
	return !(bit & 7) && size >= 8 && !(size & (size - 1));
}

/* The bits FROM up to TO of a byte, counted as BIG_ENDIAN says. */
static unsigned byte_mask(unsigned from, unsigned to, bool big_endian)
{
	return 0xff &
	       (big_endian ? 0xff >> from & 0xff << (8 - to) : 0xff << from & 0xff >> (8 - to));
}

uint64_t bits_get(const uint8_t *p, uint64_t bit, unsigned size, bool big_endian)
{
	int begin = bit & 7, end = begin + (int)size;
	uint64_t v = 0;

	p += bit >> 3;
	if (is_whole(bit, size))
		return field_load(p, size / 8, big_endian != host_big);
	for (int at = 0; at < end; at += 8) {
		/* Left shift of the byte in the number; below 0: right. */
		int up = big_endian ? end - at - 8 : at - begin;
		uint64_t byte = *p++ &
				byte_mask(at ? 0 : begin, end - at < 8 ? end - at : 8, big_endian);

		v |= up >= 0 ? byte << up : byte >> -up;
	}
	return v;
}

void bits_put(uint8_t *p, uint64_t bit, unsigned size, bool big_endian, uint64_t v)
{
	int begin = bit & 7, end = begin + (int)size;

	p += bit >> 3;
	if (is_whole(bit, size)) {
		field_store(p, size / 8, big_endian != host_big, v);
		return;
	}
	for (int at = 0; at < end; at += 8, p++) {
		int down = big_endian ? end - at - 8 : at - begin;
		unsigned mask = byte_mask(at ? 0 : begin, end - at < 8 ? end - at : 8, big_endian);

		*p = (*p & ~mask) | ((down >= 0 ? v >> down : v << -down) & mask);
	}
}

static uint64_t round_up(uint64_t v, unsigned to)
{
	return (v + to - 1) & ~(uint64_t)(to - 1);
}

/* Alignment in bytes of a dynamic item's data. */
static unsigned data_align(const struct desc_item *it)
{
	return it->align > 8 ? it->align / 8 : 1;
}

/* Write N items of F's kind at P to OUT from BIT on. */
static void put_items(const struct desc_item *it, const struct field *f, const uint8_t *p,
		      uint64_t n, uint8_t *out, uint64_t bit, bool big_endian)
{
	bool as_they_are = f->elem == 1 || (host_big != f->swap) == big_endian;

	if (!n)
		return;
	if (as_they_are && it->size == f->elem * 8u && !(bit & 7)) {
		memcpy(out + bit / 8, p, n * f->elem);
		return;
	}
	for (; n; n--, p += f->elem, bit += it->size)
		bits_put(out, bit, it->size, big_endian, field_load(p, f->elem, f->swap));
}

size_t descpack_pack(const struct desc *d, bool big_endian, const uint8_t *open, uint32_t len,
		     uint8_t *out, size_t size)
{
	const struct event rec = { .data = open, .size = len };
	uint64_t end = d->bits / 8;

	if (!end || end > size)
		return 0;
	memset(out, 0, end);
	for (unsigned i = 0; i < d->n; i++) {
		const struct desc_item *it = &d->items[i];
		const struct field *f = &d->fields[i];
		struct span s = { .len = 0 };
		uint64_t n, at = d->bits / 8, bytes;

		if (it->kind == DESC_ABSENT)
			continue;
		/* A short record may end before the locator. */
		if (f->kind != FIELD_NONE && f->off <= len &&
		    (f->loc == FIELD_AT || f->size <= len - f->off))
			field_span(f, &rec, &s);
		n = f->elem ? s.len / f->elem : 0;
		if (it->kind != DESC_DYNAMIC) {
			uint32_t most = it->kind == DESC_ARRAY ? it->count : 1;

			put_items(it, f, s.p, n < most ? n : most, out, it->bit, big_endian);
			continue;
		}
		bytes = (n * it->size + 7) / 8;
		if (n) {
			at = round_up(end, data_align(it));
			if (at > LOC_MAX || bytes > LOC_MAX || at + bytes > size)
				return 0;
			memset(out + end, 0, at + bytes - end);
			end = at + bytes;
		}
		bits_put(out, it->bit, 32, big_endian, at | bytes << 16);
		put_items(it, f, s.p, n, out, at * 8, big_endian);
	}
	return end;
}

size_t descpack_room(const struct desc *d, uint32_t len)
{
	size_t room = d->bits / 8, most = 2 * LOC_MAX;

	/* The data of each may be the entire record. */
	for (unsigned i = 0; i < d->n; i++)
		if (d->items[i].kind == DESC_DYNAMIC)
			room += (len < LOC_MAX ? len : LOC_MAX) + data_align(&d->items[i]);
	return room < most ? room : most;
}

/* The N items from BIT of P on, each into F->elem bytes at OUT, extended by its sign. */
static void get_items(const struct desc_item *it, const struct field *f, const uint8_t *p,
		      uint64_t bit, uint64_t n, uint8_t *out, bool big_endian)
{
	uint64_t sign = it->is_signed ? 1ull << (it->size - 1) : 0;

	if (it->size == f->elem * 8u && !(bit & 7) && (f->elem == 1 || big_endian == host_big)) {
		memcpy(out, p + bit / 8, n * f->elem);
		return;
	}
	for (; n; n--, out += f->elem, bit += it->size)
		field_store(out, f->elem, false,
			    (bits_get(p, bit, it->size, big_endian) ^ sign) - sign);
}

/* Room for ADD bytes after the *LEN of *OUT, aligned to ALIGN; padding is 0. */
static uint64_t make_room(uint8_t **out, size_t *cap, uint32_t *len, uint64_t add, unsigned align)
{
	uint64_t at = round_up(*len, align);

	*out = mem_grow(*out, cap, at + add + 1, 1);
	memset(*out + *len, 0, at + add - *len);
	*len = at + add;
	return at;
}

int descpack_open(const struct desc *d, bool big_endian, const uint8_t *p, size_t len,
		  uint8_t **out, size_t *cap, uint32_t *open_len, struct err *e)
{
	size_t fixed = d->bits / 8;

	*open_len = 0;
	if (len < fixed)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "a record of %zu byte%s, its description asks for %zu", len,
			       plural(len), fixed);
	make_room(out, cap, open_len, d->fixed, 1);
	for (unsigned i = 0; i < d->n; i++) {
		const struct desc_item *it = &d->items[i];
		const struct field *f = &d->fields[i];
		uint64_t word, off, bytes, n, at = d->fixed;

		if (it->kind == DESC_ABSENT)
			continue;
		if (it->kind != DESC_DYNAMIC) {
			n = it->kind == DESC_ARRAY ? it->count : 1;
			get_items(it, f, p, it->bit, n, *out + f->off, big_endian);
			continue;
		}
		word = bits_get(p, it->bit, 32, big_endian);
		off = word & LOC_MAX;
		bytes = word >> 16;
		if (off + bytes > len || (bytes && off < fixed))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "'%.60s' is said to be %u byte%s at %u of a record of %zu",
				       it->name, (unsigned)bytes, plural(bytes), (unsigned)off,
				       len);
		n = bytes * 8 / it->size;
		if (n) {
			/*
			 * Each copy of shared data is bounded, as offset and length must fit into a
			 * word.
			 */
			at = round_up(*open_len, f->elem);
			if (at > LOC_MAX || n * f->elem > LOC_MAX)
				return err_set(e, ERR_FORMAT, ERR_NO_OFF,
					       "'%.60s' is too long to be opened: %u item%s at %u",
					       it->name, (unsigned)n, plural(n), (unsigned)at);
			make_room(out, cap, open_len, n * f->elem, f->elem);
			get_items(it, f, p, off * 8, n, *out + at, big_endian);
		}
		field_store(*out + f->off, 4, false, at | n * f->elem << 16);
	}
	return 0;
}
