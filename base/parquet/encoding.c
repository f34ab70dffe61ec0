// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * encoding: encodes numbers: RLE and bit-packing, deltas, plain.
 */
#include "base/parquet/encoding.h"

#include "base/parquet/thrift.h"

#define GROUP 8	  /* numbers are bit-packed eight at a time */
#define GROUPS 63 /* of one run at most: its head is one byte then */
#define BLOCK 128 /* DELTA_BINARY_PACKED: numbers of a block, ... */
#define MINIS 4	  /* ... which has so many parts ... */
#define MINI 32	  /* ... of so many */

/* ---- runs and bits ---- */

void encoding_run(struct outbuf *o, uint32_t v, size_t n, unsigned width)
{
	uint32_t le = encoding_le32(v);

	thrift_varint(o, (uint64_t)n << 1);
	out_bytes(o, (const char *)&le, (width + 7) / 8);
}

/* Eight numbers as WIDTH bytes; fewer are padded with zeros. */
static char *pack_group(char *to, const uint32_t *v, size_t n, unsigned width)
{
	unsigned bits = 0;
	uint64_t acc = 0;

	for (size_t i = 0; i < GROUP; i++) {
		acc |= (uint64_t)(i < n ? v[i] : 0) << bits;
		bits += width;
		if (bits >= 32) {
			uint32_t le = encoding_le32((uint32_t)acc);

			memcpy(to, &le, 4);
			to += 4;
			acc >>= 32;
			bits -= 32;
		}
	}
	for (; bits; bits -= 8, acc >>= 8)
		*to++ = (char)acc;
	return to;
}

static size_t run_at(const uint32_t *v, size_t n)
{
	size_t i = 1;

	while (i < n && v[i] == v[0])
		i++;
	return i;
}

void encoding_hybrid(struct outbuf *o, const uint32_t *v, size_t n, unsigned width)
{
	/* A run of one number costs about three bytes; this many numbers packed cost four. */
	size_t least = width >= 4 ? GROUP : width ? 32 / width : 1;
	size_t i = 0;

	while (i < n) {
		size_t run = run_at(v + i, n - i), groups = 0, head;

		if (run >= least || run == n - i) {
			encoding_run(o, v[i], run, width);
			i += run;
			continue;
		}
		head = o->len;
		out_room(o, 1 + (size_t)GROUPS * width + 4);
		o->len++;
		do {
			size_t take = n - i < GROUP ? n - i : GROUP;
			char *end = pack_group(o->p + o->len, v + i, take, width);

			o->len = (size_t)(end - o->p);
			i += take;
			groups++;
		} while (groups < GROUPS && i < n &&
			 run_at(v + i, n - i < least ? n - i : least) < least);
		o->p[head] = (char)(groups << 1 | 1);
	}
}

/* ---- differences ---- */

static char *pack_mini(char *to, const uint64_t *v, unsigned width)
{
	unsigned bits = 0;
	uint64_t acc = 0, le;

	for (size_t i = 0; width && i < MINI; i++) {
		acc |= v[i] << bits;
		if (bits + width < 64) {
			bits += width;
			continue;
		}
		le = encoding_le64(acc);
		memcpy(to, &le, 8);
		to += 8;
		acc = bits ? v[i] >> (64 - bits) : 0;
		bits = bits + width - 64;
	}
	/* Four bytes per bit of width: the result is whole 32-bit words. */
	for (; bits; bits -= 8, acc >>= 8)
		*to++ = (char)acc;
	return to;
}

/* The N (1 to BLOCK) differences at D, which are changed; D has room for BLOCK. */
static void delta_block(struct outbuf *o, uint64_t *d, size_t n)
{
	int64_t min = INT64_MAX;
	char *widths, *to;

	for (size_t i = 0; i < n; i++)
		min = (int64_t)d[i] < min ? (int64_t)d[i] : min;
	for (size_t i = 0; i < n; i++)
		d[i] -= (uint64_t)min;
	for (size_t i = n; i < BLOCK; i++)
		d[i] = 0;
	thrift_zigzag(o, min);
	widths = out_room(o, MINIS + BLOCK * 8);
	to = widths + MINIS;
	for (size_t m = 0; m < MINIS; m++) {
		uint64_t any = 0;

		for (size_t i = 0; i < MINI; i++)
			any |= d[m * MINI + i];
		widths[m] = (char)encoding_width(any);
		to = pack_mini(to, d + m * MINI, encoding_width(any));
	}
	o->len = (size_t)(to - o->p);
}

void encoding_delta(struct outbuf *o, const uint64_t *v, size_t n)
{
	uint64_t d[BLOCK];

	thrift_varint(o, BLOCK);
	thrift_varint(o, MINIS);
	thrift_varint(o, n);
	thrift_zigzag(o, n ? (int64_t)v[0] : 0);
	for (size_t i = 1; i < n; i += BLOCK) {
		size_t k = n - i < BLOCK ? n - i : BLOCK;

		for (size_t j = 0; j < k; j++)
			d[j] = v[i + j] - v[i + j - 1];
		delta_block(o, d, k);
	}
}

void encoding_plain(struct outbuf *o, const uint64_t *v, size_t n, unsigned size)
{
	char *to = out_room(o, n * size);

	o->len += n * size;
	for (size_t i = 0; i < n; i++, to += size) {
		uint64_t le64 = encoding_le64(v[i]);
		uint32_t le32 = encoding_le32((uint32_t)v[i]);

		memcpy(to, size == 8 ? (const void *)&le64 : (const void *)&le32, size);
	}
}
