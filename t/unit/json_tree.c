// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_tree: JSON as a tree: exact numbers, escapes, limits.  Without it metadata of CTF 2 are
 * understood wrongly, or a text overflows the stack.
 *
 * of: base/json_tree.c
 */
#include "base/json_tree.h"
#include "t/lib/c/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parse TEXT, of which nothing after its end may be read. */
static int parse(struct json_value *v, struct arena *a, const char *text, size_t len, struct err *e)
{
	char *exact = malloc(len ? len : 1);
	int rc;

	memcpy(exact, text, len);
	rc = json_tree_parse(v, a, exact, len, e);
	free(exact);
	return rc;
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		uint8_t kind;
		uint64_t number;
	} cases[] = {
		{ "0", JSON_UINT, 0 },
		{ "-0", JSON_UINT, 0 },
		{ " 18446744073709551615 ", JSON_UINT, UINT64_MAX },
		{ "18446744073709551616", JSON_REAL, 0 },
		{ "9223372036854775809", JSON_UINT, (uint64_t)INT64_MAX + 2 },
		{ "-9223372036854775808", JSON_NEGATIVE, (uint64_t)INT64_MIN },
		{ "-9223372036854775809", JSON_REAL, 0 },
		{ "-1", JSON_NEGATIVE, UINT64_MAX },
		{ "1.0", JSON_REAL, 0 },
		{ "1e3", JSON_REAL, 0 },
		{ "-2.5E-3", JSON_REAL, 0 },
		{ "true", JSON_BOOL, 1 },
		{ "false", JSON_BOOL, 0 },
		{ "null", JSON_NULL, 0 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a = { .blocks = NULL };
		struct json_value v;
		struct err e;
		bool right = parse(&v, &a, cases[i].text, strlen(cases[i].text), &e) == 0 &&
			     v.kind == cases[i].kind &&
			     (v.kind == JSON_REAL || v.number == cases[i].number);

		ok(right, "%s (else: a double's 53 bits are what is left of it)", cases[i].text);
		arena_fini(&a);
	}
}

static void test_strings(void)
{
	static const struct {
		const char *text, *is;
	} cases[] = {
		{ "\"\"", "" },
		{ "\"a\\n\\\"\\\\\\/\\t\"", "a\n\"\\/\t" },
		{ "\"\\u00e9\\u20ac\"", "\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		{ "\"\xc3\xa9\"", "\xc3\xa9" },
		{ "\"\\ud83dx\"", "\xef\xbf\xbdx" },
		{ "\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
					"A" },
		{ "\"\\ude00\"", "\xef\xbf\xbd" },
		{ "\"a\\u0000b\"", "a\xef\xbf\xbd"
				   "b" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a = { .blocks = NULL };
		struct json_value v;
		struct err e;

		ok(parse(&v, &a, cases[i].text, strlen(cases[i].text), &e) == 0 &&
			   v.kind == JSON_STRING && !strcmp(v.text, cases[i].is),
		   "string %u", i);
		arena_fini(&a);
	}
}

static void test_trees(void)
{
	static const char text[] = "{ \"a\": [1, [], {}, \"x\"], \"b\" : {\"c\":true} , \"b\":2}";
	const struct json_value *list, *b;
	struct arena a = { .blocks = NULL };
	struct json_value v;
	struct err e;

	ok(parse(&v, &a, text, sizeof(text) - 1, &e) == 0 && v.kind == JSON_OBJECT && v.n == 3,
	   "an object");
	list = json_member(&v, "a");
	ok(list && list->kind == JSON_ARRAY && list->n == 4 && list->first->number == 1 &&
		   list->first->next->n == 0 && !strcmp(list->first->next->next->next->text, "x"),
	   "an array in it");
	b = json_member(&v, "b");
	ok(b && b->kind == JSON_OBJECT && json_member(b, "c")->number == 1, "an object in it");
	ok(!json_member(&v, "c") && !json_member(list, "c") && !json_member(NULL, "c") &&
		   !json_member_text(&v, "a"),
	   "what is not there");
	arena_fini(&a);
}

static void test_mistakes(void)
{
	static const char *const texts[] = {
		"",	  "{",	      "[1,]", "{\"a\"}", "{1:2}",   "{\"a\":}",
		"[1 2]",  "01",	      "-",    "1.",	 "1e",	    ".5",
		"+1",	  "nul",      "\"",   "\"\\",	 "\"\\x\"", "\"\\u12g\"",
		"\"\\u1", "\"a\nb\"", "[1]]", "'a'",	 "NaN",	    "\"\\ud83d\\u12\""
	};
	char deep[2 * JSON_TREE_DEPTH + 2];
	struct json_value v;
	struct err e;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct arena a = { .blocks = NULL };

		ok(parse(&v, &a, texts[i], strlen(texts[i]), &e) < 0 && e.off <= strlen(texts[i]),
		   "mistake %u is refused, at an offset in it", i);
		arena_fini(&a);
	}
	for (unsigned n = JSON_TREE_DEPTH; n <= JSON_TREE_DEPTH + 1; n++) {
		struct arena a = { .blocks = NULL };

		memset(deep, '[', n);
		memset(deep + n, ']', n);
		ok((parse(&v, &a, deep, 2 * n, &e) == 0) == (n == JSON_TREE_DEPTH),
		   "%u arrays in each other", n);
		arena_fini(&a);
	}
}

