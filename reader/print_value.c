// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_value: turns one field of one event into its bare value, as the zed and json formats show
 * it: numbers, byte strings in hex, arrays in brackets, masks as lists of bits.
 */
#include "printsink.h"
#include "field.h"

static void hex(struct outbuf *o, const struct span *s, const struct value_style *style)
{
	out_str(o, style->quote);
	for (uint32_t i = 0; i < s->len; i++) {
		out_char(o, "0123456789abcdef"[s->p[i] >> 4]);
		out_char(o, "0123456789abcdef"[s->p[i] & 15]);
	}
	out_str(o, style->quote);
}

static void array(struct outbuf *o, const struct field *f, const struct span *s,
		  const struct value_style *style)
{
	out_char(o, '[');
	for (uint32_t i = 0; i + f->elem <= s->len; i += f->elem) {
		if (i)
			out_str(o, style->between);
		if (f->is_signed)
			out_i64(o, field_load_signed(s->p + i, f->elem, f->swap));
		else
			out_u64(o, field_load(s->p + i, f->elem, f->swap));
	}
	out_char(o, ']');
}

static void bits(struct outbuf *o, const struct field *f, const struct span *s,
		 const struct value_style *style)
{
	size_t n = field_bits(s, f->elem, f->swap, NULL, 0);

	out_str(o, style->quote);
	field_bits(s, f->elem, f->swap, out_room(o, n + 1), n + 1);
	o->len += n;
	out_str(o, style->quote);
}

void print_value(struct outbuf *o, const struct field *f, const struct event *ev,
		 const struct value_style *style)
{
	struct span s;

	switch ((enum field_kind)f->kind) {
	case FIELD_UINT:
		out_u64(o, field_scalar(f, ev));
		return;
	case FIELD_INT:
		out_i64(o, field_scalar(f, ev));
		return;
	case FIELD_STR:
		field_span(f, ev, &s);
		style->string(o, &s);
		return;
	case FIELD_BYTES:
		field_span(f, ev, &s);
		hex(o, &s, style);
		return;
	case FIELD_ARRAY:
		field_span(f, ev, &s);
		array(o, f, &s, style);
		return;
	case FIELD_BITMASK:
		field_span(f, ev, &s);
		bits(o, f, &s, style);
		return;
	case FIELD_NONE:
		out_str(o, style->none);
		return;
	}
}
