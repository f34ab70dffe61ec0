// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_tree: parses JSON into a tree.
 */
#include "base/json_tree.h"

#include "base/ascii.h"
#include "base/plain.h"

#include <string.h>

#define REPLACEMENT 0xfffd

struct parsing {
	const char *text, *p, *end;
	struct arena *arena;
	unsigned nvalues;
	bool strict; /* json_tree_parse_strict() */
	struct err *e;
};

#define SAY(t, ...) err_set((t)->e, ERR_FORMAT, (uint64_t)((t)->p - (t)->text), __VA_ARGS__)

static int parse_value(struct parsing *t, struct json_value *v, unsigned depth);

static void skip_blanks(struct parsing *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t' || *t->p == '\r' || *t->p == '\n'))
		t->p++;
}

/* If C comes next, skip it. */
static bool take(struct parsing *t, char c)
{
	skip_blanks(t);
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

/* ---- strings ---- */

static int parse_hex(struct parsing *t, uint32_t *out)
{
	*out = 0;
	for (unsigned i = 0; i < 4; i++, t->p++) {
		if (t->p == t->end || !ascii_hex(*t->p))
			return SAY(t, "\\u needs four hexadecimal digits");
		*out = *out << 4 |
		       (unsigned)(ascii_digit(*t->p) ? *t->p - '0' : (*t->p | 0x20) - 'a' + 10);
	}
	return 0;
}

/* After "\u". */
static int parse_code_point(struct parsing *t, uint32_t *out)
{
	uint32_t low;

	TRY(parse_hex(t, out));
	if (*out >= 0xd800 && *out < 0xdc00 && t->end - t->p >= 6 && t->p[0] == '\\' &&
	    t->p[1] == 'u') {
		const char *from = t->p;

		t->p += 2;
		TRY(parse_hex(t, &low));
		if (low >= 0xdc00 && low < 0xe000)
			*out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
		else
			t->p = from;
	}
	if (*out && (*out < 0xd800 || *out >= 0xe000))
		return 0;
	if (t->strict)
		return SAY(t, *out ? "half of a surrogate pair" : "\\u0000 in a string");
	*out = REPLACEMENT;
	return 0;
}

/* C as UTF-8, which has no more bytes than its escape; returns what follows it. */
static char *put_utf8(char *to, uint32_t c)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	*to++ = (char)(first[n] | c >> 6 * (n - 1));
	while (--n)
		*to++ = (char)(0x80 | (c >> 6 * (n - 1) & 0x3f));
	return to;
}

/* After a backslash: append to *TO. */
static int parse_escape(struct parsing *t, char **to)
{
	static const char from[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
	const char *at;
	uint32_t c;

	if (t->p == t->end)
		return SAY(t, "a string has no end");
	if (*t->p == 'u') {
		t->p++;
		TRY(parse_code_point(t, &c));
		*to = put_utf8(*to, c);
		return 0;
	}
	at = *t->p ? strchr(from, *t->p) : NULL;
	if (!at)
		return SAY(t, "invalid escape after \\");
	*(*to)++ = is[at - from];
	t->p++;
	return 0;
}

/* A character without an escape: strict, all of its bytes. */
static int parse_bytes(struct parsing *t, char **to)
{
	unsigned n = t->strict ? utf8_len(t->p, (size_t)(t->end - t->p)) : 1;

	if (!n)
		return SAY(t, "a string is not UTF-8");
	while (n--)
		*(*to)++ = *t->p++;
	return 0;
}

/* A string, after its first quote. */
static int parse_string(struct parsing *t, const char **out)
{
	const char *q = t->p;
	char *to;

	while (q < t->end && *q != '"')
		q += *q == '\\' && q + 1 < t->end ? 2 : 1;
	*out = to = arena_alloc(t->arena, q - t->p + 1);
	while (t->p < t->end && *t->p != '"') {
		if ((uint8_t)*t->p < 0x20)
			return SAY(t, "control character in a string");
		if (*t->p != '\\') {
			TRY(parse_bytes(t, &to));
			continue;
		}
		t->p++;
		TRY(parse_escape(t, &to));
	}
	if (t->p == t->end)
		return SAY(t, "a string has no end");
	t->p++;
	return 0;
}

/* ---- numbers ---- */

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && ascii_digit(*p))
		p++;
	return p;
}

/* The whole number of the digits from P to END; false: it has more than 64 bits. */
static bool whole(const char *p, const char *end, uint64_t *out)
{
	*out = 0;
	for (; p < end; p++)
		if (__builtin_mul_overflow(*out, 10u, out) ||
		    __builtin_add_overflow(*out, (unsigned)(*p - '0'), out))
			return false;
	return true;
}

