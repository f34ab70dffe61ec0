// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout: parses lines of the description language, and computes the place of each item in both
 * forms of a record.
 */
#include "stable/layout.h"

#include "base/ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = {
	[DESC_FIELD] = "field",
	[DESC_ARRAY] = "array",
	[DESC_DYNAMIC] = "dynamic",
	[DESC_ABSENT] = "absent",
};

enum { A_ALIGN, A_SIZE, A_COUNT, A_SIGNED, NATTRS };

static const char *const ATTRS[NATTRS] = { "align", "size", "count", "signed" };

#define SHOWN 60 /* bytes of a word in an error */

/* A line being read from left to right. */
struct layout_scan {
	const char *p;
	size_t len, pos;
	unsigned line;
};

struct layout_word {
	const char *p;
	size_t len, at; /* at: position in the line */
};

#undef desc_complain

int desc_complain(struct err *e, unsigned line, size_t column, const char *fmt, ...)
{
	char text[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "line %u, column %zu: %s", line, column, text);
}

static int shown(const struct layout_word *w)
{
	return w->len < SHOWN ? (int)w->len : SHOWN;
}

static bool word_is(const struct layout_word *w, const char *s)
{
	return w->len == strlen(s) && !memcmp(w->p, s, w->len);
}

/* The next byte that is not a blank; 0 at the line's end and at a comment. */
static char next(struct layout_scan *s)
{
	while (s->pos < s->len && s->p[s->pos] && strchr(" \t\r\v\f", s->p[s->pos]))
		s->pos++;
	if (s->pos == s->len || s->p[s->pos] == '#')
		return 0;
	/* A NUL does not end the line: it is an unexpected byte. */
	return s->p[s->pos] ? s->p[s->pos] : '\1';
}

static int unexpected(const struct layout_scan *s, const char *want, struct err *e)
{
	unsigned char c = s->pos < s->len ? s->p[s->pos] : '#';

	if (c == '#')
		return desc_complain(e, s->line, s->pos + 1, "the line ends where %s is expected",
				     want);
	if (c < 0x20 || c > 0x7e)
		return desc_complain(e, s->line, s->pos + 1, "expected %s, found the byte 0x%02x",
				     want, c);
	return desc_complain(e, s->line, s->pos + 1, "expected %s, found '%c'", want, c);
}

/* The word that begins here; length 0: none. */
static struct layout_word word(struct layout_scan *s)
{
	struct layout_word w;

	next(s);
	w = (struct layout_word){ .p = s->p + s->pos, .at = s->pos };
	while (s->pos < s->len && ascii_word(s->p[s->pos]))
		s->pos++;
	w.len = s->pos - w.at;
	return w;
}

static int expect(struct layout_scan *s, char c, const char *what, struct err *e)
{
	if (next(s) != c)
		return unexpected(s, what, e);
	s->pos++;
	return 0;
}

static int number(struct layout_scan *s, const struct layout_word *key, uint32_t *out,
		  struct err *e)
{
	struct layout_word w = word(s);
	uint64_t v = 0;

	if (!w.len)
		return unexpected(s, "a number", e);
	for (size_t i = 0; i < w.len; i++) {
		if (!ascii_digit(w.p[i]))
			return desc_complain(e, s->line, w.at + 1, "'%.*s' is not a decimal number",
					     shown(&w), w.p);
		v = v * 10 + (w.p[i] - '0');
		if (v > UINT32_MAX)
			return desc_complain(e, s->line, w.at + 1, "%.*s:%.*s is too large",
					     (int)key->len, key->p, shown(&w), w.p);
	}
	*out = v;
	return 0;
}

