// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format: parses the kernel's description of an event into fields that can be read from a record.
 * Offsets, sizes and signs are taken from the text; types only serve to distinguish text from
 * numbers.
 */
#include "trace/format.h"

#include "base/ascii.h"
#include "base/ctype.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FORMAT (1u << 20) /* bytes of a format text; the longest of 6.18 has 20 KiB */
#define MAX_PRINT (64u << 10) /* bytes of a print format that are searched for masks */
#define MAX_MASKS 64	      /* found in it */
#define MAX_FIELDS 1024
#define MAX_DECLARATION 2048 /* bytes of a field's type and name; real ones have 150 */
#define MAX_EXTENT \
	(1u << 23) /* no offset or size is larger; the data of a sub-buffer come closest */

/* Arrays whose declared length does not hold for the records. */
static const struct {
	const char *system, *event, *field;
} open_arrays[] = {
	{ "ftrace", "kernel_stack", "caller" },
};

/* Arrays declared as char that do not hold text: all their bytes count. */
static const struct {
	const char *system, *event, *field;
} byte_arrays[] = {
	{ "ftrace", "raw_data", "buf" }, /* what was written to trace_marker_raw */
};

struct format_line {
	const char *p, *end;
};

/* The next line of TEXT, without its newline; false at the end. */
static bool next_line(const char **text, const char *end, struct format_line *l)
{
	const char *nl;

	if (*text >= end)
		return false;
	nl = memchr(*text, '\n', end - *text);
	l->p = *text;
	l->end = nl ? nl : end;
	*text = nl ? nl + 1 : end;
	return true;
}

static void trim(struct format_line *l)
{
	while (l->p < l->end && ascii_space(*l->p))
		l->p++;
	while (l->end > l->p && ascii_space(l->end[-1]))
		l->end--;
}

/* Does L begin with WORD?  If so, L becomes what follows it, trimmed. */
static bool skip_word(struct format_line *l, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(l->end - l->p) < n || memcmp(l->p, word, n))
		return false;
	l->p += n;
	trim(l);
	return true;
}

/* A decimal number that fills L; at most MAX. */
static bool number(const struct format_line *l, uint32_t max, uint32_t *out)
{
	uint64_t v = 0;

	if (l->p == l->end)
		return false;
	for (const char *p = l->p; p < l->end; p++) {
		if (!ascii_digit(*p))
			return false;
		v = v * 10 + (*p - '0');
		if (v > max)
			return false;
	}
	*out = v;
	return true;
}

int format_head(const char *text, size_t len, const char **name, size_t *name_len, unsigned *id,
		struct err *e)
{
	const char *end = text + len;
	bool have_name = false, have_id = false;
	struct format_line l;
	uint32_t v;

	/* In every kernel these are the first two lines, in this order; two more are tolerated. */
	for (int i = 0; i < 4 && !(have_name && have_id) && next_line(&text, end, &l); i++) {
		trim(&l);
		if (skip_word(&l, "name:")) {
			if (l.p == l.end || l.end - l.p > 256)
				return err_set(e, ERR_FORMAT, ERR_NO_OFF,
					       "event format without a name");
			for (const char *p = l.p; p < l.end; p++)
				if ((unsigned char)*p <= ' ' || *p == 0x7f)
					return err_set(e, ERR_FORMAT, ERR_NO_OFF,
						       "event format with an unreadable name");
			*name = l.p;
			*name_len = l.end - l.p;
			have_name = true;
		} else if (skip_word(&l, "ID:")) {
			if (!number(&l, 0xffff, &v))
				return err_set(e, ERR_FORMAT, ERR_NO_OFF,
					       "event format without a usable ID");
			*id = v;
			have_id = true;
		}
	}
	if (!have_name || !have_id)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "event format without name and ID");
	return 0;
}

static bool is_ident(char c)
{
	return ascii_word(c) || c == '.' || c == '$';
}

/* Does the type text hold WORD as a whole word? */
static bool has_word(const struct format_line *type, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = type->p; p + n <= type->end; p++)
		if (*p == *word && !memcmp(p, word, n) && (p == type->p || !is_ident(p[-1])) &&
		    (p + n == type->end || !is_ident(p[n])))
			return true;
	return false;
}

