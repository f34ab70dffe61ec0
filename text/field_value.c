// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * field_value: prints the bare value of one field for the zed and json formats: numbers, byte
 * strings in hex, arrays in brackets, masks as lists of bits.
 */
#include "text/field_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds the text of a list of structures, whose items may be small and have long names. */
#define LIST_FIXED 256
#define LIST_PER_BYTE 16

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

/* The shortest text that reads back as the same number; JSON has no NaN or infinity. */
static void number(struct outbuf *o, double d, bool single, const struct value_style *style)
{
	char text[40];

	if (style->names_quoted && (d != d || d - d != 0)) {
		out_str(o, style->none);
		return;
	}
	for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (single ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
			break;
	}
	out_str(o, text);
}

static void label(struct outbuf *o, const struct field *f, const struct event *ev,
		  const struct value_style *style)
{
	int64_t v = (int64_t)field_scalar(f, ev);
	const char *name = field_label(f, v);
	struct span s;

	if (!name) {
		if (f->is_signed)
			out_i64(o, v);
		else
			out_u64(o, (uint64_t)v);
		return;
	}
	s = (struct span){ (const uint8_t *)name, strlen(name) };
	style->string(o, &s);
}

/* The bits FIRST to LAST. */
static uint64_t bits_of(const struct field_label *l)
{
	uint64_t first = (uint64_t)l->value, last = (uint64_t)l->last;

	if (first > 63 || last < first)
		return 0;
	return UINT64_MAX << first & UINT64_MAX >> (last < 63 ? 63 - last : 0);
}

void value_flags(struct outbuf *o, const struct field *f, uint64_t v)
{
	const struct field_label *l = f->more->labels, *end = l + f->more->nlabels;
	size_t from = o->len;

	while (l < end && v) {
		const char *name = l->name;
		uint64_t bits = 0;

		for (; l < end && l->name == name; l++)
			bits |= bits_of(l);
		if (!(v & bits))
			continue;
		v &= ~bits;
		out_str(o, o->len > from ? "|" : "");
		out_str(o, name);
	}
	out_plain(o, from, 0);
	if (v)
		out_printf(o, "%s0x%" PRIx64, o->len > from ? "|" : "", v);
	else if (o->len == from)
		out_char(o, '0');
}

static void structure(struct outbuf *o, const struct field *f, const struct event *ev,
		      const struct value_style *style)
{
	struct event in = field_inside(ev, ev->data + f->off);

	out_char(o, '{');
	for (unsigned i = 0; i < f->more->nmembers; i++) {
		const struct field *m = &f->more->members[i];
		struct span s = { (const uint8_t *)m->name, strlen(m->name) };

		if (i)
			out_str(o, style->between);
		if (style->names_quoted) {
			style->string(o, &s);
			out_char(o, ':');
		} else {
			out_str(o, m->name);
			out_char(o, '=');
		}
		value_print(o, m, &in, style);
	}
	out_char(o, '}');
}

static void list(struct outbuf *o, const struct field *f, const struct event *ev,
		 const struct value_style *style)
{
	struct span s;
	size_t max;

	field_span(f, ev, &s);
	out_char(o, '[');
	max = o->len + LIST_FIXED + (size_t)LIST_PER_BYTE * s.len;
	for (uint32_t i = 0; f->elem && i + f->elem <= s.len; i += f->elem) {
		struct event in = field_inside(ev, s.p + i);

		if (i)
			out_str(o, style->between);
		if (o->len > max) {
			out_printf(o, "%s[CUT]%s", style->quote, style->quote);
			break;
		}
		value_print(o, &f->more->members[0], &in, style);
	}
	out_char(o, ']');
}

void value_print(struct outbuf *o, const struct field *f, const struct event *ev,
		 const struct value_style *style)
{
	struct span s;

	switch ((enum field_kind)f->kind) {
	case FIELD_UINT:
		/* In JSON a number stays one, as of other flags. */
		if (f->more && !style->names_quoted)
			value_flags(o, f, field_scalar(f, ev));
		else
			out_u64(o, field_scalar(f, ev));
		out_str(o, f->is_time ? style->time : "");
		return;
	case FIELD_INT:
		out_i64(o, field_scalar(f, ev));
		out_str(o, f->is_time ? style->time : "");
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
	case FIELD_FLOAT:
		number(o, field_float(f, ev), f->size == 4, style);
		return;
	case FIELD_ENUM:
		label(o, f, ev, style);
		return;
	case FIELD_STRUCT:
		structure(o, f, ev, style);
		return;
	case FIELD_LIST:
		list(o, f, ev, style);
		return;
	case FIELD_NONE:
		out_str(o, style->none);
		return;
	}
}
