// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table: rows become pages, pages groups, groups a file with its footer; and a pool of tables stays
 * within its memory.
 */
#include "base/parquet/table.h"

#include "base/parquet/table_file.h"
#include "base/parquet/encoding.h"

#include <stdlib.h>

/* parquet.thrift: FileMetaData, RowGroup, KeyValue, ColumnOrder */
#define MAGIC "PAR1"
#define FILE_VERSION 1
#define FILE_SCHEMA 2
#define FILE_ROWS 3
#define FILE_GROUPS 4
#define FILE_PAIRS 5
#define FILE_CREATED_BY 6
#define FILE_ORDERS 7
#define GROUP_COLUMNS 1
#define GROUP_UNPACKED 2
#define GROUP_ROWS 3
#define GROUP_OFFSET 5
#define GROUP_PACKED 6
#define ORDER_BY_TYPE 1

#define PAGE_ROWS_MOST 16384
#define PAGE_BYTES_MOST (8u << 20) /* of all columns */
#define GROUP_ROWS_MOST 131072
#define WRITE_AT (256u << 10)
#define META_MOST (64u << 10) /* bytes of a footer in memory; the rest waits in the file, ... */
#define META_TIGHT 2048	      /* ... where memory is short */
#define ZSTD_LEVEL 1	      /* higher levels gain little on encoded data */

/* A part of the footer that waits in the file. */
struct column_extent {
	uint64_t off;
	uint32_t len;
};

struct parquet_table {
	struct parquet_pool *pool;
	size_t place; /* in the pool's list */
	struct parquet_file file;
	const struct parquet_column *what;
	const struct parquet_pair *pairs;
	struct column *columns;
	unsigned n;
	uint32_t page_rows;
	uint64_t group_rows, rows;
	size_t raw, packed; /* memory: of unfinished pages, and of the rest */
	bool grown;	    /* it may be more */
	struct outbuf meta; /* RowGroups of the footer: those after the extents */
	struct column_extent *extents;
	size_t nextents, cap_extents;
	uint64_t ngroups;
};

struct parquet_pool {
	size_t most, used;
	struct parquet_table **tables;
	size_t n, cap;
	struct column_tools tools;
	struct outbuf out;
	volatile unsigned *beat;
};

struct parquet_pool *parquet_pool_new(size_t most, volatile unsigned *beat)
{
	struct parquet_pool *p = mem_zalloc(sizeof(*p));

	p->most = most;
	p->beat = beat;
	p->tools.packer = packer_new(CODEC_ZSTD);
	packer_level(p->tools.packer, ZSTD_LEVEL);
	packer_sized(p->tools.packer);
	return p;
}

void parquet_pool_free(struct parquet_pool *p)
{
	if (!p)
		return;
	packer_free(p->tools.packer);
	outbuf_fini(&p->tools.body);
	outbuf_fini(&p->tools.packed);
	outbuf_fini(&p->out);
	free(p->tools.index);
	free(p->tables);
	free(p);
}

struct parquet_table *parquet_table_new(struct parquet_pool *p, const char *path,
					const struct parquet_column *columns, unsigned n,
					const struct parquet_pair *pairs)
{
	struct parquet_table *t = mem_zalloc(sizeof(*t));

	t->pool = p;
	t->what = columns;
	t->pairs = pairs;
	t->n = n;
	t->columns = mem_alloc(n * sizeof(*t->columns));
	for (unsigned i = 0; i < n; i++)
		column_init(&t->columns[i], &columns[i], &t->grown);
	file_init(&t->file, path);
	p->tables = mem_grow(p->tables, &p->cap, p->n + 1, sizeof(*p->tables));
	t->place = p->n;
	p->tables[p->n++] = t;
	return t;
}

struct column *parquet_table_columns(struct parquet_table *t)
{
	return t->columns;
}

struct column_tools *parquet_table_tools(struct parquet_table *t)
{
	return &t->pool->tools;
}

uint64_t parquet_table_rows(const struct parquet_table *t)
{
	return t->rows;
}

/* ---- memory ---- */

