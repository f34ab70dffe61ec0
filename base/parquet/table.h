/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_TABLE_H
#define ZED_BASE_PARQUET_TABLE_H

#include "base/parquet/column.h"

/*
 * Tables as Apache Parquet files (github.com/apache/parquet-format, README.md): row groups of some
 * 100,000 rows with the smallest and the greatest value of each column, pages packed by zstd.
 *
 * Tables belong to a pool, which bounds the memory of all of them: the page with the most values is
 * packed early, and the largest group written early.  So with many tables at once the groups are
 * smaller.
 */
struct parquet_pool;
struct parquet_table;

/* MOST: bytes of memory for all tables.  BEAT counts up with what is written; or NULL; borrowed. */
struct parquet_pool *parquet_pool_new(size_t most, volatile unsigned *beat);

/* All its tables must have been freed. */
void parquet_pool_free(struct parquet_pool *p);

/* Further key-value pairs of the footer, any text.  NULL ends a list of them. */
struct parquet_pair {
	const char *key, *value;
};

/*
 * A table of N columns (at least one) that becomes the file PATH.  COLUMNS and PAIRS are borrowed.
 * Nothing is written before the first row, or parquet_table_finish().
 */
struct parquet_table *parquet_table_new(struct parquet_pool *p, const char *path,
					const struct parquet_column *columns, unsigned n,
					const struct parquet_pair *pairs);

/* Where the values of a row go, one for each column; and what column_text() asks for. */
struct column *parquet_table_columns(struct parquet_table *t);
struct column_tools *parquet_table_tools(struct parquet_table *t);

uint64_t parquet_table_rows(const struct parquet_table *t);

/* The row is complete: each column has its value.  Any table of the pool may be written. */
int parquet_table_row(struct parquet_table *t, struct err *e);

/* Write the rest.  No more rows may be added. */
int parquet_table_finish(struct parquet_table *t, struct err *e);

/* Rename the finished file to its path. */
int parquet_table_name(struct parquet_table *t, struct err *e);

/* Free T; a file that was not renamed is removed. */
void parquet_table_free(struct parquet_table *t);

#endif
