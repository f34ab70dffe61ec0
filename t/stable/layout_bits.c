// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_bits: bits and records of random descriptions against a slow writer that follows the text
 * of stable/layout.h bit by bit, and records of random bytes.  Without it a width or a place
 * that the worked examples do not have could be read wrong, and a locator that points outside be
 * followed.
 *
 * of: stable
 */
#include "trace/field.h"
#include "base/mem.h"
#include "stable/pack.h"
#include "t/lib/c/desctry.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

static uint64_t seed = 20101111;

static uint64_t rnd(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 24) % below;
}

static uint64_t rnd64(void)
{
	return rnd(1ull << 32) << 32 | rnd(1ull << 32);
}

/* A copy that ends with its block, so that a sanitizer sees one byte too many. */
static void *exact(const void *p, size_t len)
{
	void *copy = malloc(len ? len : 1);

	if (len)
		memcpy(copy, p, len);
	return copy;
}

static struct desc desc_of(const char *text)
{
	struct desc d = { .n = 0 };
	struct err e;

	if (desc_parse(&d, text, strlen(text), &e) < 0)
		bail("'%s': %s", text, e.msg);
	return d;
}

/* ---------------------------------------------------------------- bits */

/*
 * Little endian data: bit b of a record is the one of value 2^(b % 8) in byte b / 8, and a number's
 * lowest bit comes first.  Big endian: the byte's highest bit is its first, and the number's too.
 */
static bool slow_bit(const uint8_t *p, uint64_t bit, bool big)
{
	unsigned in_byte = bit % 8;

	return p[bit / 8] >> (big ? 7 - in_byte : in_byte) & 1;
}

static void slow_put(uint8_t *p, uint64_t bit, unsigned size, bool big, uint64_t v)
{
	for (unsigned i = 0; i < size; i++, bit++) {
		uint8_t one = big ? 0x80 >> bit % 8 : 1 << bit % 8;

		p[bit / 8] &= ~one;
		if (v >> (big ? size - 1 - i : i) & 1)
			p[bit / 8] |= one;
	}
}

static uint64_t slow_get(const uint8_t *p, uint64_t bit, unsigned size, bool big)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)slow_bit(p, bit + i, big) << (big ? size - 1 - i : i);
	return v;
}

/* Every width at every place within two bytes, in a block that ends with the last bit's byte. */
static void test_bits(void)
{
	unsigned wrong_get = 0, wrong_put = 0;

	for (unsigned round = 0; round < 4; round++)
		for (unsigned bit = 0; bit < 16; bit++)
			for (unsigned size = 1; size <= 64; size++)
				for (unsigned big = 0; big < 2; big++) {
					size_t len = (bit + size + 7) / 8;
					uint8_t *p = malloc(len), *q;
					uint64_t v = rnd64();

					for (size_t i = 0; i < len; i++)
						p[i] = rnd(256);
					q = exact(p, len);
					wrong_get += bits_get(p, bit, size, big) !=
						     slow_get(p, bit, size, big);
					bits_put(p, bit, size, big, v);
					slow_put(q, bit, size, big, v);
					wrong_put += memcmp(p, q, len) != 0;
					free(p);
					free(q);
				}
	is_u64(wrong_get, 0, "reads any width at any bit (else: a field has its neighbour's bits)");
	is_u64(wrong_put, 0, "writes them, and nothing beside them (else: neighbours change)");
}

/* ---------------------------------------------------------------- random records */

#define MOST 8	 /* items of a description */
#define COUNT 12 /* items of an item */

struct model {
	struct {
		enum desc_kind kind;
		unsigned size, align, n, count, width; /* width: bytes of one, opened */
		bool is_signed;
		uint32_t bit, off;
		uint64_t v[COUNT * 8];
	} items[MOST];
	unsigned n, bits, fixed;
	char text[2000];
	uint8_t open[4000], packed[4000];
	uint32_t open_len, packed_len;
};

static unsigned up(unsigned v, unsigned to)
{
	return (v + to - 1) / to * to;
}