static void recount(struct parquet_table *t)
{
	struct parquet_pool *p = t->pool;

	p->used -= t->raw + t->packed;
	t->raw = 0;
	t->packed = t->meta.cap;
	for (unsigned i = 0; i < t->n; i++) {
		t->raw += column_raw_size(&t->columns[i]);
		t->packed += column_packed_size(&t->columns[i]);
	}
	p->used += t->raw + t->packed;
	t->grown = false;
}

static void end_page(struct parquet_table *t, bool tight)
{
	for (unsigned i = 0; i < t->n; i++) {
		column_page(&t->columns[i], &t->pool->tools);
		if (tight)
			column_trim(&t->columns[i]);
	}
	t->page_rows = 0;
	if (t->pool->beat)
		++*t->pool->beat;
}

/* ---- what is written ---- */

static int flush(struct parquet_table *t, size_t most, struct err *e)
{
	struct outbuf *out = &t->pool->out;

	if (out->len <= most)
		return 0;
	TRY(file_put(&t->file, out->p, out->len, e));
	out->len = 0;
	return 0;
}

/* Write the known part of the footer to the file. */
static int put_meta_aside(struct parquet_table *t, struct err *e)
{
	TRY(flush(t, 0, e));
	t->extents = mem_grow(t->extents, &t->cap_extents, t->nextents + 1, sizeof(*t->extents));
	t->extents[t->nextents++] = (struct column_extent){ t->file.size, (uint32_t)t->meta.len };
	TRY(file_put(&t->file, t->meta.p, t->meta.len, e));
	outbuf_fini(&t->meta);
	return 0;
}

static uint64_t position(const struct parquet_table *t)
{
	return t->file.size + t->pool->out.len;
}

static void put_magic(struct parquet_table *t)
{
	if (!position(t))
		out_bytes(&t->pool->out, MAGIC, 4);
}

/* While the file is open: write the rows so far as a group. */
static int write_group(struct parquet_table *t, bool tight, struct err *e)
{
	struct outbuf *out = &t->pool->out;
	uint64_t unpacked = 0, begin;
	struct thrift m;

	end_page(t, tight);
	put_magic(t);
	begin = position(t);
	thrift_begin(&m, &t->meta);
	thrift_list(&m, GROUP_COLUMNS, THRIFT_STRUCT, t->n);
	for (unsigned i = 0; i < t->n; i++) {
		column_chunk(&t->columns[i], out, t->file.size, &m, &unpacked, &t->pool->tools);
		TRY(flush(t, WRITE_AT, e));
	}
	thrift_i64(&m, GROUP_UNPACKED, (int64_t)unpacked);
	thrift_i64(&m, GROUP_ROWS, (int64_t)t->group_rows);
	thrift_i64(&m, GROUP_OFFSET, (int64_t)begin);
	thrift_i64(&m, GROUP_PACKED, (int64_t)(position(t) - begin));
	thrift_end(&m);
	t->group_rows = 0;
	t->ngroups++;
	return t->meta.len > (tight ? META_TIGHT : META_MOST) ? put_meta_aside(t, e) : 0;
}

/* Open the file, call WRITE, close; a failure leaves nothing to be written to another table. */
static int sit(struct parquet_table *t,
	       int (*write)(struct parquet_table *t, bool tight, struct err *e), bool tight,
	       struct err *e)
{
	int rc;

	TRY(file_open(&t->file, e));
	rc = write(t, tight, e);
	if (rc == 0)
		rc = flush(t, 0, e);
	t->pool->out.len = 0;
	TRY(rc);
	recount(t);
	return file_close(&t->file, e);
}

/* If unfinished pages take most of the memory, pack the largest; else write the largest group. */
static int relieve(struct parquet_pool *p, struct err *e)
{
	while (p->used > p->most / 4 * 3) {
		struct parquet_table *raw = p->tables[0], *packed = raw;
		size_t waiting = 0;

		for (size_t i = 0; i < p->n; i++) {
			struct parquet_table *t = p->tables[i];

			waiting += t->raw;
			raw = t->raw > raw->raw ? t : raw;
			packed = t->group_rows && (!packed->group_rows ||
						   t->packed > packed->packed) ?
					 t :
					 packed;
		}
		if (waiting > p->most / 2) {
			end_page(raw, true);
			recount(raw);
		} else if (packed->group_rows) {
			TRY(sit(packed, write_group, true, e));
		} else {
			return 0;
		}
	}
	return 0;
}

