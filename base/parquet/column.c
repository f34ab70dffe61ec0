// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * column: the values of a column: collects them from rows, and makes the pages of a group.
 */
#include "base/parquet/column.h"

#include "base/parquet/encoding.h"
#include "base/parquet/column_page.h"

#include <stdlib.h>

#define FIRST_VALUES 16
#define LOOK 1024 /* values after which a dictionary is judged */

void column_init(struct column *c, const struct parquet_column *what, bool *grown)
{
	*c = (struct column){
		.what = what,
		.grown = grown,
		.traits = parquet_traits(what->type),
		.no_dict = what->spread,
	};
}

void column_fini(struct column *c)
{
	free(c->values);
	free(c->lens);
	outbuf_fini(&c->plain);
	outbuf_fini(&c->pages);
	dictionary_fini(&c->dict);
}

/* ---- values ---- */

void column_grow(struct column *c, size_t n)
{
	size_t need = c->n + n;

	c->values = mem_grow(c->values, &c->cap, need < FIRST_VALUES ? FIRST_VALUES : need,
			     sizeof(*c->values));
	*c->grown = true;
}

void column_put_len(struct column *c, uint32_t len)
{
	if (c->rows > c->cap_lens) {
		c->lens = mem_grow(c->lens, &c->cap_lens, c->rows, sizeof(*c->lens));
		*c->grown = true;
	}
	c->lens[c->rows - 1] = len;
}

void column_double(struct column *c, double v)
{
	float f = (float)v;
	uint64_t bits = 0;
	uint32_t bits32;

	if (c->traits->size == 8) {
		memcpy(&bits, &v, 8);
	} else {
		memcpy(&bits32, &f, 4);
		bits = bits32;
	}
	column_number(c, bits);
}

void column_null(struct column *c)
{
	c->rows++;
	if (!c->nulls++ && !c->what->list) {
		/* All rows before it have values. */
		c->lens = mem_grow(c->lens, &c->cap_lens, c->rows, sizeof(*c->lens));
		for (uint32_t i = 0; i < c->rows; i++)
			c->lens[i] = 1;
	}
	column_put_len(c, COLUMN_NULL);
}

uint64_t *column_list(struct column *c, uint32_t n)
{
	uint64_t *to;

	if (c->cap - c->n < n)
		column_grow(c, n);
	to = c->values + c->n;
	c->n += n;
	c->rows++;
	column_put_len(c, n);
	return to;
}

static int compare_texts(const void *a, uint32_t alen, const void *b, uint32_t blen)
{
	int d = memcmp(a, b, alen < blen ? alen : blen);

	return d ? d : (alen > blen) - (alen < blen);
}

static void bound_text(struct column *c, const void *p, uint32_t len)
{
	if (len > COLUMN_BOUND) {
		c->unbounded = true;
		return;
	}
	if (!c->bounded || compare_texts(p, len, c->text_min, c->min_len) < 0) {
		memcpy(c->text_min, p, len);
		c->min_len = len;
	}
	if (!c->bounded || compare_texts(p, len, c->text_max, c->max_len) > 0) {
		memcpy(c->text_max, p, len);
		c->max_len = len;
	}
	c->bounded = true;
}

void column_text(struct column *c, const void *p, uint32_t len, struct column_tools *with)
{
	uint32_t at = DICTIONARY_FULL;
	bool is_new = true;

	if (!c->no_dict) {
		at = dictionary_text(&c->dict, p, len, &is_new);
		if (at == DICTIONARY_FULL) {
			column_page(c, with);
			c->no_dict = true;
		}
	}
	if (is_new || at == DICTIONARY_FULL)
		bound_text(c, p, len);
	*c->grown |= is_new;
	if (at == DICTIONARY_FULL) {
		encoding_u32(&c->plain, len);
		out_bytes(&c->plain, p, len);
		c->n++;
		c->rows++;
		if (c->nulls)
			column_put_len(c, 1);
	} else {
		column_number(c, at);
	}
}

/* Their numbers in the dictionary become values.  False: there is no room, and none does. */
static bool number_texts(struct column *c, const char *base, const struct column_item *v,
			 uint32_t n)
{
	bool is_new;

	if (c->cap - c->n < n)
		column_grow(c, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = dictionary_text(&c->dict, base + v[i].at, v[i].len, &is_new);

		if (at == DICTIONARY_FULL)
			return false;
		c->values[c->n + i] = at;
		*c->grown |= is_new;
	}
	return true;
}