/* A description in any order of its attributes, laid out in both forms by the words of layout.h. */
static void make_items(struct model *m)
{
	static const char *const kinds[] = { "field", "array", "dynamic", "absent" };
	size_t t = 0;

	m->n = 1 + rnd(MOST);
	m->bits = m->fixed = 0;
	for (unsigned i = 0; i < m->n; i++) {
		unsigned kind = rnd(10), size = rnd(3) ? 1 + rnd(64) : 8u << rnd(4), align, width;

		kind = kind < 4 ? DESC_FIELD :
		       kind < 7 ? DESC_ARRAY :
		       kind < 9 ? DESC_DYNAMIC :
				  DESC_ABSENT;
		m->items[i].kind = kind;
		t += snprintf(m->text + t, sizeof(m->text) - t, "%s:u64 f%u;", kinds[kind], i);
		for (align = 1; align < size;)
			align *= 2;
		if (rnd(3))
			align = 1u << rnd(7);
		m->items[i].size = size;
		m->items[i].align = align;
		m->items[i].is_signed = rnd(2);
		m->items[i].n = kind == DESC_FIELD  ? 1 :
				kind == DESC_ABSENT ? 0 :
						      rnd(COUNT) + (kind == DESC_ARRAY);
		m->items[i].count = m->items[i].n;
		for (unsigned a = rnd(4), end = a + 4; kind != DESC_ABSENT && a < end; a++) {
			static const char *const attrs[] = { "size", "align", "count", "signed" };
			unsigned v[] = { size, align, m->items[i].n, m->items[i].is_signed };

			if (a % 4 != 2 || kind == DESC_ARRAY)
				t += snprintf(m->text + t, sizeof(m->text) - t, " %s:%u;",
					      attrs[a % 4], v[a % 4]);
		}
		t += snprintf(m->text + t, sizeof(m->text) - t, "\n");

		width = size > 32 ? 8 : size > 16 ? 4 : size > 8 ? 2 : 1;
		if (size < 8 && kind != DESC_FIELD)
			width = 2;
		m->items[i].width = width;
		if (kind == DESC_ABSENT)
			continue;
		m->bits = up(m->bits, kind == DESC_DYNAMIC ? 32 : align);
		m->items[i].bit = m->bits;
		m->bits += kind == DESC_DYNAMIC ? 32 : size * m->items[i].n;
		m->fixed = up(m->fixed, kind == DESC_DYNAMIC ? 4 : width);
		m->items[i].off = m->fixed;
		m->fixed += kind == DESC_DYNAMIC ? 4 : width * m->items[i].n;
	}
	m->bits = up(m->bits, 8);
}

static void put_open(uint8_t *p, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++)
		p[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? width - 1 - i : i] = v >> 8 * i;
}

/* Values for the items; both forms of the record.  DIRT above a number's bits is not packed. */
static void make_record(struct model *m, bool big, bool dirt)
{
	memset(m->open, 0, sizeof(m->open));
	memset(m->packed, 0, sizeof(m->packed));
	m->open_len = m->fixed;
	m->packed_len = m->bits / 8;
	for (unsigned i = 0; i < m->n; i++) {
		unsigned size = m->items[i].size, width = m->items[i].width, n = m->items[i].n;
		unsigned off = m->items[i].off, bit = m->items[i].bit, bytes = (n * size + 7) / 8;
		uint64_t mask = size < 64 ? (1ull << size) - 1 : ~0ull;

		if (m->items[i].kind == DESC_DYNAMIC) {
			unsigned at = n ? up(m->open_len, width) : m->fixed, to = m->bits / 8;

			if (n)
				to = up(m->packed_len,
					m->items[i].align > 8 ? m->items[i].align / 8 : 1);
			put_open(m->open + off, 4, at | (uint64_t)(n * width) << 16);
			slow_put(m->packed, bit, 32, big, to | (uint64_t)bytes << 16);
			if (n) {
				m->open_len = at + n * width;
				m->packed_len = to + bytes;
			}
			off = at;
			bit = to * 8;
		}
		for (unsigned j = 0; j < n; j++) {
			uint64_t v = rnd64() & mask;

			slow_put(m->packed, bit + j * size, size, big, v);
			if (m->items[i].is_signed && v > mask >> 1)
				v |= ~mask;
			m->items[i].v[j] = v;
			if (dirt)
				v ^= rnd64() & ~mask;
			put_open(m->open + off + j * width, width, v);
		}
		/* Where the bytes hold more items than there were, these are 0. */
		m->items[i].count = m->items[i].kind == DESC_DYNAMIC ? bytes * 8 / size : n;
		for (unsigned j = n; j < m->items[i].count; j++)
			m->items[i].v[j] = 0;
	}
}

/* Item by item through the fields, as sinks read it. */
static bool is_opened(const struct model *m, const struct desc *d, const uint8_t *p, uint32_t len)
{
	struct event ev = { .data = p, .size = len };

	for (unsigned i = 0; i < m->n; i++) {
		const struct field *f = &d->fields[i];
		struct span s;

		if (m->items[i].kind == DESC_ABSENT)
			continue;
		if (!field_span(f, &ev, &s) || s.len != m->items[i].count * m->items[i].width ||
		    (s.len && (s.p - p) % m->items[i].width))
			return false;
		for (unsigned j = 0; j < m->items[i].count; j++) {
			uint64_t want = m->items[i].v[j];
			const uint8_t *at = s.p + j * f->elem;
			uint64_t got = f->is_signed ? (uint64_t)field_load_signed(at, f->elem, 0) :
						      field_load(at, f->elem, 0);

			if (got != want)
				return false;
		}
	}
	return true;
}

static bool is_laid_out(const struct model *m, const struct desc *d)
{
	bool same = d->n == m->n && d->bits == m->bits && d->fixed == m->fixed;

	for (unsigned i = 0; i < m->n && same; i++)
		if (m->items[i].kind != DESC_ABSENT)
			same = d->items[i].bit == m->items[i].bit &&
			       d->fields[i].off == m->items[i].off &&
			       d->fields[i].elem == m->items[i].width;
	return same;
}