int parquet_table_row(struct parquet_table *t, struct err *e)
{
	t->rows++;
	t->group_rows++;
	if (++t->page_rows == PAGE_ROWS_MOST) {
		end_page(t, false);
		if (t->group_rows >= GROUP_ROWS_MOST)
			TRY(sit(t, write_group, false, e));
	}
	if (t->grown) {
		recount(t);
		if (t->raw > PAGE_BYTES_MOST) {
			end_page(t, true);
			recount(t);
		}
		if (t->pool->used > t->pool->most)
			return relieve(t->pool, e);
	}
	return 0;
}

/* ---- the footer ---- */

static int copy_extents(struct parquet_table *t, struct err *e)
{
	struct outbuf *out = &t->pool->out;

	for (size_t i = 0; i < t->nextents; i++) {
		struct column_extent x = t->extents[i];

		while (x.len) {
			uint32_t n = x.len < WRITE_AT ? x.len : WRITE_AT;

			TRY(file_get(&t->file, out_room(out, n), n, x.off, e));
			out->len += n;
			x.off += n;
			x.len -= n;
			TRY(flush(t, WRITE_AT, e));
		}
	}
	return 0;
}

static void put_pairs(struct thrift *f, const struct parquet_pair *pairs)
{
	size_t n = 0;

	while (pairs[n].key)
		n++;
	thrift_list(f, FILE_PAIRS, THRIFT_STRUCT, n);
	for (size_t i = 0; i < n; i++) {
		thrift_element(f);
		thrift_str(f, 1, pairs[i].key);
		thrift_str(f, 2, pairs[i].value);
		thrift_end(f);
	}
}

static int write_footer(struct parquet_table *t, struct err *e)
{
	struct outbuf *out = &t->pool->out;
	uint64_t begin = position(t);
	struct thrift f;

	thrift_begin(&f, out);
	thrift_i32(&f, FILE_VERSION, 2);
	parquet_schema(&f, FILE_SCHEMA, t->what, t->n);
	thrift_i64(&f, FILE_ROWS, (int64_t)t->rows);
	thrift_list(&f, FILE_GROUPS, THRIFT_STRUCT, t->ngroups);
	TRY(copy_extents(t, e));
	if (t->meta.len)
		out_bytes(out, t->meta.p, t->meta.len);
	if (t->pairs)
		put_pairs(&f, t->pairs);
	thrift_str(&f, FILE_CREATED_BY, "zedperl version 0.1");
	thrift_list(&f, FILE_ORDERS, THRIFT_STRUCT, t->n);
	for (unsigned i = 0; i < t->n; i++) {
		thrift_element(&f);
		thrift_struct(&f, ORDER_BY_TYPE);
		thrift_end(&f);
		thrift_end(&f);
	}
	thrift_end(&f);
	if (position(t) - begin > INT32_MAX) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "the footer would exceed 2 GiB");
		return err_path(e, t->file.path);
	}
	encoding_u32(out, (uint32_t)(position(t) - begin));
	out_bytes(out, MAGIC, 4);
	return 0;
}

static int write_rest(struct parquet_table *t, bool tight, struct err *e)
{
	put_magic(t);
	if (t->group_rows)
		TRY(write_group(t, tight, e));
	return write_footer(t, e);
}

int parquet_table_finish(struct parquet_table *t, struct err *e)
{
	TRY(sit(t, write_rest, false, e));
	for (unsigned i = 0; i < t->n; i++)
		column_fini(&t->columns[i]);
	t->n = 0;
	outbuf_fini(&t->meta);
	recount(t);
	return 0;
}

int parquet_table_name(struct parquet_table *t, struct err *e)
{
	return file_name(&t->file, e);
}

void parquet_table_free(struct parquet_table *t)
{
	struct parquet_pool *p;

	if (!t)
		return;
	p = t->pool;
	p->used -= t->raw + t->packed;
	p->tables[t->place] = p->tables[--p->n];
	p->tables[t->place]->place = t->place;
	for (unsigned i = 0; i < t->n; i++)
		column_fini(&t->columns[i]);
	file_fini(&t->file);
	outbuf_fini(&t->meta);
	free(t->columns);
	free(t->extents);
	free(t);
}
