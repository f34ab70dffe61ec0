// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * column_page: packs bodies to pages, and describes a chunk of them.
 */
#include "base/parquet/column_page.h"

#include "base/parquet/encoding.h"

/* parquet.thrift */
#define PAGE_DATA 0
#define PAGE_DICTIONARY 2
#define HEAD_TYPE 1
#define HEAD_UNPACKED 2
#define HEAD_PACKED 3
#define HEAD_DATA 5
#define HEAD_DICTIONARY 7
#define DATA_VALUES 1
#define DATA_ENCODING 2
#define DATA_DEFINITION 3
#define DATA_REPETITION 4
#define CHUNK_OFFSET 2
#define CHUNK_META 3
#define META_TYPE 1
#define META_ENCODINGS 2
#define META_PATH 3
#define META_CODEC 4
#define META_VALUES 5
#define META_UNPACKED 6
#define META_PACKED 7
#define META_DATA 9
#define META_DICTIONARY 11
#define META_STATISTICS 12
#define STATISTICS_NULLS 3
#define STATISTICS_MAX 5
#define STATISTICS_MIN 6
#define CODEC_NUMBER_ZSTD 6

/* The body, packed; a failure leaves nothing that could be read as values. */
static void pack(struct column_tools *with)
{
	size_t room = packer_bound(with->packer, with->body.len);
	struct err e;
	int64_t n;

	with->packed.len = 0;
	out_room(&with->packed, room);
	n = packer_block(with->packer, (const uint8_t *)with->body.p, with->body.len,
			 (uint8_t *)with->packed.p, room, &e);
	/* With room for the maximum size, only allocation can fail. */
	mem_check(n < 0 ? NULL : with);
	with->packed.len = (size_t)n;
}

static void head(struct thrift *t, struct outbuf *out, const struct column_tools *with, int type)
{
	thrift_begin(t, out);
	thrift_i32(t, HEAD_TYPE, type);
	thrift_i32(t, HEAD_UNPACKED, (int32_t)with->body.len);
	thrift_i32(t, HEAD_PACKED, (int32_t)with->packed.len);
}

static uint64_t put(struct outbuf *out, struct thrift *t, size_t from,
		    const struct column_tools *with)
{
	size_t len;

	thrift_end(t);
	thrift_end(t);
	len = out->len - from;
	out_bytes(out, with->packed.p, with->packed.len);
	return len + with->body.len;
}

uint64_t page_data(struct outbuf *out, struct column_tools *with, size_t n,
		   enum page_encoding encoding)
{
	size_t from = out->len;
	struct thrift t;

	pack(with);
	head(&t, out, with, PAGE_DATA);
	thrift_struct(&t, HEAD_DATA);
	thrift_i32(&t, DATA_VALUES, (int32_t)n);
	thrift_i32(&t, DATA_ENCODING, encoding);
	thrift_i32(&t, DATA_DEFINITION, ENCODING_RLE);
	thrift_i32(&t, DATA_REPETITION, ENCODING_RLE);
	return put(out, &t, from, with);
}

uint64_t page_dictionary(struct outbuf *out, struct column_tools *with, const struct dictionary *d,
			 unsigned size)
{
	size_t from = out->len;
	struct thrift t;

	with->body.len = 0;
	if (size)
		encoding_plain(&with->body, d->numbers, d->n, size);
	else if (d->plain.len)
		out_bytes(&with->body, d->plain.p, d->plain.len);
	pack(with);
	head(&t, out, with, PAGE_DICTIONARY);
	thrift_struct(&t, HEAD_DICTIONARY);
	thrift_i32(&t, DATA_VALUES, (int32_t)d->n);
	thrift_i32(&t, DATA_ENCODING, ENCODING_PLAIN);
	return put(out, &t, from, with);
}

static void encodings(struct thrift *t, uint32_t used)
{
	static const enum page_encoding ALL[] = { ENCODING_PLAIN, ENCODING_RLE, ENCODING_DELTA,
						  ENCODING_DICTIONARY };
	size_t n = 0;

	used |= 1u << ENCODING_RLE; /* levels */
	if (used & 1u << ENCODING_DICTIONARY)
		used |= 1u << ENCODING_PLAIN; /* its own page */
	for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++)
		n += used >> ALL[i] & 1;
	thrift_list(t, META_ENCODINGS, THRIFT_I32, n);
	for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++)
		if (used >> ALL[i] & 1)
			thrift_element_i32(t, ALL[i]);
}

static void statistics(struct thrift *t, const struct column_bounds *b, bool list)
{
	thrift_struct(t, META_STATISTICS);
	if (!list)
		thrift_i64(t, STATISTICS_NULLS, (int64_t)b->nulls);
	if (b->known && !list) {
		thrift_bytes(t, STATISTICS_MAX, b->max, b->max_len);
		thrift_bytes(t, STATISTICS_MIN, b->min, b->min_len);
	}
	thrift_end(t);
}

void page_chunk_meta(struct thrift *t, const struct page_chunk *c, const struct column_bounds *b)
{
	thrift_element(t);
	thrift_i64(t, CHUNK_OFFSET, 0);
	thrift_struct(t, CHUNK_META);
	thrift_i32(t, META_TYPE, (int32_t)c->physical);
	encodings(t, c->used);
	parquet_path(t, META_PATH, c->what);
	thrift_i32(t, META_CODEC, CODEC_NUMBER_ZSTD);
	thrift_i64(t, META_VALUES, (int64_t)c->total);
	thrift_i64(t, META_UNPACKED, (int64_t)c->unpacked);
	thrift_i64(t, META_PACKED, (int64_t)c->packed);
	thrift_i64(t, META_DATA, (int64_t)c->first);
	if (c->used & 1u << ENCODING_DICTIONARY)
		thrift_i64(t, META_DICTIONARY, (int64_t)c->begin);
	statistics(t, b, c->what->list);
	thrift_end(t);
	thrift_end(t);
}