void column_texts(struct column *c, const char *base, const struct column_item *v, uint32_t n,
		  struct column_tools *with)
{
	/* A page begins with a row. */
	if (!c->no_dict && !number_texts(c, base, v, n)) {
		column_page(c, with);
		c->no_dict = true;
	}
	for (uint32_t i = 0; c->no_dict && i < n; i++) {
		encoding_u32(&c->plain, v[i].len);
		out_bytes(&c->plain, base + v[i].at, v[i].len);
	}
	c->n += n;
	c->rows++;
	column_put_len(c, n);
}

/* ---- a page ---- */

/* A block of levels, with its length before it. */
static void levels(struct outbuf *o, const uint32_t *v, size_t n, unsigned width, uint32_t all)
{
	size_t at = o->len;
	uint32_t len;

	encoding_u32(o, 0);
	if (v)
		encoding_hybrid(o, v, n, width);
	else
		encoding_run(o, all, n, width);
	len = encoding_le32((uint32_t)(o->len - at - 4));
	memcpy(o->p + at, &len, 4);
}

static uint32_t *index_room(struct column_tools *with, size_t n)
{
	with->index = mem_grow(with->index, &with->cap_index, n, sizeof(*with->index));
	return with->index;
}

/* Lists: repetition 1 continues a list; definition 0 is null, 1 empty, 2 a value. */
static size_t list_levels(const struct column *c, struct column_tools *with)
{
	uint32_t *v = index_room(with, c->n + c->rows);
	bool whole = true;
	size_t n = 0;

	for (uint32_t i = 0; i < c->rows; i++) {
		uint32_t len = c->lens[i] == COLUMN_NULL ? 0 : c->lens[i];

		whole &= len > 0;
		v[n++] = 0;
		for (uint32_t k = 1; k < len; k++)
			v[n++] = 1;
	}
	levels(&with->body, v, n, 1, 0);
	n = 0;
	for (uint32_t i = 0; !whole && i < c->rows; i++) {
		if (c->lens[i] == COLUMN_NULL || !c->lens[i]) {
			v[n++] = c->lens[i] ? 0 : 1;
			continue;
		}
		for (uint32_t k = 0; k < c->lens[i]; k++)
			v[n++] = 2;
	}
	n = whole ? c->n : n;
	levels(&with->body, whole ? NULL : v, n, 2, 2);
	return n;
}

static size_t plain_levels(const struct column *c, struct column_tools *with)
{
	uint32_t *v;

	if (!c->what->optional)
		return c->rows;
	if (!c->nulls || c->nulls == c->rows) {
		levels(&with->body, NULL, c->rows, 1, !c->nulls);
		return c->rows;
	}
	v = index_room(with, c->rows);
	for (uint32_t i = 0; i < c->rows; i++)
		v[i] = c->lens[i] != COLUMN_NULL;
	levels(&with->body, v, c->rows, 1, 0);
	return c->rows;
}

/* Smallest and greatest of the page; true: they are the same. */
static bool bound_numbers(struct column *c)
{
	uint64_t flip = c->traits->is_signed ? 1ull << 63 : 0, min = UINT64_MAX, max = 0;

	if (c->traits->is_float || !c->n)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		uint64_t v = c->values[i] ^ flip;

		min = v < min ? v : min;
		max = v > max ? v : max;
	}
	if (!c->bounded || min < (c->min ^ flip))
		c->min = min ^ flip;
	if (!c->bounded || max > (c->max ^ flip))
		c->max = max ^ flip;
	c->bounded = true;
	return min == max;
}

/* All values are V. */
static bool index_one(struct column *c, uint64_t value, uint32_t *v)
{
	uint32_t at = dictionary_number(&c->dict, value);

	for (size_t i = 0; i < c->n; i++)
		v[i] = at;
	return at != DICTIONARY_FULL;
}

/* False: the values themselves are smaller.  Then the dictionary is unchanged. */
static bool index_numbers(struct column *c, uint32_t *v)
{
	uint32_t before = c->dict.n, at = 0;
	uint64_t last = ~c->values[0];

	for (size_t i = 0; i < c->n; i++) {
		uint64_t value = c->values[i];

		if (value != last)
			at = dictionary_number(&c->dict, value);
		if (at == DICTIONARY_FULL || (i == LOOK && c->dict.n - before > LOOK / 2)) {
			dictionary_cut(&c->dict, before);
			return false;
		}
		last = value;
		v[i] = at;
	}
	if (c->dict.n - before <= c->n / 3 + 1)
		return true;
	dictionary_cut(&c->dict, before);
	return false;
}

