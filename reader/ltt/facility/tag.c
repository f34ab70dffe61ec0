// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tag: reads the tags of LTT facility descriptions with their attributes.  Quotes and slashes may
 * be missing; mistakes in the document, and in files that were in use, are read as intended.
 */
#include "reader/ltt/facility/tag.h"

#include "base/ascii.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

int tag_expect(struct parse *s, enum ltt_token token, const char *what)
{
	if (s->l.token == LTT_END)
		return SAY(s, "the text ends where %s is expected", what);
	if (s->l.token != token)
		return SAY(s, "%s is expected, not '%.*s'", what, SHOWN(&s->l));
	return tag_next(s);
}

static int attribute(struct parse *s, struct attributes *a)
{
	const struct {
		const char *name;
		struct attribute_value *value;
	} known[] = {
		{ "name", &a->name },	      { "size", &a->size },   { "lengthsize", &a->size },
		{ "typecodesize", &a->size }, { "value", &a->value }, { "format", &a->format },
	};
	struct attribute_value *to = NULL;

	/* The document has <FACILITY NAME=...>. */
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (s->l.len == strlen(known[i].name) &&
		    !strncasecmp(s->l.text, known[i].name, s->l.len))
			to = known[i].value;
	TRY(tag_next(s));
	/* Flags such as per_trace have no value. */
	if (s->l.token != LTT_EQUAL)
		return 0;
	TRY(tag_next(s));
	if (s->l.token != LTT_QUOTED && s->l.token != LTT_NUMBER && s->l.token != LTT_NAME)
		return SAY(s, "expected a value after '='");
	if (to)
		*to = tag_value(s);
	return tag_next(s);
}

int tag_attributes(struct parse *s, struct attributes *a)
{
	memset(a, 0, sizeof(*a));
	a->tag = tag_value(s);
	TRY(tag_next(s));
	while (s->l.token == LTT_NAME)
		TRY(attribute(s, a));
	if (s->l.token == LTT_SLASH) {
		a->closed = true;
		TRY(tag_next(s));
	}
	return tag_expect(s, LTT_GREATER, "an attribute or '>'");
}

int tag_open(struct parse *s, bool *closing)
{
	TRY(tag_expect(s, LTT_LESS, "'<'"));
	*closing = s->l.token == LTT_SLASH;
	if (*closing)
		TRY(tag_next(s));
	if (s->l.token != LTT_NAME)
		return SAY(s, "expected the name of an element after '<'");
	return 0;
}

int tag_closed(struct parse *s, const char *what)
{
	/* The document ends a field, and a type, with </event>. */
	bool slip = (!strcmp(what, "field") || !strcmp(what, "type")) && tag_is(s, "event");

	if (!tag_is(s, what) && !slip)
		return SAY(s, "</%s> is expected, not </%.*s>", what, SHOWN(&s->l));
	TRY(tag_next(s));
	return tag_expect(s, LTT_GREATER, "'>'");
}

int tag_closed_maybe(struct parse *s, const struct attributes *a, const char *what)
{
	struct lttlex before = s->l;
	bool closing;

	if (a->closed || s->l.token != LTT_LESS)
		return 0;
	TRY(tag_open(s, &closing));
	if (closing && tag_is(s, what))
		return tag_closed(s, what);
	s->l = before;
	return 0;
}

int tag_description(struct parse *s)
{
	TRY(tag_next(s));
	if (s->l.token == LTT_SLASH) {
		TRY(tag_next(s));
		return tag_expect(s, LTT_GREATER, "'>'");
	}
	if (s->l.token != LTT_GREATER)
		return SAY(s, "expected '>' after <description");
	TRY(lttlex_raw(&s->l, s->e));
	TRY(tag_next(s));
	/* The document has <description>...<description>. */
	if (s->l.token == LTT_SLASH)
		TRY(tag_next(s));
	return tag_closed(s, "description");
}

int tag_name(struct parse *s, const struct attributes *a, const struct attribute_value *v,
	     const char **out)
{
	if (!v->text || !v->len)
		return SAY_AT(s, &a->tag, "<%.*s> has no name=", SHOWN(&a->tag));
	for (size_t i = 0; i < v->len; i++)
		if ((unsigned char)v->text[i] < ' ' || v->text[i] == 0x7f)
			return SAY_AT(s, v, "a name with a control byte in it");
	*out = arena_strndup(&s->f->arena, v->text, v->len);
	return 0;
}

int tag_number(struct parse *s, const struct attribute_value *v, int64_t *out)
{
	char text[32], *end;

	if (v->len && v->len < sizeof(text) && (v->text[0] == '-' || (ascii_digit(v->text[0])))) {
		memcpy(text, v->text, v->len);
		text[v->len] = '\0';
		errno = 0;
		*out = strtoll(text, &end, strncasecmp(text, "0x", 2) == 0 ? 16 : 10);
		if (!*end && !errno && end != text)
			return 0;
	}
	return SAY_AT(s, v, "invalid number '%.*s'", SHOWN(v));
}