/* The bytes of an item of that type, by its name; 0: unknown. */
static unsigned item_size(const struct format_line *type, unsigned long_size)
{
	struct ctype t;
	const char *p;

	/* __data_loc and __rel_loc are not part of the item's type. */
	if ((p = memchr(type->p, '*', type->end - type->p)))
		return long_size;
	if (has_word(type, "long")) {
		struct format_line rest = *type;

		for (p = type->p; p + 4 <= type->end; p++)
			if (!memcmp(p, "long", 4)) {
				rest.p = p + 4;
				break;
			}
		return has_word(&rest, "long") ? 8 : long_size;
	}
	if (has_word(type, "char") || has_word(type, "short"))
		return has_word(type, "char") ? 1 : 2;
	for (p = type->p; p < type->end; p++) {
		const char *word = p;

		while (p < type->end && is_ident(*p))
			p++;
		if (p > word && ctype_of_name(word, p - word, long_size, &t))
			return t.size;
	}
	if (has_word(type, "int") || has_word(type, "unsigned") || has_word(type, "enum"))
		return 4;
	return 0;
}

static bool is_char(const struct format_line *type)
{
	return has_word(type, "char") && !has_word(type, "unsigned") &&
	       !memchr(type->p, '*', type->end - type->p);
}

/* The fields that a print format passes to a helper that prints bit masks. */
struct masks {
	struct format_line v[MAX_MASKS];
	unsigned n;
};

static void find_masks(const struct etype *t, struct masks *m)
{
	static const char *const helpers[] = {
		"__get_bitmask(",
		"__get_rel_bitmask(",
		"__get_cpumask(",
		"__get_rel_cpumask(",
	};
	size_t len = t->print_len < MAX_PRINT ? t->print_len : MAX_PRINT;

	m->n = 0;

	for (unsigned i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++) {
		size_t h = strlen(helpers[i]);
		const char *p = t->print, *end = t->print + len;

		while (m->n < MAX_MASKS && (p = memmem(p, end - p, helpers[i], h))) {
			struct format_line *l = &m->v[m->n];

			p += h;
			while (p < end && *p == ' ')
				p++;
			for (l->p = p; p < end && is_ident(*p); p++)
				;
			l->end = p;
			m->n += p < end && p > l->p;
		}
	}
}

static bool printed_as_mask(const struct masks *m, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < m->n; i++)
		if ((size_t)(m->v[i].end - m->v[i].p) == n && !memcmp(m->v[i].p, name, n))
			return true;
	return false;
}

/*
 * The end of the declaration in a field line: the first ';' outside of parentheses, quotes and
 * brackets.
 */
static const char *declaration_end(const struct format_line *l)
{
	int depth = 0;

	for (const char *p = l->p; p < l->end; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')' && depth)
			depth--;
		else if (*p == ';' && !depth)
			return p;
	}
	return NULL;
}

/* What the parser knows about a field before its kind is decided. */
struct decl {
	struct format_line type;  /* words before the name, "__data_loc" and the like cut off */
	struct format_line whole; /* the words before the name, all of them */
	struct format_line name;
	struct format_line dim; /* between the last brackets */
	bool brackets;
	bool data_loc, rel_loc;
};

static bool parse_declaration(struct format_line l, struct decl *d)
{
	const char *p;

	memset(d, 0, sizeof(*d));
	trim(&l);
	/* Brackets at the end: "comm[16]", "buf[]"; those of __data_loc come before the name. */
	if (l.end > l.p && l.end[-1] == ']') {
		for (p = l.end - 1; p > l.p && *p != '['; p--)
			;
		if (*p != '[')
			return false;
		d->brackets = true;
		d->dim.p = p + 1;
		d->dim.end = l.end - 1;
		trim(&d->dim);
		l.end = p;
		trim(&l);
		/* Two dimensions: the item is the type before the last one. */
	}
	for (p = l.end; p > l.p && is_ident(p[-1]); p--)
		;
	if (p == l.end)
		return false;
	d->name.p = p;
	d->name.end = l.end;
	d->whole.p = l.p;
	d->whole.end = p;
	trim(&d->whole);
	d->type = d->whole;
	if (skip_word(&d->type, "__data_loc"))
		d->data_loc = true;
	else if (skip_word(&d->type, "__rel_loc"))
		d->rel_loc = true;
	if (d->type.end > d->type.p && d->type.end[-1] == ']') {
		for (p = d->type.end - 1; p > d->type.p && *p != '['; p--)
			;
		d->brackets = true;
		d->dim.p = p + (*p == '[');
		d->dim.end = d->type.end - 1;
		trim(&d->dim);
		d->type.end = p;
		trim(&d->type);
	}
	return true;
}

