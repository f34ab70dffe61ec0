/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_COLUMN_H
#define ZED_BASE_PARQUET_COLUMN_H

#include "base/pack/codec.h"
#include "base/parquet/dictionary.h"
#include "base/parquet/schema.h"

/*
 * One column of a row group: values are collected into pages, which are kept packed until the group
 * is written.
 */
#define COLUMN_BOUND 64 /* maximum bytes of a text in statistics */

/* Shared by the columns of all tables while a page is made. */
struct column_tools {
	struct packer *packer;
	struct outbuf body, packed;
	uint32_t *index; /* of one page's values */
	size_t cap_index;
};

/*
 * The state of one column between rows and file.  Many members, as each step (value, page, group)
 * needs most of them.
 */
struct column {
	const struct parquet_column *what; /* borrowed */
	const struct parquet_traits *traits;
	/* The page that is being filled. */
	uint64_t *values; /* numbers; of texts the numbers in the dictionary */
	size_t n, cap;
	uint32_t rows;
	uint32_t nulls; /* of these rows */
	uint32_t *lens; /* lists: of each row; COLUMN_NULL.  Others: where one is null */
	size_t cap_lens;
	struct outbuf plain; /* texts that do not fit the dictionary */
	/* The pages of the group. */
	struct outbuf pages;
	uint64_t unpacked;    /* bytes of the pages and their headers, unpacked */
	uint64_t total;	      /* values and nulls in them: levels */
	uint64_t total_nulls; /* rows */
	struct dictionary dict;
	bool no_dict;		 /* no further page uses it */
	uint32_t used;		 /* encodings of the pages, a bit for each */
	bool *grown;		 /* set when memory may have changed; borrowed */
	bool bounded, unbounded; /* min and max are known; cannot be known */
	uint64_t min, max;
	uint8_t text_min[COLUMN_BOUND], text_max[COLUMN_BOUND];
	uint32_t min_len, max_len;
};

#define COLUMN_NULL UINT32_MAX

/* Set C up as WHAT; WHAT and GROWN are borrowed. */
void column_init(struct column *c, const struct parquet_column *what, bool *grown);
void column_fini(struct column *c);

/* The slow paths of the functions below. */
void column_grow(struct column *c, size_t n);
void column_put_len(struct column *c, uint32_t len);

/* The value of one row of a column of numbers: zero-extended if unsigned, else sign-extended. */
static inline void column_number(struct column *c, uint64_t v)
{
	if (c->n == c->cap)
		column_grow(c, 1);
	c->values[c->n++] = v;
	c->rows++;
	if (c->nulls)
		column_put_len(c, 1);
}

void column_double(struct column *c, double v);

/* Of a column of texts or bytes: LEN bytes at P.  Texts are UTF-8 (column_text() does not look). */
void column_text(struct column *c, const void *p, uint32_t len, struct column_tools *with);

void column_null(struct column *c);

/* A row of a list: where its N numbers go, until the next call. */
uint64_t *column_list(struct column *c, uint32_t n);

/* One of several texts: LEN bytes at AT of what they are in. */
struct column_item {
	size_t at;
	uint32_t len;
};

/* A row of a list of texts, which are UTF-8: N of them, in BASE. */
void column_texts(struct column *c, const char *base, const struct column_item *v, uint32_t n,
		  struct column_tools *with);

/* End the page, if it has rows. */
void column_page(struct column *c, struct column_tools *with);

/* Bytes of memory: of the page that is being filled, and of all else. */
size_t column_raw_size(const struct column *c);
size_t column_packed_size(const struct column *c);

/* Free the memory of the page, which has no rows. */
void column_trim(struct column *c);

/*
 * Append the chunk to OUT, the group's pages, whose first byte is at AT in the file, and its
 * ColumnChunk as an element of T's list; adds to *UNPACKED.  All pages must have ended.  The column
 * is then empty, for the next group.
 */
void column_chunk(struct column *c, struct outbuf *out, uint64_t at, struct thrift *t,
		  uint64_t *unpacked, struct column_tools *with);

#endif
