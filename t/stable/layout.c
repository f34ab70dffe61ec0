// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout: the description language, and its worked examples byte by byte.  Without it the fields
 * of an exported record could be read a few bits off, and an error in a catalogue be reported for
 * the wrong line.
 *
 * of: stable
 */
#include "trace/field.h"
#include "stable/pack.h"
#include "t/lib/c/desctry.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* A copy that ends with its block, so that a sanitizer sees one byte too many. */
static void *exact(const void *p, size_t len)
{
	void *copy = malloc(len ? len : 1);

	if (len)
		memcpy(copy, p, len);
	return copy;
}

static struct desc desc_of(const char *text)
{
	struct desc d = { .n = 0 };
	struct err e;

	if (desc_parse(&d, text, strlen(text), &e) < 0)
		bail("'%s': %s", text, e.msg);
	return d;
}

/* ---------------------------------------------------------------- the language */

static void is_refused(const char *text, unsigned line, unsigned column, const char *what)
{
	struct desc d = { .n = 0 };
	char *copy = exact(text, strlen(text)), place[40];
	struct err e = { .kind = ERR_NONE };
	int rc = desc_parse(&d, copy, strlen(text), &e);

	snprintf(place, sizeof(place), "line %u, column %u: ", line, column);
	if (!ok(rc < 0 && e.kind == ERR_FORMAT && strstr(e.msg, place) == e.msg &&
			strstr(e.msg, what),
		"refused: %s%s (else: a mistake is taken for a layout)", place, what))
		diag("%d: %s", rc, rc < 0 ? e.msg : "");
	desc_fini(&d);
	free(copy);
}

static void test_errors(void)
{
	is_refused("fields:int x; size:8;", 1, 1, "unknown kind of item 'fields'");
	is_refused("\n# c\n  feld:int x; size:8;", 3, 3, "unknown kind of item 'feld'");
	is_refused(":int x; size:8;", 1, 1, "expected field, array, dynamic or absent, found ':'");
	is_refused("field int x; size:8;", 1, 7, "expected ':', found 'i'");
	is_refused("field", 1, 6, "ends where ':'");
	is_refused("field:", 1, 7, "ends where a type and a name");
	is_refused("field:; size:8;", 1, 7, "expected a name, found ';'");
	is_refused("field:x; size:8;", 1, 7, "'x' has no type: expected TYPE NAME");
	is_refused("field:void *; size:8;", 1, 13, "expected a name");
	is_refused("field:int 8x; size:8;", 1, 11, "digit");
	is_refused("field:int x # size:8;", 1, 13, "ends where ';'");
	is_refused("field:int x=3; size:8;", 1, 12, "expected ';', found '='");
	is_refused("field:int x\xc3; size:8;", 1, 12, "the byte 0xc3");
	is_refused("array:char comm[16]; size:8;", 1, 16, "no [ ] here");
	is_refused("dynamic:char[] comm; size:8;", 1, 13, "no [ ] here");
	is_refused("field:int x;", 1, 13, "field 'x' needs a size:BITS;");
	is_refused("dynamic:int x; align:8;", 1, 24, "dynamic 'x' needs a size");
	is_refused("array:int x; size:8; signed:1;", 1, 31, "array 'x' needs a count:NUMBER;");
	is_refused("field:int x; size:0;", 1, 19, "size:0 is not within 1 to 64");
	is_refused("array:int x; count:2; size: 65;", 1, 29, "size:65 is not within 1 to 64");
	is_refused("field:int x; size:8; align:0;", 1, 28, "or 64, not 0");
	is_refused("field:int x; size:8; align:24;", 1, 28, "or 64, not 24");
	is_refused("field:int x; size:8; align:128;", 1, 28, "or 64, not 128");
	is_refused("field:int x; size:8; signed:2;", 1, 29, "signed:2 is neither 0 nor 1");
	is_refused("field:int x; size:8; count:2;", 1, 22, "only an array has a count");
	is_refused("dynamic:int x; count:2; size:8;", 1, 16, "each record has its own");
	is_refused("array:int x; size:8; count:0;", 1, 28, "count must be at least 1");
	is_refused("field:int x; size:8; colour:2;", 1, 22,
		   "no attribute 'colour': there are align");
	is_refused("field:int x;\toffset:8;\tsize:4;", 1, 14,
		   "no attribute 'offset': places follow");
	is_refused("field:int x; size:8; align:8; size:8;", 1, 31, "size is given twice");
	is_refused("field:int x; size:8; signed:0; signed:0;", 1, 32, "signed is given twice");
	is_refused("field:int x; size:0x8;", 1, 19, "'0x8' is not a decimal number");
	is_refused("field:int x; size:-8;", 1, 19, "expected a number, found '-'");
	is_refused("field:int x; size:;", 1, 19, "expected a number, found ';'");
	is_refused("field:int x; size:", 1, 19, "ends where a number");
	is_refused("field:int x; size:4294967304;", 1, 19, "size:4294967304 is too large");
	is_refused("field:int x; size:8", 1, 20, "ends where ';'");
	is_refused("field:int x; size:8 signed:1;", 1, 21, "expected ';', found 's'");
	is_refused("field:int x; size 8;", 1, 19, "expected ':', found '8'");
	is_refused("field:int x; size:8; = y", 1, 22, "expected an attribute, found '='");
	is_refused("field:int x; size:8;\nfield:int y; size:8;\nfield:char x; size:8;", 3, 12,
		   "the name 'x' is taken: line 1");
	is_refused("absent:int x;\narray:int x; size:8; count:1;", 2, 11, "taken: line 1");
	is_refused("absent:int x; size:8;", 1, 15, "what is absent has no size");
	is_refused("array:u8 x; size:8; count:65536;", 1, 1, "'x' ends at byte 65536");
	is_refused("array:u8 x; size:64; count:4294967295;", 1, 1, "'x' ends at byte 34359738360");
	is_refused("array:u8 x; size:8; count:65535;\n\nfield:u8 y; size:1;", 3, 1, "'y' ends");
	is_refused("dynamic:u8 s; size:8;\narray:u8 x; size:1; count:40000;", 1, 1,
		   "'s' comes after 80004 bytes");
}

