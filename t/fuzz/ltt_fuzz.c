// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_fuzz: a byte that says which generation and machine, an LTT description up to a byte 0, and a
 * payload for each of its events.
 */
#include "reader/ltt/facility/facility.h"
#include "text/field_value.h"
#include "t/fuzz/fuzz.h"

static void text(struct outbuf *o, const struct span *s)
{
	out_bytes(o, (const char *)s->p, s->len);
}

/* Each value of the record P, which ends a block of its own. */
static void print(const struct field *fields, unsigned n, const uint8_t *p, uint32_t size)
{
	static const struct value_style style = {
		.string = text, .quote = "", .between = ",", .none = ""
	};
	uint8_t *exact = (uint8_t *)fuzz_copy(p, size);
	struct event ev = { .data = exact, .size = size };
	struct outbuf o = { .p = NULL };
	struct span s;

	for (unsigned i = 0; i < n; i++) {
		value_print(&o, &fields[i], &ev, &style);
		/* In a record that we laid out every span has to be there. */
		if (fields[i].loc == FIELD_SPAN && !field_span(&fields[i], &ev, &s))
			abort();
	}
	outbuf_fini(&o);
	free(exact);
}

static void one_event(struct fuzz *fz, const struct ltt_facilities *f, unsigned fac, unsigned event,
		      const struct ltt_machine *m, const uint8_t *p, size_t len)
{
	struct ltt_record r = { .data = NULL };
	const struct field *fields;
	const struct etype *t;
	struct ltt_layout *l;
	uint32_t fixed;
	struct err e = { .kind = ERR_NONE };
	size_t used;
	unsigned n;

	l = ltt_layout_new(f, fac, event, m, &e);
	if (!l)
		return;
	fields = ltt_layout_fields(l, &n, &fixed);
	if (ltt_layout_open(l, p, len, &r, &used, &e) == 0) {
		if (used > len || r.size < fixed || !r.data)
			abort();
		t = catalog_add_fields(fz->catalog, &fz->machine, ltt_facilities_name(f, fac),
				       ltt_facilities_event(f, fac, event), event, fields, n,
				       fixed);
		/* Printing a record of megabytes finds no more than printing a small one. */
		if (r.size < 1 << 16) {
			print(fields, n, r.data, r.size);
			fuzz_record(fz, t, r.data, r.size);
		}
	} else if (e.off > len) {
		abort();
	}
	free(r.data);
	ltt_layout_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned aligns[] = { 0, 2, 4, 8 };
	const uint8_t *nul;
	struct ltt_machine m = { .int_size = 4 };
	size_t text_len, len;
	struct ltt_facilities *f;
	struct fuzz fz;
	char *description, *p;
	struct err e = { .kind = ERR_NONE };

	if (!size)
		return 0;
	m.gen = data[0] % 3;
	m.swap = data[0] & 4;
	m.arch_size = m.long_size = m.pointer_size = m.size_t_size = data[0] & 8 ? 8 : 4;
	m.align = aligns[data[0] >> 4 & 3];
	nul = memchr(data + 1, 0, size - 1);
	text_len = nul ? (size_t)(nul - data - 1) : size - 1;
	len = nul ? size - text_len - 2 : 0;
	description = fuzz_copy(data + 1, text_len);
	p = fuzz_copy(nul ? nul + 1 : data, len);
	fuzz_begin(&fz, false, 8);
	f = ltt_facilities_parse(description, text_len, m.gen, &e);
	for (unsigned fac = 0; f && fac < ltt_facilities_count(f) && fac < 4; fac++)
		for (unsigned i = 0; i < ltt_facilities_nevents(f, fac) && i < 16; i++)
			one_event(&fz, f, fac, i, &m, (uint8_t *)p, len);
	fuzz_end(&fz);
	ltt_facilities_free(f);
	free(description);
	free(p);
	return 0;
}
