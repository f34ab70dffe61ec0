/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_T_FUZZ_CTF_FUZZ_H
#define ZED_T_FUZZ_CTF_FUZZ_H

/*
 * For fuzzers of CTF: the metadata up to a byte 0, and the bytes of a packet: what is before the
 * events, and then each event of the stream that the header names, at any bit.
 */
#include "reader/ctf/ctf_layout.h"
#include "text/field_value.h"
#include "t/fuzz/fuzz.h"

static void text(struct outbuf *o, const struct span *s)
{
	out_bytes(o, (const char *)s->p, s->len);
}

/* Each value of the record R. */
static void print(const struct ctf_layout *l, const struct ctf_record *r)
{
	static const struct value_style style = {
		.string = text, .quote = "", .between = ",", .none = ""
	};
	uint8_t *exact = (uint8_t *)fuzz_copy(r->data, r->size);
	struct event ev = { .data = exact, .size = r->size };
	struct outbuf o = { .p = NULL };
	struct span s;

	for (unsigned i = 0; i < l->nfields; i++) {
		value_print(&o, &l->fields[i], &ev, &style);
		/* In a record that we laid out every span has to be there. */
		if (l->fields[i].loc == FIELD_SPAN && !field_span(&l->fields[i], &ev, &s))
			abort();
	}
	outbuf_fini(&o);
	free(exact);
}

static void one_event(struct fuzz *fz, struct ctf_in in, const struct ctf_layout *l,
		      const struct ctf_event_class *ev)
{
	struct ctf_record r = { .data = NULL };
	struct err e = { .kind = ERR_NONE };
	const struct etype *t;

	in.items = CTF_MAX_RECORD;
	ctf_record_begin(&r, l->fixed);
	if (ctf_unpack(&in, &l->common, &r, 0, &e) == 0 &&
	    ctf_unpack(&in, &l->context, &r, 0, &e) == 0 &&
	    ctf_unpack(&in, &l->payload, &r, 0, &e) == 0) {
		if (in.pos > in.end + 4096 || r.size < l->fixed)
			abort();
		t = catalog_add_fields(fz->catalog, &fz->machine, "ctf", ev->name, ev->id,
				       l->fields, l->nfields, l->fixed);
		/* Printing a record of megabytes finds no more than printing a small one. */
		if (r.size < 1 << 16) {
			print(l, &r);
			fuzz_record(fz, t, r.data, r.size);
		}
	}
	free(r.data);
}

static void one_stream(struct fuzz *fz, const struct ctf_meta *m, const struct ctf_stream_class *s,
		       const uint8_t *p, size_t len)
{
	struct ctf_in in = {
		.p = p, .have = len, .end = (uint64_t)len * 8, .items = CTF_MAX_RECORD
	};
	struct ctf_record r = { .data = NULL };
	struct ctf_head head = { .nslots = 0 };
	struct arena arena = { .blocks = NULL };
	struct err e = { .kind = ERR_NONE };
	unsigned n = 0, left = CTF_MAX_PARTS;

	ctf_record_begin(&r, 0);
	if (ctf_head_compile(&head, m, s, &left, &e) == 0 &&
	    ctf_unpack(&in, &head.packet_header, &r, 0, &e) == 0 &&
	    ctf_unpack(&in, &head.packet_context, &r, 0, &e) == 0 &&
	    ctf_unpack(&in, &head.event_header, &r, 0, &e) == 0)
		for (const struct ctf_event_class *ev = m->events; ev && n < 16;
		     ev = ev->next, n++) {
			struct ctf_layout l = { .nfields = 0 };

			if (ev->stream == s->id &&
			    ctf_layout_compile(&l, &arena, &head, m, s, ev, &left, &e) == 0)
				one_event(fz, in, &l, ev);
		}
	ctf_head_fini(&head);
	arena_fini(&arena);
	free(r.data);
}

/* PARSE fills metadata: tsdl_parse(), ctf2_parse(). */
static int fuzz_ctf(const uint8_t *data, size_t size,
		    int (*parse)(struct ctf_meta *m, const char *text, size_t len, struct err *e))
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t text_len = nul ? (size_t)(nul - data) : size, len = nul ? size - text_len - 1 : 0;
	char *metadata = fuzz_copy(data, text_len);
	uint8_t *p = (uint8_t *)fuzz_copy(nul ? nul + 1 : data, len);
	struct err e = { .kind = ERR_NONE };
	struct ctf_meta m = { .big = false };
	struct fuzz fz;

	fuzz_begin(&fz, false, 8);
	if (parse(&m, metadata, text_len, &e) == 0)
		for (const struct ctf_stream_class *s = m.streams; s; s = s->next)
			one_stream(&fz, &m, s, p, len);
	fuzz_end(&fz);
	arena_fini(&m.arena);
	free(metadata);
	free(p);
	return 0;
}

#endif