static void test_leniency(void)
{
	struct desc a = desc_of("array:char c; align:8; size:8; count:16; signed:1;\n"
				"field:unsigned long t; align:64; size:64; signed:0;\n"
				"absent:void * p;\n");
	struct desc b = desc_of("# what\n\n \t # and a blank line\n"
				"  array :char c;\tcount:16;signed:1; size : 8 ;align:8;# why\r\n"
				"\tfield:unsigned\t  long t;size:0064; # the rest is as it is\r\n"
				"absent: void *p;");
	char text[4][200];
	struct err e;

	ok(b.n == 3 && b.items[0].line == 4 && b.items[2].line == 6,
	   "comments and blank lines count as lines (else: errors name the wrong one)");
	for (unsigned i = 0; i < 3; i++) {
		desc_text(&a, i, text[0], sizeof(text[0]));
		desc_text(&b, i, text[1], sizeof(text[1]));
		is_str(text[1], text[0], "any order, blanks, tabs (else: a good file is refused)");
	}
	desc_text(&a, 0, text[0], sizeof(text[0]));
	is_str(text[0], "array:char c; align:8; size:8; count:16; signed:1;",
	       "the text of an item (else: an export cannot be read)");
	ok(desc_text(&a, 0, text[2], 5) == 50 && !strcmp(text[2], "arra"),
	   "its length (else: a short buffer goes unseen)");
	desc_fini(&a);
	desc_fini(&b);

	for (unsigned size = 1; size <= 64; size++) {
		static const unsigned pow2[] = { 1, 2, 4, 8, 16, 32, 64 };
		unsigned want = 0;

		while (pow2[want] < size)
			want++;
		snprintf(text[0], sizeof(text[0]), "field:u64 x; size:%u;", size);
		a = desc_of(text[0]);
		if (a.items[0].align != pow2[want] || a.items[0].is_signed)
			bail("size:%u has align:%u", size, a.items[0].align);
		desc_fini(&a);
	}
	ok(true, "align follows from size (else: fields stand where no writer puts them)");

	b = (struct desc){ .n = 0 };
	for (unsigned i = 0; i <= DESC_MAX_ITEMS; i++) {
		snprintf(text[0], sizeof(text[0]), "field:u8 x%u; size:1;", i);
		if (desc_add(&b, text[0], strlen(text[0]), i + 1, NULL, &e) < 0)
			break;
	}
	ok(b.n == DESC_MAX_ITEMS && strstr(e.msg, "line 1025, column 1: more than 1024"),
	   "the number of items is bounded (else: the look for names takes for ever)");
	desc_fini(&b);
	a = desc_of("");
	ok(a.n == 0 && a.bits == 0 && a.fixed == 0 && desc_finish(&a, &e) == 0,
	   "nothing at all describes an empty record (else: an event without fields is an error)");
	desc_fini(&a);
}

