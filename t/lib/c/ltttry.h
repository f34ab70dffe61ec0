/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_LTTTRY_H
#define ZED_LTTTRY_H

/*
 * For the tests of LTT's facilities: descriptions and payloads in blocks that end with them, so
 * that reads past them are found, and records as text.
 */
#include "reader/ltt/facility/facility.h"
#include "trace/field.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

static char shown[1 << 16];

__attribute__((format(printf, 1, 2), unused)) static void show(const char *fmt, ...)
{
	size_t n = strlen(shown);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(shown + n, sizeof(shown) - n, fmt, ap);
	va_end(ap);
}

__attribute__((unused)) static struct ltt_facilities *parse_n(const char *text, size_t len,
							      enum ltt_gen gen, struct err *e)
{
	char *copy = malloc(len ? len : 1);
	struct ltt_facilities *f;

	memcpy(copy, text, len);
	f = ltt_facilities_parse(copy, len, gen, e);
	free(copy);
	return f;
}

__attribute__((unused)) static struct ltt_facilities *parse(const char *text, enum ltt_gen gen,
							    struct err *e)
{
	return parse_n(text, strlen(text), gen, e);
}

__attribute__((unused)) static void refuses(const char *text, enum ltt_gen gen, const char *want,
					    const char *what)
{
	struct err e = { .kind = ERR_NONE };
	struct ltt_facilities *f = parse(text, gen, &e);

	if (ok(!f, "refused: %s", what)) {
		ok(e.kind == ERR_FORMAT, "as damage: %s", what);
		has(e.msg, want, what);
	}
	ltt_facilities_free(f);
}

/* ---------------------------------------------------------------- a record as text */

static void show_value(const struct field *f, const struct event *ev);

__attribute__((unused)) static void show_members(const struct field *f, unsigned n,
						 const struct event *ev)
{
	for (unsigned i = 0; i < n; i++) {
		show("%s%s=", i ? " " : "", f[i].name);
		show_value(&f[i], ev);
	}
}

__attribute__((unused)) static void show_items(const struct field *f, const struct event *ev)
{
	struct span s;

	if (!field_span(f, ev, &s))
		show("OUTSIDE");
	show("[");
	for (uint32_t at = 0; f->elem && at + f->elem <= s.len; at += f->elem) {
		struct event in = field_inside(ev, s.p + at);

		show("%s", at ? "," : "");
		if (f->kind == FIELD_LIST)
			show_value(&f->more->members[0], &in);
		else if (f->is_signed)
			show("%" PRId64, field_load_signed(s.p + at, f->elem, f->swap));
		else
			show("%" PRIu64, field_load(s.p + at, f->elem, f->swap));
	}
	show("]");
}

__attribute__((unused)) static void show_value(const struct field *f, const struct event *ev)
{
	const char *label;
	struct event in;
	struct span s;

	switch ((enum field_kind)f->kind) {
	case FIELD_STR:
		if (!field_span(f, ev, &s))
			show("OUTSIDE");
		show("'%.*s'", (int)strnlen((const char *)s.p, s.len), (const char *)s.p);
		return;
	case FIELD_BYTES:
		if (!field_span(f, ev, &s))
			show("OUTSIDE");
		show("<");
		for (uint32_t i = 0; i < s.len; i++)
			show("%02x", s.p[i]);
		show(">");
		return;
	case FIELD_ARRAY:
	case FIELD_LIST:
		show_items(f, ev);
		return;
	case FIELD_STRUCT:
		in = field_inside(ev, ev->data + f->off);
		show("{");
		show_members(f->more->members, f->more->nmembers, &in);
		show("}");
		return;
	case FIELD_FLOAT:
		show("%g", field_float(f, ev));
		return;
	case FIELD_ENUM:
		label = field_label(f, field_scalar(f, ev));
		show("%" PRId64 "%s%s", (int64_t)field_scalar(f, ev), label ? ":" : "",
		     label ? label : "");
		return;
	case FIELD_INT:
		show("%" PRId64, (int64_t)field_scalar(f, ev));
		return;
	default:
		show("%" PRIu64, field_scalar(f, ev));
	}
}

/* ---------------------------------------------------------------- a payload */

static const bool BIG_HERE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

struct shape {
	bool big;
	unsigned align, word;
};

__attribute__((unused)) static struct ltt_machine machine(const struct shape *s, enum ltt_gen gen)
{
	return (struct ltt_machine){
		.gen = gen,
		.swap = s->big != BIG_HERE,
		.arch_size = s->word,
		.int_size = 4,
		.long_size = s->word,
		.pointer_size = s->word,
		.size_t_size = s->word,
		.align = s->align,
	};
}

static struct ltt_record record;

/* The event 0 of TEXT with a payload, as text; an error as text. */
__attribute__((unused)) static const char *open_as(const char *text, enum ltt_gen gen,
						   const struct shape *shape, const uint8_t *p,
						   size_t len, size_t *used)
{
	struct ltt_machine m = machine(shape, gen);
	struct event ev = { .size = 0 };
	struct ltt_layout *l = NULL;
	const struct field *fields;
	struct ltt_facilities *f;
	uint8_t *copy;
	uint32_t fixed;
	struct err e = { .kind = ERR_NONE };
	unsigned n;

	shown[0] = '\0';
	*used = 0;
	f = ltt_facilities_parse(text, strlen(text), gen, &e);
	if (f)
		l = ltt_layout_new(f, 0, 0, &m, &e);
	if (!l) {
		show("%s", e.msg);
		ltt_facilities_free(f);
		return shown;
	}
	/* In a block that ends with it, so that a read past it is found. */
	copy = malloc(len ? len : 1);
	memcpy(copy, p, len);
	fields = ltt_layout_fields(l, &n, &fixed);
	if (ltt_layout_open(l, copy, len, &record, used, &e) < 0) {
		show("error at %u: %s", (unsigned)e.off, e.msg);
	} else if (record.size < fixed) {
		show("a record of %u bytes, %u are fixed", record.size, fixed);
	} else {
		ev.data = record.data;
		ev.size = record.size;
		show_members(fields, n, &ev);
	}
	free(copy);
	ltt_layout_free(l);
	ltt_facilities_free(f);
	return shown;
}

#define FIELD(name, type) "<field name=" name ">" type "</field>"
#define EVENT(fields) "<facility name=f><event name=e>" fields "</event></facility>"

/* A field of a plain type; an event of one field, in the older form and in that of 0.6. */
#define F(name, type) "<field name=" name "><" type "/></field>"
#define ONE(type) \
	"<facility name=f><event name=e><struct><field name=x>" type \
	"</field></struct></event></facility>"
#define NEW(type) "<facility name=f><event name=e><field name=x>" type "</field></event></facility>"

#endif