static int parse_kind(struct layout_scan *s, struct desc_item *it, struct err *e)
{
	struct layout_word w = word(s);

	if (!w.len)
		return unexpected(s, "field, array, dynamic or absent", e);
	while (it->kind <= DESC_ABSENT && !word_is(&w, KINDS[it->kind]))
		it->kind++;
	if (it->kind > DESC_ABSENT)
		return desc_complain(e, s->line, w.at + 1,
				     "unknown kind of item '%.*s': expected field, array, dynamic "
				     "or absent",
				     shown(&w), w.p);
	return expect(s, ':', "':'", e);
}

/* The N bytes at P with runs of blanks squeezed to one, none at the end. */
static const char *squeezed(struct arena *a, const char *p, size_t n)
{
	char *out = arena_strndup(a, p, n), *o = out;

	for (size_t i = 0; i < n; i++)
		if (ascii_word(p[i]) || p[i] == '*')
			*o++ = p[i];
		else if (o > out && o[-1] != ' ')
			*o++ = ' ';
	if (o > out && o[-1] == ' ')
		o--;
	*o = '\0';
	return out;
}

/* "TYPE NAME;" */
static int parse_name(struct desc *d, struct layout_scan *s, struct desc_item *it, struct err *e)
{
	struct layout_word w = { .len = 0 }, name = { .len = 0 };
	size_t start;
	char c = next(s);

	for (start = s->pos; (c = next(s)) != ';';) {
		if (c == '[' || c == ']')
			return desc_complain(e, s->line, s->pos + 1,
					     "no [ ] here: an array is 'array:TYPE NAME; ... "
					     "count:N;'");
		w = word(s);
		if (w.len)
			name = w;
		else if (c == '*')
			name.len = 0, s->pos++;
		else
			return unexpected(s, name.len ? "';'" : "a type and a name", e);
	}
	if (!name.len)
		return unexpected(s, "a name", e);
	if (ascii_digit(name.p[0]))
		return desc_complain(e, s->line, name.at + 1, "a name cannot begin with a digit");
	if (name.at == start)
		return desc_complain(e, s->line, name.at + 1,
				     "'%.*s' has no type: expected TYPE NAME", shown(&name),
				     name.p);
	s->pos++;
	for (unsigned i = 0; i < d->n; i++)
		if (word_is(&name, d->items[i].name))
			return desc_complain(e, s->line, name.at + 1,
					     "the name '%.*s' is taken: line %u", shown(&name),
					     name.p, d->items[i].line);
	it->name = arena_strndup(&d->arena, name.p, name.len);
	it->type = squeezed(&d->arena, s->p + start, name.at - start);
	return 0;
}

/* Is V a valid value of the attribute?  AT is the column of its name, VALUE_AT that of V. */
static int check_attr(const struct layout_scan *s, const struct desc_item *it, unsigned attr,
		      size_t at, size_t value_at, uint32_t v, struct err *e)
{
	if (it->kind == DESC_ABSENT)
		return desc_complain(e, s->line, at, "what is absent has no %s", ATTRS[attr]);
	switch (attr) {
	case A_ALIGN:
		if (!v || v > 64 || v & (v - 1))
			return desc_complain(e, s->line, value_at,
					     "align must be 1, 2, 4, 8, 16, 32 or 64, not %u", v);
		return 0;
	case A_SIZE:
		if (!v || v > 64)
			return desc_complain(e, s->line, value_at,
					     "size:%u is not within 1 to 64 bits", v);
		return 0;
	case A_SIGNED:
		if (v > 1)
			return desc_complain(e, s->line, value_at, "signed:%u is neither 0 nor 1",
					     v);
		return 0;
	}
	if (it->kind != DESC_ARRAY)
		return desc_complain(e, s->line, at,
				     it->kind == DESC_FIELD ?
					     "only an array has a count" :
					     "no count here: each record has its own");
	if (!v)
		return desc_complain(e, s->line, value_at, "count must be at least 1");
	return 0;
}