/* The kind of an array of items of ELEM bytes. */
static enum field_kind array_kind(const struct decl *d, unsigned elem)
{
	if (is_char(&d->type))
		return FIELD_STR;
	return elem == 2 || elem == 4 || elem == 8 ? FIELD_ARRAY : FIELD_BYTES;
}

/* Is an item of that type signed where the text's "signed:" speaks of the whole field? */
static bool item_signed(const struct decl *d, bool stated)
{
	static const char *const words[] = {
		"s8",	 "s16",	  "s32",    "s64",     "__s8",	  "__s16",
		"__s32", "__s64", "int8_t", "int16_t", "int32_t", "int64_t",
	};

	if (!d->data_loc && !d->rel_loc)
		return stated;
	/* The kernel states the sign of the item for dynamic arrays too (since 2.6.3x) ... */
	if (stated)
		return true;
	/* ... except in synthetic events, which state that of the word. */
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_word(&d->type, words[i]))
			return true;
	return false;
}

static void decide_kind(struct field *f, const struct decl *d, const struct masks *masks,
			unsigned long_size)
{
	unsigned elem = item_size(&d->type, long_size);
	bool mask = has_word(&d->type, "cpumask_t") || has_word(&d->type, "cpumask") ||
		    printed_as_mask(masks, f->name);
	bool stated_sign = f->is_signed;
	struct format_line dim = d->dim;
	uint32_t count = 0;

	if (d->brackets && number(&dim, MAX_EXTENT, &count))
		f->count = count;
	if (d->data_loc || d->rel_loc) {
		f->loc = d->rel_loc ? FIELD_REL_LOC : FIELD_DATA_LOC;
		if (f->size == 2) {
			f->loc = FIELD_LOC16;
			f->kind = FIELD_STR;
			f->elem = 1;
			return;
		}
		/* A dynamic field of an unknown type, without brackets: text, as in old kernels. */
		f->kind = !d->brackets && !elem && !mask ? FIELD_STR : array_kind(d, elem);
		f->elem = elem ? elem : 1;
		f->is_signed = item_signed(d, stated_sign);
	} else if (d->brackets) {
		f->loc = f->size ? FIELD_AT : FIELD_TAIL;
		if (f->size && count && f->size % count == 0)
			elem = f->size / count;
		f->elem = elem ? elem : 1;
		f->kind = array_kind(d, f->elem);
	} else {
		f->elem = f->size;
		f->loc = f->size ? FIELD_AT : FIELD_TAIL;
		if (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8)
			f->kind = f->is_signed ? FIELD_INT : FIELD_UINT;
		else
			f->kind = FIELD_BYTES;
		if (f->size)
			mask = mask && f->kind == FIELD_BYTES;
	}
	if (mask && f->kind != FIELD_INT && f->kind != FIELD_UINT) {
		f->kind = FIELD_BITMASK;
		f->elem = long_size;
	}
}

/* One "field:" line.  False: it cannot be used. */
static bool parse_field(struct format_line l, const struct masks *masks, struct arena *a, bool swap,
			unsigned long_size, struct field *f)
{
	const char *end = declaration_end(&l);
	bool have_off = false, have_size = false;
	struct decl d;
	uint32_t v;

	if (!end || end - l.p > MAX_DECLARATION ||
	    !parse_declaration((struct format_line){ l.p, end }, &d))
		return false;
	memset(f, 0, sizeof(*f));
	l.p = end + 1;
	while (l.p < l.end) {
		const char *semi = memchr(l.p, ';', l.end - l.p);
		struct format_line part = { l.p, semi ? semi : l.end };

		trim(&part);
		if (skip_word(&part, "offset:")) {
			if (!number(&part, MAX_EXTENT, &f->off))
				return false;
			have_off = true;
		} else if (skip_word(&part, "size:")) {
			if (!number(&part, MAX_EXTENT, &f->size))
				return false;
			have_size = true;
		} else if (skip_word(&part, "signed:")) {
			if (!number(&part, 1, &v))
				return false;
			f->is_signed = v;
		}
		l.p = semi ? semi + 1 : l.end;
	}
	if (!have_off || !have_size)
		return false;
	f->name = arena_strndup(a, d.name.p, d.name.end - d.name.p);
	f->type = arena_strndup(a, d.whole.p, d.whole.end - d.whole.p);
	f->dim = d.brackets ? arena_strndup(a, d.dim.p, d.dim.end - d.dim.p) : NULL;
	f->swap = swap;
	decide_kind(f, &d, masks, long_size);
	if (f->loc == FIELD_DATA_LOC || f->loc == FIELD_REL_LOC)
		return f->size >= 4; /* synthetic events say 8: the word is the first four */
	return true;
}

