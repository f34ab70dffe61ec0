// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * facility_parse: the grammar of LTT description files: facilities, events and types.  One grammar
 * covers three generations of the language, which differ in the meaning of the words for types.
 * Mistakes in the document, and in files that were in use, are read as intended.
 */
#include "reader/ltt/facility/scalar.h"
#include "trace/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static int parse_type(struct parse *s, unsigned depth, struct ltt_type **out);

/* Add a label, after *LAST of T. */
static int add_label(struct parse *s, struct ltt_type *t, struct ltt_label **last,
		     const struct attributes *a)
{
	struct ltt_label *l = arena_alloc(&s->f->arena, sizeof(*l));

	TRY(tag_name(s, a, &a->name, &l->name));
	if (++s->nlabels > LTT_MAX_LABELS)
		return SAY_AT(s, &a->tag, "more than %d labels", LTT_MAX_LABELS);
	l->text = l->name;
	if (a->value.text) {
		size_t len = strlen(l->name);
		char *text = arena_alloc(&s->f->arena, len + a->value.len + 2);

		TRY(tag_number(s, &a->value, &l->value));
		memcpy(text, l->name, len);
		text[len] = '=';
		memcpy(text + len + 1, a->value.text, a->value.len);
		l->text = text;
	} else if (*last && (*last)->value == INT64_MAX) {
		return SAY_AT(s, &a->tag, "this label has a value past all numbers");
	} else if (*last) {
		l->value = (*last)->value + 1;
	}
	if (l->value < 0)
		t->is_signed = true;
	t->nlabels++;
	if (*last)
		(*last)->next = l;
	else
		t->labels = l;
	*last = l;
	return 0;
}

static void sort_labels(struct parse *s, struct ltt_type *t)
{
	struct field_label *to = arena_alloc(&s->f->arena, (t->nlabels + 1) * sizeof(*to));
	unsigned n = 0;

	for (struct ltt_label *l = t->labels; l; l = l->next)
		to[n++] = (struct field_label){ l->value, l->value, l->name };
	field_sort_labels(to, n);
	t->sorted = to;
}

static int parse_labels(struct parse *s, struct ltt_type *t)
{
	struct ltt_label *last = NULL;
	struct attributes a;
	bool closing;

	for (;;) {
		/* Bare words, as in the document; readers of the time did not accept them. */
		if (s->l.token == LTT_NAME) {
			memset(&a, 0, sizeof(a));
			a.tag = a.name = tag_value(s);
			TRY(add_label(s, t, &last, &a));
			TRY(tag_next(s));
			continue;
		}
		TRY(tag_open(s, &closing));
		if (closing)
			return tag_closed(s, "enum");
		if (tag_is(s, "description")) {
			TRY(tag_description(s));
			continue;
		}
		if (!tag_is(s, "label"))
			return SAY(s, "<label> is expected, not <%.*s>", SHOWN(&s->l));
		TRY(tag_attributes(s, &a));
		TRY(add_label(s, t, &last, &a));
		TRY(tag_closed_maybe(s, &a, "label"));
	}
}

static int parse_enum(struct parse *s, struct ltt_type *t, const struct attributes *a)
{
	const struct ltt_size *size;
	unsigned index;

	t->kind = LTT_ENUM;
	t->word = "enum";
	t->width = LTT_W_INT;
	if (lttscalar_old(s)) {
		char word[32];

		TRY(lttscalar_size(s, a, &size, &index));
		t->width = size->width;
		snprintf(word, sizeof(word), "enum %s", size->uint);
		t->word = arena_strndup(&s->f->arena, word, strlen(word));
	} else if (a->size.text) {
		return SAY_AT(s, &a->size, "an enum is an int since 0.6: it has no size=");
	}
	if (!a->closed)
		TRY(parse_labels(s, t));
	sort_labels(s, t);
	return 0;
}

/* From <field name=...>, its name being current, to </field>. */
static int parse_field(struct parse *s, unsigned depth, struct ltt_member ***at)
{
	struct ltt_member *m = arena_alloc(&s->f->arena, sizeof(*m));
	struct attributes a;
	bool closing;

	TRY(tag_attributes(s, &a));
	TRY(tag_name(s, &a, &a.name, &m->name));
	if (a.closed)
		return SAY_AT(s, &a.tag, "the field %.40s has no type", m->name);
	for (;;) {
		TRY(tag_open(s, &closing));
		if (closing && !m->type)
			return SAY(s, "the field %.40s has no type", m->name);
		if (closing)
			break;
		if (tag_is(s, "description")) {
			TRY(tag_description(s));
			continue;
		}
		if (m->type)
			return SAY(s, "the field %.40s has a second type", m->name);
		TRY(parse_type(s, depth + 1, &m->type));
	}
	**at = m;
	*at = &m->next;
	return tag_closed(s, "field");
}

