// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * desc_fuzz: a byte for the order, a description up to the first NUL, and a record of it, that is
 * opened, read and packed again; and the same bytes as an open record.
 */
#include "stable/pack.h"
#include "t/fuzz/fuzz.h"
#include "t/lib/c/desctry.h"

/* What was opened must open to the same again. */
static void again(const struct desc *d, bool big, const uint8_t *open, uint32_t len)
{
	size_t room = descpack_room(d, len), cap = 0, n;
	uint8_t *packed = malloc(room ? room : 1), *p, *more = NULL;
	uint32_t more_len;
	struct err e;

	n = descpack_pack(d, big, open, len, packed, room);
	/* Alignments larger than an item can put data beyond what a locator can tell. */
	if (n || !d->bits) {
		p = (uint8_t *)fuzz_copy(packed, n);
		if (descpack_open(d, big, p, n, &more, &cap, &more_len, &e) == 0) {
			bool bits = false;

			for (unsigned i = 0; i < d->n; i++)
				bits |= d->items[i].kind == DESC_DYNAMIC && d->items[i].size < 8;
			/* Below 8 bits the last byte may hold more items than there were. */
			if (!bits && (more_len != len || (len && memcmp(more, open, len) != 0)))
				abort();
		}
		free(p);
	}
	free(more);
	free(packed);
}

/* Every byte of every item, where the fields say. */
static unsigned read_all(const struct desc *d, const uint8_t *open, uint32_t len)
{
	const struct event ev = { .data = open, .size = len };
	unsigned sum = 0;

	for (unsigned i = 0; i < d->n; i++) {
		struct span s;

		if (d->fields[i].kind == FIELD_NONE)
			continue;
		if (!field_span(&d->fields[i], &ev, &s))
			abort();
		for (uint32_t j = 0; j < s.len; j++)
			sum += s.p[j];
	}
	return sum;
}

static unsigned try_record(const struct desc *d, bool big, const uint8_t *rec, size_t len)
{
	uint8_t *open = NULL, *exact;
	size_t cap = 0, room;
	uint32_t open_len;
	unsigned sum = 0;
	struct err e;

	if (descpack_open(d, big, rec, len, &open, &cap, &open_len, &e) == 0) {
		if (open_len > d->fixed && open_len > 131070)
			abort();
		exact = (uint8_t *)fuzz_copy(open, open_len);
		sum += read_all(d, exact, open_len);
		again(d, big, exact, open_len);
		free(exact);
	}
	free(open);
	room = descpack_room(d, len);
	exact = malloc(room ? room : 1);
	sum += descpack_pack(d, big, rec, len, exact, room);
	free(exact);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data + 1, 0, size - 1) : NULL;
	struct desc d = { .n = 0 };
	static volatile unsigned sum;
	size_t text_len;
	char *text, *rec;
	struct err e;

	if (!nul)
		return 0;
	text_len = nul - data - 1;
	text = fuzz_copy(data + 1, text_len);
	rec = fuzz_copy(nul + 1, size - text_len - 2);
	if (desc_parse(&d, text, text_len, &e) == 0) {
		char line[200];

		for (unsigned i = 0; i < d.n; i++)
			sum += desc_text(&d, i, line, sizeof(line));
		sum += try_record(&d, data[0] & 1, (uint8_t *)rec, size - text_len - 2);
	} else if (strncmp(e.msg, "line ", 5) != 0) {
		abort();
	}
	desc_fini(&d);
	free(rec);
	free(text);
	(void)sum;
	return 0;
}
