/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_FACILITY_TAG_H
#define ZED_READER_LTT_FACILITY_TAG_H

#include "reader/ltt/facility/facility_lex.h"
#include "reader/ltt/facility/type.h"

#include <string.h>

/*
 * Tags of LTT's facility descriptions, between the tokens (facility_lex.h) and the grammar
 * (facility_parse.c). Each function returns -1 with the parse's error filled.
 */
struct parse {
	struct lttlex l;
	struct ltt_facilities *f;
	struct ltt_facility *fac;
	unsigned nlabels;
	struct err *e;
};

/* The value of an attribute, borrowed from the text. */
struct attribute_value {
	const char *text; /* NULL: missing */
	size_t len;
	unsigned line, column;
};

/* A parsed tag. */
struct attributes {
	struct attribute_value tag; /* its name */
	struct attribute_value name, size, value, format;
	bool closed; /* it ends with a slash */
};

/* An error at the parser's position, and one at the value V. */
#define SAY(s, ...) lttlex_err(&(s)->l, (s)->e, __VA_ARGS__)
#define SAY_AT(s, v, ...) \
	((s)->l.at_line = (v)->line, (s)->l.at_column = (v)->column, SAY(s, __VA_ARGS__))

/* For %.*s: a value or token, cut to what fits a message. */
#define SHOWN(v) (int)((v)->len < 40 ? (v)->len : 40), (v)->text ? (v)->text : ""

static inline int tag_next(struct parse *s)
{
	return lttlex_next(&s->l, s->e);
}

static inline bool tag_is(const struct parse *s, const char *name)
{
	return s->l.token == LTT_NAME && s->l.len == strlen(name) &&
	       !memcmp(s->l.text, name, s->l.len);
}

/* The current token. */
static inline struct attribute_value tag_value(const struct parse *s)
{
	return (struct attribute_value){ s->l.text, s->l.len, s->l.at_line, s->l.at_column };
}

/* Skip TOKEN, which must be current. */
int tag_expect(struct parse *s, enum ltt_token token, const char *what);

/* Read the '<' of a tag, and its '/'; its name is then current. */
int tag_open(struct parse *s, bool *closing);

/* Read the rest of a tag whose name is current. */
int tag_attributes(struct parse *s, struct attributes *a);

/* Read the end of element WHAT, whose "</" was read. */
int tag_closed(struct parse *s, const char *what);

/* Read </WHAT>, if it is next: real XML has it after a tag without a slash, other files do not. */
int tag_closed_maybe(struct parse *s, const struct attributes *a, const char *what);

/* Skip a description, whose name is current. */
int tag_description(struct parse *s);

/* The name in V, copied to the arena. */
int tag_name(struct parse *s, const struct attributes *a, const struct attribute_value *v,
	     const char **out);

/* The number in V: decimal, or hexadecimal after 0x. */
int tag_number(struct parse *s, const struct attribute_value *v, int64_t *out);

#endif