static void test_bounds(void)
{
	size_t len = 3 * (JSON_TREE_VALUES + 2);
	char *many = malloc(len);
	struct arena a = { .blocks = NULL };
	struct json_value v;
	struct err e;

	for (size_t i = 0; i < len; i++)
		many[i] = i % 2 ? ',' : '0';
	many[0] = '[';
	ok(parse(&v, &a, many, len, &e) < 0, "more values than are read are refused");
	arena_fini(&a);
	free(many);
}

static bool is_strict(const char *text, size_t len)
{
	struct arena a = { .blocks = NULL };
	struct json_value v;
	struct err e;
	bool is = json_tree_parse_strict(&v, &a, text, len, &e) == 0;

	arena_fini(&a);
	return is;
}

/* Else a message has another meaning here than where it was checked before. */
static void test_strict(void)
{
	static const char *const refused[] = {
		"{\"a\":1,\"a\":2}",
		"[{\"a\":1,\"b\":2,\"a\":1}]",
		"\"\\u0000\"",
		"\"\\ud83dx\"",
		"\"\\ude00\"",
		"\"\xc3\"",
		"\"\xed\xa0\x80\"",
		"\"\xff\"",
		"{\"\\u0061\":1,\"a\":2}",
	};
	static const char *const taken[] = {
		"{\"a\":{\"a\":1},\"b\":{\"a\":2}}",
		"\"\xc3\xa9\\ud83d\\ude00\\n\"",
		"[1e3,-0]",
	};
	char deep[2 * JSON_STRICT_DEPTH + 2], many[16 * (JSON_STRICT_MEMBERS + 1)];

	for (unsigned i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		ok(!is_strict(refused[i], strlen(refused[i])), "strict: %u is refused", i);
	for (unsigned i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		ok(is_strict(taken[i], strlen(taken[i])), "strict: %u is read", i);
	for (unsigned n = JSON_STRICT_DEPTH; n <= JSON_STRICT_DEPTH + 1; n++) {
		memset(deep, '[', n);
		memset(deep + n, ']', n);
		ok(is_strict(deep, 2 * n) == (n == JSON_STRICT_DEPTH), "strict: depth %u", n);
	}
	for (unsigned n = JSON_STRICT_MEMBERS; n <= JSON_STRICT_MEMBERS + 1; n++) {
		size_t len = 0;

		for (unsigned i = 0; i < n; i++)
			len += (size_t)snprintf(many + len, sizeof(many) - len, "%c\"k%u\":0",
						i ? ',' : '{', i);
		many[len++] = '}';
		ok(is_strict(many, len) == (n == JSON_STRICT_MEMBERS), "strict: %u members", n);
	}
}

int main(void)
{
	test_numbers();
	test_strict();
	test_strings();
	test_trees();
	test_mistakes();
	test_bounds();
	return tap_done();
}
