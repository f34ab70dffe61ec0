// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw_fields: a record as the names and values of its fields, in the form that libtraceevent uses
 * if it cannot parse the print format.
 */
#include "text/raw_fields.h"

#include "base/ascii.h"
#include "text/field_value.h"


static bool printable(const struct span *s)
{
	for (uint32_t i = 0; i < s->len && s->p[i]; i++)
		if (!ascii_print(s->p[i]) && !ascii_space(s->p[i]))
			return false;
	return true;
}

/* The library's test for text: an array whose type has one of these in its name. */
static bool is_text(const struct field *f)
{
	return f->loc == FIELD_LOC16 || strstr(f->type, "char") || strstr(f->type, "u8") ||
	       strstr(f->type, "s8");
}

static void array(struct outbuf *o, const struct event *ev, const struct field *f, uint8_t *binary)
{
	struct span s;

	/* A tail has no size in the format, so the library shows none of it. */
	if (f->loc == FIELD_TAIL)
		s = (struct span){ ev->data, 0 };
	else
		field_span(f, ev, &s);
	if (is_text(f) && !*binary && printable(&s)) {
		if (f->loc == FIELD_TAIL && f->off <= ev->size)
			s = (struct span){ ev->data + f->off, ev->size - f->off };
		out_bytes(o, (const char *)s.p, strnlen((const char *)s.p, s.len));
		return;
	}
	*binary = 1;
	out_str(o, "ARRAY[");
	for (uint32_t i = 0; i < s.len; i++) {
		char *p;

		if (i)
			out_bytes(o, ", ", 2);
		p = out_room(o, 2);
		p[0] = "0123456789abcdef"[s.p[i] >> 4];
		p[1] = "0123456789abcdef"[s.p[i] & 15];
		o->len += 2;
	}
	out_char(o, ']');
}

static void number(struct outbuf *o, const struct event *ev, const struct field *f)
{
	bool is_long = strstr(f->type, "long");
	uint64_t v = 0;

	if ((f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) &&
	    (uint64_t)f->off + f->size <= ev->size)
		v = field_load(ev->data + f->off, f->size, f->swap);
	if (strchr(f->type, '*')) {
		out_bytes(o, "0x", 2);
		out_hex(o, v);
	} else if (f->is_signed && f->size == 4 && is_long) {
		out_bytes(o, "0x", 2);
		out_hex(o, v);
	} else if (f->is_signed) {
		int64_t n = f->size == 4 ? (int32_t)v :
			    f->size == 2 ? (int16_t)v :
			    f->size == 1 ? (int8_t)v :
					   (int64_t)v;

		if (f->size == 2 && n >= 0 && n < 10)
			out_char(o, ' ');
		out_i64(o, n);
	} else if (is_long) {
		out_bytes(o, "0x", 2);
		out_hex(o, v);
	} else {
		out_u64(o, v);
	}
}

void rawtext_fields(struct outbuf *o, const struct event *ev, uint8_t *binary, size_t max)
{
	const struct etype *t = ev->type;
	size_t from = o->len;

	for (unsigned i = t->ncommon; i < t->nfields && o->len - from <= max; i++) {
		const struct field *f = &t->fields[i];

		out_char(o, ' ');
		out_str(o, f->name);
		out_char(o, '=');
		if (f->dim || f->loc == FIELD_LOC16)
			array(o, ev, f, &binary[i]);
		else
			number(o, ev, f);
	}
}

/* A text on one line. */
static void plain_string(struct outbuf *o, const struct span *s)
{
	size_t from = o->len;

	out_bytes(o, (const char *)s->p, strnlen((const char *)s->p, s->len));
	out_plain(o, from, 0);
}

void rawtext_plain(struct outbuf *o, const struct event *ev, size_t max)
{
	static const struct value_style style = {
		.string = plain_string,
		.quote = "",
		.between = ", ",
		.none = "undef",
	};
	const struct etype *t = ev->type;
	size_t from = o->len;

	for (unsigned i = t->ncommon; i < t->nfields && o->len - from <= max; i++) {
		if (i > t->ncommon)
			out_char(o, ' ');
		out_str(o, t->fields[i].name);
		out_char(o, '=');
		value_print(o, &t->fields[i], ev, &style);
	}
}