/* "KEY:NUMBER;": 1; 0: something else begins here; -1: error. */
static int parse_attr(struct layout_scan *s, const struct desc_item *it, uint32_t *values,
		      bool *given, bool more, struct err *e)
{
	size_t start = s->pos, value_at;
	struct layout_word key = word(s);
	unsigned a = 0;

	if (!key.len || next(s) != ':') {
		if (key.len && !more)
			return unexpected(s, "':'", e);
		s->pos = start;
		return 0;
	}
	s->pos++;
	while (a < NATTRS && !word_is(&key, ATTRS[a]))
		a++;
	if (a == NATTRS)
		return desc_complain(e, s->line, key.at + 1, "no attribute '%.*s': %s", shown(&key),
				     key.p,
				     word_is(&key, "offset") ?
					     "places follow from align and size, both in bits" :
					     "there are align, size, count and signed");
	if (given[a])
		return desc_complain(e, s->line, key.at + 1, "%s is given twice", ATTRS[a]);
	next(s);
	value_at = s->pos;
	TRY(number(s, &key, &values[a], e));
	TRY(check_attr(s, it, a, key.at + 1, value_at + 1, values[a], e));
	given[a] = true;
	TRY(expect(s, ';', "';'", e));
	return 1;
}

static int parse_attrs(struct layout_scan *s, struct desc_item *it, bool more, struct err *e)
{
	uint32_t v[NATTRS] = { 0 };
	bool given[NATTRS] = { false };
	size_t end;
	int rc;

	do {
		end = s->pos;
		rc = parse_attr(s, it, v, given, more, e);
	} while (rc > 0);
	TRY(rc);
	if (it->kind == DESC_ABSENT)
		return 0;
	for (unsigned a = A_SIZE; a <= A_COUNT; a++)
		if (!given[a] && (a == A_SIZE || it->kind == DESC_ARRAY))
			return desc_complain(e, s->line, end + 1, "%s '%.60s' needs a %s:%s;",
					     KINDS[it->kind], it->name, ATTRS[a],
					     a == A_SIZE ? "BITS" : "NUMBER");
	it->size = v[A_SIZE];
	it->count = v[A_COUNT];
	it->is_signed = v[A_SIGNED];
	it->align = v[A_ALIGN];
	if (!given[A_ALIGN])
		for (it->align = 1; it->align < it->size;)
			it->align *= 2;
	return 0;
}

int desc_add(struct desc *d, const char *line, size_t len, unsigned line_no, size_t *used,
	     struct err *e)
{
	struct layout_scan s = { .p = line, .len = len, .line = line_no };
	struct desc_item it = { .line = line_no };

	if (!next(&s)) {
		if (used)
			*used = s.pos;
		return 0;
	}
	if (d->n == DESC_MAX_ITEMS)
		return desc_complain(e, line_no, s.pos + 1, "more than %u items", DESC_MAX_ITEMS);
	TRY(parse_kind(&s, &it, e));
	TRY(parse_name(d, &s, &it, e));
	TRY(parse_attrs(&s, &it, used, e));
	if (used)
		*used = s.pos;
	else if (next(&s))
		return unexpected(&s, "an attribute", e);
	d->items = mem_grow(d->items, &d->cap, (size_t)d->n + 1, sizeof(*d->items));
	d->items[d->n++] = it;
	return 1;
}

/*
 * Bytes of an item in the open form.  Small numbers of an array take two, as one-byte items are
 * text.
 */
static unsigned open_bytes(const struct desc_item *it)
{
	if (it->size < 8 && it->kind != DESC_FIELD)
		return 2;
	return it->size <= 8 ? 1 : it->size <= 16 ? 2 : it->size <= 32 ? 4 : 8;
}

/* Does TYPE equal WORDS or end with them? */
static bool ends_with(const char *type, const char *words)
{
	size_t n = strlen(type), w = strlen(words);

	return n >= w && !strcmp(type + n - w, words) && (n == w || type[n - w - 1] == ' ');
}