static int parse_members(struct parse *s, struct ltt_type *t, const char *what, unsigned depth,
			 const struct attributes *a)
{
	struct ltt_member **at = &t->members;
	bool closing;

	t->word = what;
	if (a->closed)
		return 0;
	for (;;) {
		TRY(tag_open(s, &closing));
		if (closing)
			return tag_closed(s, what);
		if (tag_is(s, "description"))
			TRY(tag_description(s));
		else if (tag_is(s, "field"))
			TRY(parse_field(s, depth, &at));
		else
			return SAY(s, "<field> is expected, not <%.*s>", SHOWN(&s->l));
	}
}

/*
 * The types inside <array> and <sequence>, one or two, and the end tag.  A slash in the preceding
 * tag is ignored: some files have it.
 */
static int parse_items(struct parse *s, const char *what, unsigned depth, struct ltt_type **types,
		       unsigned most, unsigned *n)
{
	bool closing;

	for (*n = 0;;) {
		TRY(tag_open(s, &closing));
		if (closing)
			break;
		if (tag_is(s, "description")) {
			TRY(tag_description(s));
			continue;
		}
		if (*n == most)
			return SAY(s, "the %s has more types than %u", what, most);
		TRY(parse_type(s, depth + 1, &types[*n]));
		++*n;
	}
	if (!*n)
		return SAY(s, "the %s has no type of its items", what);
	return tag_closed(s, what);
}

static int parse_array(struct parse *s, struct ltt_type *t, unsigned depth,
		       const struct attributes *a)
{
	char word[32];
	int64_t count;
	unsigned n;

	if (!a->size.text)
		return SAY_AT(s, &a->tag, "<array> has no size=");
	TRY(tag_number(s, &a->size, &count));
	if (count < 0 || count > UINT32_MAX)
		return SAY_AT(s, &a->size, "no array has so many items");
	t->kind = LTT_ARRAY;
	t->count = count;
	snprintf(word, sizeof(word), "array %u", t->count);
	t->word = arena_strndup(&s->f->arena, word, strlen(word));
	return parse_items(s, "array", depth, &t->elem, 1, &n);
}

/*
 * The document and 0.4 have the width of the length in the tag; 0.6 has a type for it before the
 * type of the items.
 */
static int parse_sequence(struct parse *s, struct ltt_type *t, unsigned depth,
			  const struct attributes *a)
{
	struct ltt_type *types[2] = { NULL, NULL };
	const struct ltt_size *size;
	unsigned index, n;

	t->kind = LTT_SEQUENCE;
	t->word = "sequence ";
	if (!a->size.text) {
		TRY(parse_items(s, "sequence", depth, types, 2, &n));
		if (n < 2)
			return SAY_AT(s, &a->tag,
				      "a sequence has a type of its length and one of "
				      "its items, or a size=");
		if (types[0]->kind != LTT_SCALAR || types[0]->is_float ||
		    (types[0]->is_signed && strcmp(types[0]->word, "off_t")))
			return SAY_AT(s, &a->tag, "the length of a sequence is an unsigned number");
		t->length = types[0];
		t->elem = types[1];
		return 0;
	}
	TRY(lttscalar_size(s, a, &size, &index));
	t->length = arena_alloc(&s->f->arena, sizeof(*t->length));
	t->length->width = size->width;
	t->length->word = size->uint;
	if (lttscalar_old(s)) {
		char word[32];

		/*
		 * The checksum covers the size's index, in the word, but not a type of the length.
		 */
		snprintf(word, sizeof(word), "sequence %u", index);
		t->word = arena_strndup(&s->f->arena, word, strlen(word));
		t->length->word = "";
	}
	return parse_items(s, "sequence", depth, &t->elem, 1, &n);
}

static int parse_ref(struct parse *s, struct ltt_type *t, const struct attributes *a)
{
	t->kind = LTT_REF;
	t->word = "";
	t->next_ref = s->fac->refs;
	s->fac->refs = t;
	TRY(tag_name(s, a, &a->name, &t->ref));
	return tag_closed_maybe(s, a, "typeref");
}

/* From a type's element, its name being current, to its end. */
static int parse_type(struct parse *s, unsigned depth, struct ltt_type **out)
{
	struct ltt_type *t = arena_alloc(&s->f->arena, sizeof(*t));
	struct attributes a;
	const char *name;
	int rc;

	if (depth > LTT_MAX_DEPTH)
		return SAY(s, "types are nested more than %d deep", LTT_MAX_DEPTH);
	t->line = s->l.at_line;
	t->column = s->l.at_column;
	name = arena_strndup(&s->f->arena, s->l.text, s->l.len);
	*out = t;
	TRY(tag_attributes(s, &a));
	if (a.format.text)
		t->format = arena_strndup(&s->f->arena, a.format.text, a.format.len);
	if (!strcmp(name, "struct") || !strcmp(name, "union")) {
		t->kind = name[0] == 's' ? LTT_STRUCT : LTT_UNION;
		return parse_members(s, t, name, depth, &a);
	}
	if (!strcmp(name, "array"))
		return parse_array(s, t, depth, &a);
	if (!strcmp(name, "sequence"))
		return parse_sequence(s, t, depth, &a);
	if (!strcmp(name, "enum"))
		return parse_enum(s, t, &a);
	if (!strcmp(name, "typeref"))
		return parse_ref(s, t, &a);
	if (!strcmp(name, "string")) {
		t->kind = LTT_STRING;
		t->word = "string";
		return tag_closed_maybe(s, &a, name);
	}
	rc = lttscalar_parse(s, t, name, &a);
	if (rc < 0)
		return -1;
	if (rc > 0) {
		return SAY_AT(s, t, "unknown type <%.40s>", name);
	}
	return tag_closed_maybe(s, &a, name);
}