/* The bytes present in every record of T: its scalars, fixed arrays and dynamic words. */
static uint32_t fixed_size(const struct etype *t, const struct field *fields, unsigned n)
{
	uint32_t fixed = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		uint32_t size = f->size;

		for (unsigned k = 0; k < sizeof(open_arrays) / sizeof(open_arrays[0]); k++)
			if (!strcmp(t->system, open_arrays[k].system) &&
			    !strcmp(t->name, open_arrays[k].event) &&
			    !strcmp(f->name, open_arrays[k].field))
				size = 0;
		if (f->loc == FIELD_DATA_LOC || f->loc == FIELD_REL_LOC)
			size = 4;
		if (f->off + size > fixed)
			fixed = f->off + size;
	}
	return fixed;
}

/* Arrays of open_arrays run to the record's end, whatever size they state. */
static void open_tails(const struct etype *t, struct field *fields, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < sizeof(open_arrays) / sizeof(open_arrays[0]); k++)
			if (fields[i].loc == FIELD_AT &&
			    !strcmp(t->system, open_arrays[k].system) &&
			    !strcmp(t->name, open_arrays[k].event) &&
			    !strcmp(fields[i].name, open_arrays[k].field))
				fields[i].loc = FIELD_TAIL;
}

static void byte_kinds(const struct etype *t, struct field *fields, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < sizeof(byte_arrays) / sizeof(byte_arrays[0]); k++)
			if (fields[i].kind == FIELD_STR &&
			    !strcmp(t->system, byte_arrays[k].system) &&
			    !strcmp(t->name, byte_arrays[k].event) &&
			    !strcmp(fields[i].name, byte_arrays[k].field))
				fields[i].kind = FIELD_BYTES;
}

int format_parse(struct etype *t, struct arena *a, bool swap, unsigned long_size, struct err *e)
{
	const char *text = t->format, *end = t->format + t->format_len, *print;
	struct field *fields = NULL, *kept;
	size_t cap = 0;
	unsigned n = 0, ncommon = 0, bad = 0;
	struct masks masks;
	struct format_line l;

	if (t->format_len > MAX_FORMAT)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the format of %s:%s has %zu bytes",
			       t->system, t->name, t->format_len);
	/*
	 * Parse the print format first: kinds depend on it.  It comes last and may contain
	 * newlines.
	 */
	print = memmem(text, end - text, "\nprint fmt:", 11);
	t->print = "";
	t->print_len = 0;
	if (print) {
		struct format_line p = { print + 11, end };

		trim(&p);
		t->print = p.p;
		t->print_len = p.end - p.p;
		end = print;
	}
	find_masks(t, &masks);
	while (next_line(&text, end, &l)) {
		trim(&l);
		if (skip_word(&l, "field special:"))
			;
		else if (!skip_word(&l, "field:"))
			continue;
		if (n == MAX_FIELDS) {
			free(fields);
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "the format of %s:%s has over %u fields", t->system, t->name,
				       MAX_FIELDS);
		}
		fields = mem_grow(fields, &cap, n + 1, sizeof(*fields));
		if (!parse_field(l, &masks, a, swap, long_size, &fields[n])) {
			bad++;
			continue;
		}
		n++;
		if (ncommon == n - 1 && !strncmp(fields[n - 1].name, "common_", 7))
			ncommon = n;
	}
	if (bad && !n) {
		free(fields);
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the format of %s:%s has no usable field",
			       t->system, t->name);
	}
	kept = arena_alloc(a, (n ? n : 1) * sizeof(*kept));
	if (n)
		memcpy(kept, fields, n * sizeof(*kept));
	free(fields);
	open_tails(t, kept, n);
	byte_kinds(t, kept, n);
	t->fields = kept;
	t->nfields = n;
	t->ncommon = ncommon;
	t->fixed = fixed_size(t, kept, n);
	return 0;
}