static void test_random(void)
{
	unsigned layout = 0, room = 0, packed = 0, opened = 0, again = 0;
	static struct model m;
	uint8_t *open = NULL;
	size_t cap = 0;

	for (unsigned round = 0; round < 6000; round++) {
		bool big = round & 1;
		uint8_t *out, *raw, *rec;
		struct desc d;
		uint32_t len;
		size_t size, n;
		struct err e;

		make_items(&m);
		make_record(&m, big, round & 2);
		d = desc_of(m.text);
		layout += !is_laid_out(&m, &d);
		raw = exact(m.open, m.open_len);
		rec = exact(m.packed, m.packed_len);
		size = descpack_room(&d, m.open_len);
		room += size < m.packed_len;
		out = malloc(size ? size : 1);
		memset(out, 0x5a, size);
		n = descpack_pack(&d, big, raw, m.open_len, out, size);
		packed += n != m.packed_len || memcmp(out, m.packed, n) != 0;
		if (packed + room + layout == 1)
			diag("%s endian: %s", big ? "big" : "little", m.text);
		opened += descpack_open(&d, big, rec, m.packed_len, &open, &cap, &len, &e) < 0 ||
			  !is_opened(&m, &d, open, len);
		free(out);
		/* What was opened gives the same bits again, in the other order too. */
		out = malloc(n = descpack_room(&d, len) + 1);
		again += descpack_pack(&d, big, open, len, out, n) != m.packed_len ||
			 memcmp(out, m.packed, m.packed_len) != 0;
		free(rec);
		rec = exact(out, n = descpack_pack(&d, !big, open, len, out, n));
		again += descpack_open(&d, !big, rec, n, &open, &cap, &len, &e) < 0 ||
			 !is_opened(&m, &d, open, len);
		free(out);
		free(raw);
		free(rec);
		desc_fini(&d);
	}
	free(open);
	is_u64(layout, 0, "random layouts, by the words of layout.h (else: places are wrong)");
	is_u64(packed, 0, "random records, packed the same bit by bit (else: others see noise)");
	is_u64(room, 0, "in the room that was asked for (else: an export fails in the middle)");
	is_u64(opened, 0, "opened again, item by item with its sign (else: -1 is 127)");
	is_u64(again, 0, "and packed once more, in both orders (else: a copy differs)");
}

/* ---------------------------------------------------------------- random bytes */

/* Random bytes as records of either form, each in a block of its own length. */
static void test_noise(void)
{
	unsigned opened = 0, refused = 0, outside = 0, packed = 0, short_room = 0;
	static struct model m;
	uint8_t *open = NULL;
	size_t cap = 0;

	for (unsigned round = 0; round < 20000; round++) {
		struct event ev = { .ts = 0 };
		bool big = round & 1;
		struct desc d;
		struct span s;
		uint8_t *p, *out;
		size_t n, room;
		struct err e;

		make_items(&m);
		make_record(&m, big, true);
		d = desc_of(m.text);
		/* A good record with a few words of noise, of a length that may be wrong. */
		for (unsigned i = 0; i < 1 + round % 5; i++)
			m.packed[rnd(m.packed_len + 1)] = rnd(2) ? rnd(256) : rnd(32);
		n = rnd(3) ? m.packed_len : rnd(m.packed_len + 20);
		p = exact(m.packed, n);
		if (descpack_open(&d, big, p, n, &open, &cap, &ev.size, &e) < 0) {
			refused++;
		} else {
			opened++;
			ev.data = open = mem_realloc(open, cap = ev.size ? ev.size : 1);
			for (unsigned i = 0; i < d.n; i++)
				outside += !field_span(&d.fields[i], &ev, &s);
			room = descpack_room(&d, ev.size);
			out = malloc(room + 1);
			short_room += !descpack_pack(&d, big, open, ev.size, out, room) && d.bits;
			free(out);
		}
		free(p);
		/* The same to an open record: what is missing or points outside is nothing. */
		for (unsigned i = 0; i < 1 + round % 5; i++)
			m.open[rnd(m.open_len + 1)] = rnd(2) ? rnd(256) : rnd(32);
		n = rnd(3) ? m.open_len : rnd(m.open_len + 20);
		p = exact(m.open, n);
		room = descpack_room(&d, n);
		out = malloc(room ? room : 1);
		packed += descpack_pack(&d, big, p, n, out, room) != 0;
		free(out);
		free(p);
		desc_fini(&d);
	}
	free(open);
	ok(opened > 4000 && refused > 1000 && packed > 10000,
	   "noise: some is refused and some is not (else: nothing was tried)");
	is_u64(outside, 0, "noise, opened: every word points into its record (else: damage later)");
	is_u64(short_room, 0, "noise, packed again in the room that was asked for");
}

int main(void)
{
	test_bits();
	test_random();
	test_noise();
	return tap_done();
}