/* From <type name=...>, its name being current, to </type>. */
static int parse_named(struct parse *s)
{
	struct ltt_named *n = arena_alloc(&s->f->arena, sizeof(*n));
	struct attributes a;
	bool closing;

	TRY(tag_attributes(s, &a));
	TRY(tag_name(s, &a, &a.name, &n->name));
	for (;;) {
		TRY(tag_open(s, &closing));
		if (closing)
			break;
		if (tag_is(s, "description"))
			TRY(tag_description(s));
		else if (n->type)
			return SAY(s, "the type %.40s has a second type", n->name);
		else
			TRY(parse_type(s, 1, &n->type));
	}
	if (!n->type)
		return SAY(s, "the type %.40s has none inside", n->name);
	n->next = s->fac->named;
	s->fac->named = n;
	return tag_closed(s, "type");
}

/*
 * What is between <event> and </event>: a struct or a typeref in the older files, fields without a
 * struct since 0.6.
 */
static int parse_body(struct parse *s, struct ltt_event *ev)
{
	struct ltt_member **at = NULL;
	bool closing;

	for (;;) {
		TRY(tag_open(s, &closing));
		if (closing)
			return tag_closed(s, "event");
		if (tag_is(s, "description")) {
			TRY(tag_description(s));
		} else if (tag_is(s, "field") && (!ev->body || at)) {
			if (!at) {
				ev->body = arena_alloc(&s->f->arena, sizeof(*ev->body));
				ev->body->kind = LTT_STRUCT;
				ev->body->word = "struct";
				ev->body->line = s->l.at_line;
				ev->body->column = s->l.at_column;
				at = &ev->body->members;
			}
			TRY(parse_field(s, 1, &at));
		} else if (!ev->body && (tag_is(s, "struct") || tag_is(s, "typeref"))) {
			TRY(parse_type(s, 1, &ev->body));
		} else {
			return SAY(s, "an event has fields, or one struct or typeref, not <%.*s>",
				   SHOWN(&s->l));
		}
	}
}

static int parse_event(struct parse *s, struct ltt_event ***at)
{
	struct ltt_event *ev = arena_alloc(&s->f->arena, sizeof(*ev));
	unsigned most = s->f->gen == LTT_G1 ? LTT_MAX_EVENTS_G1 : LTT_MAX_EVENTS;
	struct attributes a;

	ev->line = s->l.at_line;
	ev->column = s->l.at_column;
	if (s->fac->nevents == most)
		return SAY(s, "more than %u events in a facility", most);
	TRY(tag_attributes(s, &a));
	TRY(tag_name(s, &a, &a.name, &ev->name));
	**at = ev;
	*at = &ev->next;
	s->fac->nevents++;
	return a.closed ? 0 : parse_body(s, ev);
}

static int parse_facility(struct parse *s)
{
	struct ltt_event **at = &s->fac->first;
	struct attributes a;
	bool closing;

	TRY(tag_attributes(s, &a));
	TRY(tag_name(s, &a, &a.name, &s->fac->name));
	while (!a.closed) {
		TRY(tag_open(s, &closing));
		if (closing)
			break;
		if (tag_is(s, "description"))
			TRY(tag_description(s));
		else if (tag_is(s, "event"))
			TRY(parse_event(s, &at));
		else if (tag_is(s, "type"))
			TRY(parse_named(s));
		else
			return SAY(s, "<event> or <type> is expected, not <%.*s>", SHOWN(&s->l));
	}
	if (a.closed)
		return 0;
	if (s->l.len == 8 && !strncasecmp(s->l.text, "facility", 8)) {
		TRY(tag_next(s));
		return tag_expect(s, LTT_GREATER, "'>'");
	}
	return SAY(s, "</facility> is expected, not </%.*s>", SHOWN(&s->l));
}

int ltt_parse(struct ltt_facilities *f, const char *text, size_t len, struct err *e)
{
	struct parse s = { .f = f, .e = e };
	struct ltt_facility **at = &f->first;
	bool closing;

	lttlex_init(&s.l, text, len);
	TRY(tag_next(&s));
	while (s.l.token != LTT_END) {
		TRY(tag_open(&s, &closing));
		if (closing || s.l.len != 8 || strncasecmp(s.l.text, "facility", 8) != 0)
			return SAY(&s, "<facility> is expected, not <%s%.*s>", closing ? "/" : "",
				   SHOWN(&s.l));
		if (f->n == LTT_MAX_FACILITIES)
			return SAY(&s, "more than %d facilities", LTT_MAX_FACILITIES);
		s.fac = arena_alloc(&f->arena, sizeof(*s.fac));
		TRY(parse_facility(&s));
		f->n++;
		*at = s.fac;
		at = &s.fac->next;
	}
	return 0;
}
