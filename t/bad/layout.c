// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout: packed records with locators that no writer made, and others at the limits of what a
 * locator can tell.  Without it a few bytes of a file could show other memory, or take all of it.
 *
 * of: stable/pack.c stable trace/field.c
 */
#include "trace/field.h"
#include "stable/pack.h"
#include "t/lib/c/desctry.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

static struct desc desc_of(const char *text)
{
	struct desc d = { .n = 0 };
	struct err e;

	if (desc_parse(&d, text, strlen(text), &e) < 0)
		bail("'%s': %s", text, e.msg);
	return d;
}

static int open_words(const struct desc *d, const char *bytes, struct span *a, struct span *b,
		      uint8_t **open, struct err *e)
{
	struct event ev = { .ts = 0 };
	uint8_t *p = malloc(16); /* ends with its block, so that a sanitizer sees more */
	size_t cap = 0;
	int rc;

	memcpy(p, bytes, 16);
	*open = NULL;
	rc = descpack_open(d, false, p, 16, open, &cap, &ev.size, e);
	free(p);
	ev.data = *open;
	if (rc < 0)
		return rc;
	if (!field_span(&d->fields[0], &ev, a) || !field_span(&d->fields[1], &ev, b))
		bail("a word that points outside, opened");
	return ev.size;
}

static void test_locators(void)
{
	static const struct {
		const char *what;
		char bytes[17]; /* 2 words, 8 bytes of data, and a NUL of C */
		int len;
		const char *a, *b; /* what they open to, LEN bytes in all */
		const char *why;   /* or why they do not */
	} cases[] = {
		{ "one behind the other", "\x08\0\4\0\x0c\0\4\0abcdefgh", 16, "abcd", "efgh",
		  NULL },
		{ "the same data twice", "\x08\0\x08\0\x08\0\x08\0abcdefgh", 24, "abcdefgh",
		  "abcdefgh", NULL },
		{ "one within the other", "\x08\0\x08\0\x0a\0\4\0abcdefgh", 20, "abcdefgh", "cdef",
		  NULL },
		{ "nothing, at the end", "\x10\0\0\0\x08\0\0\0abcdefgh", 8, "", "", NULL },
		{ "nothing, at 0", "\0\0\0\0\x08\0\2\0abcdefgh", 10, "", "ab", NULL },
		{ "a byte too long", "\x08\0\x09\0\x08\0\0\0abcdefgh", -1, NULL, NULL,
		  "'a' is said to be 9 bytes at 8 of a record of 16" },
		{ "one place too far", "\x08\0\1\0\x10\0\1\0abcdefgh", -1, NULL, NULL,
		  "'b' is said to be 1 byte at 16" },
		{ "nothing, outside", "\x11\0\0\0\x08\0\0\0abcdefgh", -1, NULL, NULL,
		  "'a' is said to be 0 bytes at 17" },
		{ "in the words", "\x07\0\2\0\x08\0\0\0abcdefgh", -1, NULL, NULL,
		  "'a' is said to be 2 bytes at 7" },
		{ "all ones", "\xff\xff\xff\xff\x08\0\0\0abcdefgh", -1, NULL, NULL,
		  "'a' is said to be 65535 bytes at 65535" },
	};
	struct desc d = desc_of("dynamic:char a; size:8;\ndynamic:u8 b; size:8;\n");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span a = { .len = 0 }, b = { .len = 0 };
		struct err e = { .kind = ERR_NONE };
		uint8_t *open;
		int rc = open_words(&d, cases[i].bytes, &a, &b, &open, &e);
		bool pass = rc == cases[i].len;

		if (cases[i].why)
			pass &= e.kind == ERR_FORMAT && strstr(e.msg, cases[i].why);
		else
			pass &= a.len == strlen(cases[i].a) && !memcmp(a.p, cases[i].a, a.len) &&
				b.len == strlen(cases[i].b) && !memcmp(b.p, cases[i].b, b.len);
		if (!ok(pass, "locators: %s (else: other memory is shown, or good data refused)",
			cases[i].what))
			diag("%d, %u and %u bytes: %s", rc, a.len, b.len, rc < 0 ? e.msg : "");
		free(open);
	}
	desc_fini(&d);
}