static int parse_number(struct parsing *t, struct json_value *v)
{
	const char *from = t->p, *digits = from + (*from == '-'), *p = skip_digits(digits, t->end);
	const char *point = p;

	if (p == digits || (*digits == '0' && p > digits + 1))
		return SAY(t, "invalid value");
	if (p < t->end && *p == '.') {
		digits = p + 1;
		p = skip_digits(digits, t->end);
		if (p == digits)
			return SAY(t, "number without digits after the decimal point");
	}
	if (p < t->end && (*p == 'e' || *p == 'E')) {
		digits = p + 1;
		if (digits < t->end && (*digits == '+' || *digits == '-'))
			digits++;
		p = skip_digits(digits, t->end);
		if (p == digits)
			return SAY(t, "number without digits after e");
	}
	t->p = p;
	v->text = arena_strndup(t->arena, from, p - from);
	v->kind = JSON_REAL;
	if (p != point || !whole(from + (*from == '-'), point, &v->number))
		return 0;
	if (*from != '-' || !v->number)
		v->kind = JSON_UINT;
	else if (v->number <= (uint64_t)INT64_MAX + 1)
		v->kind = JSON_NEGATIVE;
	if (v->kind == JSON_NEGATIVE)
		v->number = -v->number;
	return 0;
}

/* ---- all values ---- */

static int parse_word(struct parsing *t, struct json_value *v)
{
	static const struct {
		const char *word;
		uint8_t kind, number;
	} words[] = { { "null", JSON_NULL, 0 },
		      { "true", JSON_BOOL, 1 },
		      { "false", JSON_BOOL, 0 } };

	for (unsigned i = 0; i < 3; i++) {
		size_t len = strlen(words[i].word);

		if ((size_t)(t->end - t->p) < len || memcmp(t->p, words[i].word, len) != 0)
			continue;
		t->p += len;
		v->kind = words[i].kind;
		v->number = words[i].number;
		return 0;
	}
	return SAY(t, "invalid value");
}

/* Strict: is a KEY among the members from FIRST on? */
static bool has_key(const struct json_value *first, const char *key)
{
	while (first && strcmp(first->key, key) != 0)
		first = first->next;
	return first;
}

static int parse_key(struct parsing *t, struct json_value *v)
{
	if (!take(t, '"'))
		return SAY(t, "expected a string as key");
	TRY(parse_string(t, &v->key));
	return take(t, ':') ? 0 : SAY(t, "expected : after a key");
}

/* The key of ITEM, one more member of V. */
static int parse_member(struct parsing *t, const struct json_value *v, struct json_value *item)
{
	TRY(parse_key(t, item));
	if (!t->strict)
		return 0;
	if (v->n == JSON_STRICT_MEMBERS)
		return SAY(t, "more than %d members in an object", JSON_STRICT_MEMBERS);
	return has_key(v->first, item->key) ? SAY(t, "duplicate key '%.40s'", item->key) : 0;
}

/* After '[' or '{'. */
static int parse_items(struct parsing *t, struct json_value *v, unsigned depth)
{
	struct json_value **tail = &v->first;
	char close = v->kind == JSON_ARRAY ? ']' : '}';

	if (!depth)
		return SAY(t, "more than %d arrays and objects are in each other",
			   t->strict ? JSON_STRICT_DEPTH : JSON_TREE_DEPTH);
	if (take(t, close))
		return 0;
	do {
		struct json_value *item = arena_alloc(t->arena, sizeof(*item));

		if (v->kind == JSON_OBJECT)
			TRY(parse_member(t, v, item));
		TRY(parse_value(t, item, depth - 1));
		*tail = item;
		tail = &item->next;
		v->n++;
	} while (take(t, ','));
	return take(t, close) ? 0 : SAY(t, "expected , or %c", close);
}

static int parse_value(struct parsing *t, struct json_value *v, unsigned depth)
{
	skip_blanks(t);
	if (t->p == t->end)
		return SAY(t, "a value is missing");
	if (t->nvalues++ == JSON_TREE_VALUES)
		return SAY(t, "more than %u values", JSON_TREE_VALUES);
	switch (*t->p) {
	case '{':
	case '[':
		v->kind = *t->p++ == '{' ? JSON_OBJECT : JSON_ARRAY;
		return parse_items(t, v, depth);
	case '"':
		t->p++;
		v->kind = JSON_STRING;
		return parse_string(t, &v->text);
	case 'n':
	case 't':
	case 'f':
		return parse_word(t, v);
	}
	return parse_number(t, v);
}

static int parse_all(struct parsing *t, struct json_value *to, unsigned depth)
{
	*to = (struct json_value){ .kind = JSON_NULL };
	TRY(parse_value(t, to, depth));
	skip_blanks(t);
	return t->p == t->end ? 0 : SAY(t, "trailing data");
}

int json_tree_parse(struct json_value *to, struct arena *a, const char *text, size_t len,
		    struct err *e)
{
	struct parsing t = { .text = text, .p = text, .end = text + len, .arena = a, .e = e };

	return parse_all(&t, to, JSON_TREE_DEPTH);
}

int json_tree_parse_strict(struct json_value *to, struct arena *a, const char *text, size_t len,
			   struct err *e)
{
	struct parsing t = {
		.text = text, .p = text, .end = text + len, .arena = a, .e = e, .strict = true
	};

	return parse_all(&t, to, JSON_STRICT_DEPTH);
}

/* ---- looking up ---- */

const struct json_value *json_member(const struct json_value *v, const char *key)
{
	const struct json_value *m = v && v->kind == JSON_OBJECT ? v->first : NULL;

	while (m && strcmp(m->key, key) != 0)
		m = m->next;
	return m;
}

const char *json_member_text(const struct json_value *v, const char *key)
{
	const struct json_value *m = json_member(v, key);

	return m && m->kind == JSON_STRING ? m->text : NULL;
}
