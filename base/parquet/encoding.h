/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_ENCODING_H
#define ZED_BASE_PARQUET_ENCODING_H

#include "base/outbuf.h"

/*
 * Parquet's encodings of numbers (Encodings.md of apache/parquet-format).  Each function appends to
 * O.
 */

/* A word in the file's byte order. */
static inline uint32_t encoding_le32(uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap32(v);
#else
	return v;
#endif
}

static inline uint64_t encoding_le64(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(v);
#else
	return v;
#endif
}

static inline void encoding_u32(struct outbuf *o, uint32_t v)
{
	v = encoding_le32(v);
	out_bytes(o, (const char *)&v, sizeof(v));
}

static inline void encoding_u64(struct outbuf *o, uint64_t v)
{
	v = encoding_le64(v);
	out_bytes(o, (const char *)&v, sizeof(v));
}

/* Bits that V needs: 0 for 0. */
static inline unsigned encoding_width(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/*
 * RLE: N numbers of WIDTH bits (0 to 32), as runs of one number and bit-packed runs, without a
 * length or width in front.
 */
void encoding_hybrid(struct outbuf *o, const uint32_t *v, size_t n, unsigned width);

/* The same for N times V. */
void encoding_run(struct outbuf *o, uint32_t v, size_t n, unsigned width);

/* DELTA_BINARY_PACKED: N numbers; those of 32-bit columns are sign-extended. */
void encoding_delta(struct outbuf *o, const uint64_t *v, size_t n);

/* PLAIN: N numbers of SIZE (4 or 8) bytes. */
void encoding_plain(struct outbuf *o, const uint64_t *v, size_t n, unsigned size);

#endif