static void index_body(const struct column *c, struct outbuf *o, const uint32_t *v)
{
	unsigned width = encoding_width(c->dict.n ? c->dict.n - 1 : 0);

	out_char(o, (char)width);
	encoding_hybrid(o, v, c->n, width);
}

static void sign_extend(struct column *c)
{
	for (size_t i = 0; c->traits->size == 4 && !c->traits->is_signed && i < c->n; i++)
		c->values[i] = (uint64_t)(int64_t)(int32_t)c->values[i];
}

/* Append the values to the page's body; returns their encoding. */
static enum page_encoding values(struct column *c, struct column_tools *with)
{
	struct outbuf *o = &with->body;
	uint32_t *v;
	bool is_one;

	if (!c->n)
		return ENCODING_PLAIN;
	if (!c->traits->size && c->no_dict) {
		if (c->plain.len)
			out_bytes(o, c->plain.p, c->plain.len);
		return ENCODING_PLAIN;
	}
	v = index_room(with, c->n);
	if (!c->traits->size) {
		for (size_t i = 0; i < c->n; i++)
			v[i] = (uint32_t)c->values[i];
		index_body(c, o, v);
		return ENCODING_DICTIONARY;
	}
	is_one = bound_numbers(c);
	if (is_one ? index_one(c, c->values[0], v) : !c->no_dict && index_numbers(c, v)) {
		index_body(c, o, v);
		return ENCODING_DICTIONARY;
	}
	c->no_dict |= c->n > LOOK;
	if (c->traits->is_float) {
		encoding_plain(o, c->values, c->n, c->traits->size);
		return ENCODING_PLAIN;
	}
	sign_extend(c);
	encoding_delta(o, c->values, c->n);
	return ENCODING_DELTA;
}

void column_page(struct column *c, struct column_tools *with)
{
	enum page_encoding encoding;
	size_t n;

	if (!c->rows)
		return;
	with->body.len = 0;
	out_room(&with->body, 1);
	n = c->what->list ? list_levels(c, with) : plain_levels(c, with);
	encoding = values(c, with);
	c->used |= 1u << encoding;
	c->unpacked += page_data(&c->pages, with, n, encoding);
	c->total += n;
	c->total_nulls += c->nulls;
	c->n = c->rows = c->nulls = 0;
	c->plain.len = 0;
	*c->grown = true;
}

/* ---- memory ---- */

size_t column_raw_size(const struct column *c)
{
	return c->cap * sizeof(*c->values) + c->cap_lens * sizeof(*c->lens) + c->plain.cap;
}

size_t column_packed_size(const struct column *c)
{
	return c->pages.cap + dictionary_size(&c->dict);
}

void column_trim(struct column *c)
{
	free(c->values);
	free(c->lens);
	outbuf_fini(&c->plain);
	c->values = NULL;
	c->lens = NULL;
	c->cap = c->cap_lens = 0;
	*c->grown = true;
}

/* ---- the group ---- */

static void bounds(const struct column *c, struct column_bounds *b)
{
	b->nulls = c->total_nulls;
	b->known = c->bounded && !c->unbounded;
	if (!c->traits->size) {
		b->min = c->text_min;
		b->max = c->text_max;
		b->min_len = c->min_len;
		b->max_len = c->max_len;
		return;
	}
	b->numbers[0] = encoding_le64(c->min);
	b->numbers[1] = encoding_le64(c->max);
	b->min = &b->numbers[0];
	b->max = &b->numbers[1];
	b->min_len = b->max_len = c->traits->size;
}

void column_chunk(struct column *c, struct outbuf *out, uint64_t at, struct thrift *t,
		  uint64_t *unpacked, struct column_tools *with)
{
	struct column_bounds b;
	struct page_chunk chunk = {
		.what = c->what,
		.physical = c->traits->physical,
		.used = c->used,
		.total = c->total,
		.begin = at + out->len,
	};

	if (c->used & 1u << ENCODING_DICTIONARY)
		c->unpacked += page_dictionary(out, with, &c->dict, c->traits->size);
	chunk.first = at + out->len;
	if (c->pages.len)
		out_bytes(out, c->pages.p, c->pages.len);
	chunk.packed = at + out->len - chunk.begin;
	chunk.unpacked = c->unpacked;
	bounds(c, &b);
	page_chunk_meta(t, &chunk, &b);
	*unpacked += c->unpacked;
	dictionary_fini(&c->dict);
	outbuf_fini(&c->pages);
	c->unpacked = c->total = c->total_nulls = 0;
	c->no_dict = c->what->spread;
	c->used = 0;
	c->bounded = c->unbounded = false;
	*c->grown = true;
}