/* A char whose type says signed or unsigned is a small number. */
static bool is_text(const char *type)
{
	return ends_with(type, "char") && !ends_with(type, "signed char") &&
	       !ends_with(type, "unsigned char");
}

static void make_field(struct desc *d, const struct desc_item *it, struct field *f)
{
	char dim[16] = "";
	uint32_t align;

	*f = (struct field){
		.name = it->name, .type = it->type, .kind = FIELD_NONE, .off = d->fixed
	};
	if (it->kind == DESC_ABSENT)
		return;
	f->is_signed = it->is_signed;
	f->elem = open_bytes(it);
	f->size = f->elem;
	align = f->elem;
	if (it->kind == DESC_FIELD) {
		f->kind = it->is_signed ? FIELD_INT : FIELD_UINT;
		f->is_time = it->size == 64 && !strcmp(it->type, DESC_TIME);
		if (it->size == 8 && !strcmp(it->type, "char"))
			f->kind = FIELD_STR;
	} else {
		f->kind = it->size != 8 ? FIELD_ARRAY : is_text(it->type) ? FIELD_STR : FIELD_BYTES;
		f->size *= it->count;
		f->count = it->count;
		if (it->count)
			snprintf(dim, sizeof(dim), "%u", it->count);
		f->dim = arena_strndup(&d->arena, dim, strlen(dim));
	}
	if (it->kind == DESC_DYNAMIC) {
		f->loc = FIELD_DATA_LOC;
		f->size = align = 4;
	}
	f->off = (d->fixed + align - 1) & ~(align - 1);
	d->fixed = f->off + f->size;
}

int desc_finish(struct desc *d, struct err *e)
{
	const struct desc_item *dynamic = NULL;
	uint64_t pos = 0;

	for (unsigned i = 0; i < d->n; i++) {
		struct desc_item *it = &d->items[i];
		uint64_t bits = (uint64_t)it->size * (it->kind == DESC_ARRAY ? it->count : 1);
		uint32_t align = it->align;

		if (it->kind == DESC_ABSENT) {
			align = 1;
		} else if (it->kind == DESC_DYNAMIC) {
			align = bits = 32;
			dynamic = it;
		}
		pos = (pos + align - 1) & ~(uint64_t)(align - 1);
		it->bit = pos;
		pos += bits;
		if (pos > DESC_MAX_BITS)
			return desc_complain(e, it->line, 1,
					     "'%.60s' ends at byte %llu of a record; it may be %u",
					     it->name, (unsigned long long)(pos + 7) / 8,
					     DESC_MAX_BITS / 8);
	}
	d->bits = (pos + 7) & ~7u;
	d->fields = arena_alloc(&d->arena, d->n * sizeof(*d->fields));
	d->fixed = 0;
	for (unsigned i = 0; i < d->n; i++)
		make_field(d, &d->items[i], &d->fields[i]);
	if (dynamic && d->fixed > DESC_MAX_BITS / 8)
		return desc_complain(e, dynamic->line, 1,
				     "'%.60s' comes after %u bytes, opened; the limit is %u",
				     dynamic->name, d->fixed, DESC_MAX_BITS / 8);
	return 0;
}

void desc_fini(struct desc *d)
{
	free(d->items);
	arena_fini(&d->arena);
	*d = (struct desc){ .n = 0 };
}

size_t desc_text(const struct desc *d, unsigned i, char *buf, size_t size)
{
	const struct desc_item *it = &d->items[i];
	char count[24] = "";

	if (it->kind == DESC_ABSENT)
		return snprintf(buf, size, "absent:%s %s;", it->type, it->name);
	if (it->kind == DESC_ARRAY)
		snprintf(count, sizeof(count), " count:%u;", it->count);
	return snprintf(buf, size, "%s:%s %s; align:%u; size:%u;%s signed:%u;", KINDS[it->kind],
			it->type, it->name, it->align, it->size, count, it->is_signed);
}