/* A few bytes that ask for much: a bit each opens to two bytes, and all share the same data. */
static void test_huge(void)
{
	static uint8_t rec[800 + 65535];
	char text[8000];
	uint8_t *open = NULL;
	size_t cap = 0, t = 0;
	struct desc d;
	uint32_t len;
	struct err e;

	for (unsigned i = 0; i < 200; i++)
		t += snprintf(text + t, sizeof(text) - t, "dynamic:u8 x%u; size:1;\n", i);
	d = desc_of(text);
	/* 800 | 60000 << 16 */
	for (unsigned i = 0; i < 200; i++)
		memcpy(rec + 4 * i, "\x20\x03\x60\xea", 4);
	ok(descpack_open(&d, false, rec, sizeof(rec), &open, &cap, &len, &e) < 0 &&
		   strstr(e.msg, "'x0' is too long to be opened: 480000 items at 800"),
	   "items longer than a word can tell are refused (else: their length is cut, unseen)");
	/* 800 | 4000 << 16 */
	for (unsigned i = 0; i < 200; i++)
		memcpy(rec + 4 * i, "\x20\x03\xa0\x0f", 4);
	ok(descpack_open(&d, false, rec, sizeof(rec), &open, &cap, &len, &e) < 0 &&
		   strstr(e.msg, "'x2' is too long to be opened: 32000 items at 128800"),
	   "many that share their data too (else: 4 KB grow to 12 MB)");
	ok(cap <= 1 << 18, "and little was taken for them (else: memory runs out): %zu bytes", cap);
	free(open);
	desc_fini(&d);
}

/* The other way: an open record whose data are at the last place that a packed one can tell. */
static void test_far(void)
{
	struct desc d = desc_of("array:u8 x; size:64; count:8000;\n"
				"dynamic:u8 a; size:8;\ndynamic:u8 b; size:8;\n");
	uint8_t *open = calloc(1, 131070), *out;
	uint32_t word = 64008 | 1527u << 16;
	size_t room = descpack_room(&d, 65535);

	out = malloc(room);
	for (unsigned i = 0; i < 2; i++)
		memcpy(open + d.fields[1 + i].off, &word, 4);
	is_u64(descpack_pack(&d, true, open, 65535, out, room), 65535 + 1527,
	       "data up to the last place (else: whole records are lost)");
	ok(!memcmp(out + 64004, "\x05\xf7\xff\xff", 4), "the word that tells it");
	word = 64008 | 1528u << 16;
	memcpy(open + d.fields[1].off, &word, 4);
	is_u64(descpack_pack(&d, true, open, 65536, out, descpack_room(&d, 65536)), 0,
	       "and none behind it (else: a word that points elsewhere)");
	free(out);
	free(open);
	desc_fini(&d);
}

/* Fields that a caller made, and one that stands for nothing. */
static void test_own_fields(void)
{
	struct desc d = desc_of("field:u8 a; size:8;\nfield:u16 b; size:16;\n"
				"dynamic:char c; size:8;\nabsent:int n;\nfield:u8 z; size:8;\n"
				"array:u16 l; size:16; count:2;\nfield:u8 end; size:8;\n");
	uint8_t rec[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, out[40];

	d.fields[0].off = 7;
	d.fields[1].kind = FIELD_NONE;
	d.fields[2].kind = FIELD_NONE;
	d.fields[4].off = 8;
	/* The other byte order, and more items than were promised. */
	d.fields[5].off = 0;
	d.fields[5].size = 8;
	d.fields[5].swap = true;
	d.fields[6].off = 6;
	memset(out, 0xff, sizeof(out)); /* also what comes behind the record */
	is_u64(descpack_pack(&d, __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__, rec, 8, out, sizeof(out)),
	       15, "fields of a caller's own: the description's length");
	ok(!memcmp(out, "\x08\0\0\0\0\0\0\x0f\0\0\1\2\3\4\7\xff", 16) ||
		   !memcmp(out, "\x08\0\0\0\x0f\0\0\0\0\0\1\2\3\4\7\xff", 16),
	   "... are where items come from (else: a map's own layout cannot be packed)");
	desc_fini(&d);
}

int main(void)
{
	test_locators();
	test_huge();
	test_far();
	test_own_fields();
	return tap_done();
}