/* The caller reads what stands behind the attributes. */
static void test_used(void)
{
	static const struct {
		const char *line;
		int rc, used;
	} cases[] = {
		{ "field:char s; size:8;   = letter(x)", 1, 21 },
		{ "field:char s; size:8; default undef clip", 1, 21 },
		{ "field:char s; size:8;clip", 1, 21 },
		{ "field:char s; size:8 ; # why", 1, 22 },
		{ "absent:char s; = a|b", 1, 14 },
		{ " field:char s; size:8; 7:8;", -1, 0 },
		{ "field:char s; size:8; colour:8; clip", -1, 0 },
		{ "field:char s; clip size:8;", -1, 0 },
		{ "  # field:char s;", 0, 2 },
		{ "", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct desc d = { .n = 0 };
		char *line = exact(cases[i].line, strlen(cases[i].line));
		size_t used = 0;
		struct err e;
		int rc = desc_add(&d, line, strlen(cases[i].line), 1, &used, &e);

		if (!ok(rc == cases[i].rc && (rc < 0 || used == (size_t)cases[i].used),
			"'%s' (else: a source is lost, or a mistake taken for one)", cases[i].line))
			diag("%d, %zu bytes", rc, used);
		desc_fini(&d);
		free(line);
	}
}

static void test_kinds(void)
{
	static const struct {
		const char *line;
		uint8_t kind, elem, loc;
		uint32_t size;
		const char *dim;
	} cases[] = {
		{ "field:char x; size:8; signed:1;", FIELD_STR, 1, FIELD_AT, 1, NULL },
		{ "field:unsigned char x; size:8;", FIELD_UINT, 1, FIELD_AT, 1, NULL },
		{ "field:char x; size:7;", FIELD_UINT, 1, FIELD_AT, 1, NULL },
		{ "field:int x; size:9; signed:1;", FIELD_INT, 2, FIELD_AT, 2, NULL },
		{ "field:int x; size:17;", FIELD_UINT, 4, FIELD_AT, 4, NULL },
		{ "field:int x; size:33;", FIELD_UINT, 8, FIELD_AT, 8, NULL },
		{ "array:const char x; size:8; count:6;", FIELD_STR, 1, FIELD_AT, 6, "6" },
		{ "array:signed char x; size:8; count:6;", FIELD_BYTES, 1, FIELD_AT, 6, "6" },
		{ "array:an unsigned char x; size:8; count:6;", FIELD_BYTES, 1, FIELD_AT, 6, "6" },
		{ "array:varchar x; size:8; count:6;", FIELD_BYTES, 1, FIELD_AT, 6, "6" },
		{ "array:char x; size:16; count:6;", FIELD_ARRAY, 2, FIELD_AT, 12, "6" },
		{ "array:u8 x; size:3; count:6;", FIELD_ARRAY, 2, FIELD_AT, 12, "6" },
		{ "array:u64 x; size:63; count:2;", FIELD_ARRAY, 8, FIELD_AT, 16, "2" },
		{ "dynamic:char x; size:8;", FIELD_STR, 1, FIELD_DATA_LOC, 4, "" },
		{ "dynamic:u8 x; size:8;", FIELD_BYTES, 1, FIELD_DATA_LOC, 4, "" },
		{ "dynamic:int x; size:20; signed:1;", FIELD_ARRAY, 4, FIELD_DATA_LOC, 4, "" },
		{ "absent:int x;", FIELD_NONE, 0, FIELD_AT, 0, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct desc d = desc_of(cases[i].line);
		const struct field *f = d.fields;

		ok(f->kind == cases[i].kind && f->elem == cases[i].elem && !f->swap &&
			   f->loc == cases[i].loc && f->size == cases[i].size &&
			   !f->dim == !cases[i].dim && (!f->dim || !strcmp(f->dim, cases[i].dim)) &&
			   d.fixed == f->size && f->count == d.items->count &&
			   f->is_signed == d.items->is_signed,
		   "'%s' (else: a text is shown as numbers, or numbers as text)", cases[i].line);
		desc_fini(&d);
	}
}

/* ---------------------------------------------------------------- the worked examples */

struct put {
	const char *name;
	const char *text; /* or NULL and */
	uint64_t v;
};

/* The open record of PUTS: text and numbers by name, at the offsets of the fields. */
static uint32_t open_record(const struct desc *d, const struct put *puts, uint8_t *out)
{
	uint32_t len = d->fixed;

	memset(out, 0, len);
	for (; puts->name; puts++) {
		const struct field *f = field_find_in(d->fields, d->n, puts->name);
		uint8_t *at = out + f->off;
		uint16_t h = puts->v;
		uint32_t w = puts->v;

		if (puts->text && f->loc == FIELD_DATA_LOC) {
			w = len | (uint32_t)(strlen(puts->text) + 1) << 16;
			memcpy(out + len, puts->text, strlen(puts->text) + 1);
			len += strlen(puts->text) + 1;
		}
		if (puts->text && f->loc == FIELD_AT)
			memcpy(at, puts->text, strlen(puts->text));
		else if (f->size == 8)
			memcpy(at, &puts->v, 8);
		else if (f->size == 4)
			memcpy(at, &w, 4);
		else if (f->size == 2)
			memcpy(at, &h, 2);
		else
			*at = puts->v;
	}
	return len;
}

static void is_bytes(const uint8_t *got, size_t len, const char *want, size_t want_len,
		     const char *what, const char *order)
{
	size_t i;

	if (ok(len == want_len && !memcmp(got, want, len), "%s, %s", what, order))
		return;
	for (i = 0; i < len && i < want_len && got[i] == (uint8_t)want[i]; i++)
		;
	diag("%zu bytes, want %zu; the first that differs is %zu", len, want_len, i);
}

/* The places (bits; -1 ends) and the bytes of one record in both orders; then opened again. */
static void is_example(const char *name, const char *text, const int *bits, const struct put *puts,
		       const char *le, const char *be, size_t len)
{
	struct desc d = desc_of(text);
	uint8_t open[200], out[200], *again = NULL;
	uint32_t open_len = open_record(&d, puts, open), again_len;
	size_t room = descpack_room(&d, open_len), cap = 0, n;
	bool places = true;
	struct err e;

	for (unsigned i = 0; i < d.n; i++)
		places &= bits[i] == (int)d.items[i].bit;
	ok(places && bits[d.n] == -(int)d.bits,
	   "%s: the places (else: fields are read a few bits aside)", name);
	for (unsigned big = 0; big < 2; big++) {
		const char *order = big ? "big endian" : "little endian";
		const char *want = big ? be : le;
		uint8_t *packed = exact(want, len);

		memset(out, 0xa5, sizeof(out));
		n = descpack_pack(&d, big, open, open_len, out, room);
		is_bytes(out, n, want, len, name, order);
		ok(room >= len && descpack_pack(&d, big, open, open_len, out, len) == len &&
			   descpack_pack(&d, big, open, open_len, out, len - 1) == 0,
		   "%s, %s: asks for the room it needs (else: writes behind it)", name, order);
		if (descpack_open(&d, big, packed, len, &again, &cap, &again_len, &e) < 0)
			bail("%s: %s", name, e.msg);
		is_bytes(again, again_len, (char *)open, open_len, "... and opened again", order);
		ok(descpack_open(&d, big, packed, d.bits / 8 - 1, &again, &cap, &again_len, &e) <
				   0 &&
			   strstr(e.msg, "its description asks for"),
		   "%s, %s: a record that ends early is refused (else: read over its end)", name,
		   order);
		free(packed);
	}
	free(again);
	desc_fini(&d);
}

#define Z4 "\0\0\0\0"
#define Z12 Z4 Z4 Z4

static void test_examples(void)
{
	static const struct put sw[] = {
		{ "prev_comm", "swapper/0", 0 },    { "prev_pid", NULL, 0x01020304 },
		{ "prev_state", NULL, 'S' },	    { "next_comm", "bash", 0 },
		{ "next_pid", NULL, (uint32_t)-2 }, { NULL, NULL, 0 }
	};
	static const struct put prio[] = { { "prio", NULL, 120 },
					   { "cpu", NULL, 0xa05 },
					   { NULL, NULL, 0 } };
	static const struct put irq[] = { { "irq", NULL, 33 },
					  { "name", "eth0", 0 },
					  { NULL, NULL, 0 } };
	static const struct put mixed[] = { { "name", "ab", 0 },
					    { "t", NULL, 0x0102030405060708 },
					    { NULL, NULL, 0 } };

	is_example("A, the seed's own text",
		   "array:char prev_comm; align:8; size:8; count:16; signed:1;\n"
		   "field:pid_t prev_pid; align:8; size:32; signed:1;\n"
		   "field:char prev_state; align:8; size:8; signed:1;\n"
		   "array:char next_comm; align:8; size:8; count:16; signed:1;\n"
		   "field:pid_t next_pid; align:8; size:32; signed:1;\n",
		   (const int[]){ 0, 128, 160, 168, 296, -328 }, sw,
		   "swapper/0\0\0\0" Z4 "\4\3\2\1S"
		   "bash" Z12 "\xfe\xff\xff\xff",
		   "swapper/0\0\0\0" Z4 "\1\2\3\4S"
		   "bash" Z12 "\xff\xff\xff\xfe",
		   41);
	is_example("B, natural alignment",
		   "array:char prev_comm; align:8; size:8; count:16; signed:1;\n"
		   "field:pid_t prev_pid; align:32; size:32; signed:1;\n"
		   "field:char prev_state; align:8; size:8; signed:1;\n"
		   "array:char next_comm; align:8; size:8; count:16; signed:1;\n"
		   "field:pid_t next_pid; align:32; size:32; signed:1;\n",
		   (const int[]){ 0, 128, 160, 168, 320, -352 }, sw,
		   "swapper/0\0\0\0" Z4 "\4\3\2\1S"
		   "bash" Z12 "\0\0\0\xfe\xff\xff\xff",
		   "swapper/0\0\0\0" Z4 "\1\2\3\4S"
		   "bash" Z12 "\0\0\0\xff\xff\xff\xfe",
		   44);
	is_example("C, bits",
		   "field:unsigned prio; align:1; size:7;\n"
		   "field:unsigned preempted; align:1; size:1;\n"
		   "field:unsigned cpu; align:1; size:12;\n",
		   (const int[]){ 0, 7, 8, -24 }, prio, "\x78\x05\x0a", "\xf0\xa0\x50", 3);
	is_example("D, dynamic",
		   "field:int irq; align:32; size:32; signed:1;\n"
		   "dynamic:char name; align:8; size:8; signed:1;\n",
		   (const int[]){ 0, 32, -64 }, irq, "\x21\0\0\0\x08\0\x05\0eth0",
		   "\0\0\0\x21\0\x05\0\x08"
		   "eth0",
		   13);
	is_example("E, fields after a dynamic one",
		   "dynamic:char name; align:8; size:8; signed:1;\n"
		   "field:u64 t; align:64; size:64;\n",
		   (const int[]){ 0, 64, -128 }, mixed, "\x10\0\3\0" Z4 "\10\7\6\5\4\3\2\1ab",
		   "\0\3\0\x10" Z4 "\1\2\3\4\5\6\7\10"
		   "ab",
		   19);
}

int main(void)
{
	test_errors();
	test_leniency();
	test_used();
	test_kinds();
	test_examples();
	return tap_done();
}
