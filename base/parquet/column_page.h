/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_COLUMN_PAGE_H
#define ZED_BASE_PARQUET_COLUMN_PAGE_H

#include "base/parquet/column.h"

/*
 * Pages with their headers, and the footer's description of a column's chunk (parquet.thrift:
 * PageHeader, ColumnChunk).
 */
enum page_encoding {
	ENCODING_PLAIN = 0,
	ENCODING_RLE = 3,
	ENCODING_DELTA = 5,
	ENCODING_DICTIONARY = 8
};

/* Append a data page (v1) of N values, whose body is WITH's, to OUT.  Returns its size unpacked. */
uint64_t page_data(struct outbuf *out, struct column_tools *with, size_t n,
		   enum page_encoding encoding);

/* The same for a dictionary: its values are numbers of SIZE bytes, or texts (SIZE 0). */
uint64_t page_dictionary(struct outbuf *out, struct column_tools *with, const struct dictionary *d,
			 unsigned size);

/* Smallest and greatest value, in the form used by statistics. */
struct column_bounds {
	bool known;
	const void *min, *max;
	uint32_t min_len, max_len;
	uint64_t nulls;
	uint64_t numbers[2];
};

struct page_chunk {
	const struct parquet_column *what;
	enum parquet_physical physical;
	uint32_t used;	       /* encodings of its data pages, a bit for each */
	uint64_t total;	       /* levels */
	uint64_t begin, first; /* in the file: of the chunk, and its first data page */
	uint64_t packed, unpacked;
};

/* Write the ColumnChunk as an element of T's list. */
void page_chunk_meta(struct thrift *t, const struct page_chunk *c, const struct column_bounds *b);

#endif
