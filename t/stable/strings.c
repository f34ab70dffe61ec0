// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * strings: strings of all kinds and lengths in stable events, hostile records and formats.
 * Without it a name could be cut silently, or a damaged record be read past its end.
 *
 * of: stable reader/stablefile
 * runs: make check; a small pass in make test
 */
#include "t/lib/c/stabletry.h"

static void test_old_strings(void)
{
	for (unsigned big = 0; big < 2; big++) {
		struct trace *t = trace_new(big, 4);
		const struct etype *type;
		struct stable_map *m;
		const struct event *ev;

		/* 2.6.29 to 2.6.31: an offset of 16 bits; and a text to the record's end. */
		type = raw(t, "s", "r", "__data_loc char[] name;8;2;0\nchar buf[];12;0;1\n",
			   "\"%s\", __get_str(name)");
		define_line(t,
			    DYN "= name\narray:char buf; size:8; count:4;\ndynamic:u8 raw; size:8; "
				"= buf\n");
		m = map_of(t, "x", "e", type);
		if (!ok(m, "old strings can be had")) {
			diag("%s", t->why);
			trace_free(t);
			continue;
		}
		put(t, 8, 16, 2);
		put_str(t, 12, "abc", 4);
		put_str(t, 16, "eth0", 5);
		t->ev.size = 21;
		ev = run(t, m);
		STR(ev, "n", "eth0", "a name by its offset");
		STR(ev, "buf", "abc", "a text to the end, up to its NUL");
		STR(ev, "raw", "616263006574683000", "all its bytes");
		put_str(t, 12, "0123456789abcdef", 16);
		put(t, 8, 20, 2);
		t->ev.size = 28;
		ev = run(t, m);
		STR(ev, "buf", "0123", "too long a text is cut to the promise");
		STR(ev, "n", "89abcdef", "a text that ends with its record");
		run(t, m);
		is_u64(nwarn, 1, "which is said once");
		has(notes, "x::e promises 4 items of buf, this record has 16: cut",
		    "with all there is to say");
		nwarn = 0;
		stable_map_free(m);
		trace_free(t);
	}
}

static void test_hostile(void)
{
	static const struct {
		uint32_t word;
		const char *what;
	} words[] = {
		{ 0xffffffff, "far outside" },
		{ 6 << 16 | 107, "one byte too far" },
		{ 1 << 16 | 500, "begins outside" },
		{ 108, "empty at the end" },
		{ 0, "all zero" },
		{ 100u << 16 | 8, "the whole record" },
	};
	struct trace *t = trace_new(false, 8);
	const struct etype *type = raw(t, "s", "r", numbers, several);
	struct stable_map *m;
	unsigned seed = 7, n = (unsigned)tap_small(3000, 50000);

	define_line(
		t, DYN
		"= dyn\narray:char c; size:8; count:4; = dyn\ndynamic:u64 v; size:64; = nums\n"
		"array:u32 w; size:32; count:2; = nums\ndynamic:char k; size:8; = \"constant\"\n"
		"dynamic:char r; size:8; = rel\nfield:u8 b; size:8; = rw(rwbs)\n");
	m = map_of(t, "x", "e", type);
	if (!m)
		bail("%s", t->why);
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct event *ev;

		put_numbers(t);
		put(t, 72, words[i].word, 4);
		ev = run(t, m);
		ok(i < 5 ? !strcmp(show(ev, "n"), "") : strlen(show(ev, "n")) > 0, "%s",
		   words[i].what);
		STR(ev, "r", "rel", "its neighbour is whole (else: one locator spoils them all)");
		STR(ev, "k", "constant", "so is a constant");
	}
	is_u64(ndamage, 2, "the first of each field is said");
	is_u64(t->notes.damage, 6, "and all are counted");
	has(notes, "x.dat: offset 0x40: s:r: field dyn points outside the record: taken as empty",
	    "with its place");
	for (unsigned i = 0; i < n; i++) {
		const struct event *ev;

		put_numbers(t);
		for (unsigned k = 0; k < 40; k++) {
			seed = seed * 1103515245 + 12345;
			t->rec[8 + (seed >> 8) % 100] = seed >> 20;
		}
		t->ev.size = type->fixed + (seed >> 9) % 100;
		ev = run(t, m);
		if (!strcmp(show(ev, "n"), "outside") || !strcmp(show(ev, "v"), "outside") ||
		    !strcmp(show(ev, "r"), "outside") || strcmp(show(ev, "k"), "constant"))
			return (void)ok(false, "record %u gives what cannot be read", i);
	}
	ok(true, "%u damaged records give records that are whole", n);
	stable_map_free(m);
	trace_free(t);
}

/* More dynamic data than 16 bits of offset can reach. */
static void test_long(void)
{
	struct trace *t = trace_new(false, 8);
	const struct etype *type = raw(t, "s", "r",
				       "__data_loc char[] a;8;4;1\n"
				       "__data_loc char[] b;12;4;1\n__data_loc u8[] c;16;4;0\n",
				       "\"\"");
	uint32_t size = 20 + 3 * 40000;
	uint8_t *big = malloc(size);
	struct stable_map *m;
	const struct event *ev;
	struct event raw_ev = t->ev;
	struct span s;

	define_line(t, "dynamic:char a; size:8;\ndynamic:char b; size:8;\ndynamic:u8 c; size:8;\n");
	m = map_of(t, "x", "e", type);
	memset(big, 'x', size);
	put(t, 8, 40000u << 16 | 20, 4);
	put(t, 12, 30000u << 16 | 30000, 4);
	put(t, 16, 100u << 16 | 20, 4);
	memcpy(big, t->rec, 20);
	raw_ev.data = big;
	raw_ev.size = size;
	ev = stable_map_event(m, &raw_ev);
	ok(field_span(field_find(ev->type, "a"), ev, &s) && s.len == 40001, "a long text is whole");
	ok(field_span(field_find(ev->type, "b"), ev, &s) && s.len == 65535 - 12 - 40001 &&
		   s.p[s.len - 1] == 0,
	   "the next gets the room that is left, and its NUL");
	ok(field_span(field_find(ev->type, "c"), ev, &s) && s.len == 0, "the last one none");
	ok(ev->size == 65535 && nwarn == 2, "which is said");
	stable_map_free(m);
	free(big);
	trace_free(t);
}

/* Hostile print formats: only a sanitizer or the time limit can fail. */
static void test_hostile_formats(void)
{
	static const char print[] = "\"%s %s\", REC->a & (((0x1 | 0x2) + 1) << 1) ? __print_flags("
				    "REC->a & (4-1), \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
				    "REC->a & 4 ? \"+\" : \"\", "
				    "__print_symbolic(REC->a, { 1, \"one\" }, { 2, \"two\" })";
	unsigned seed = 3, found = 0;
	struct arena a = { 0 };
	char *deep = malloc(60000);
	struct trace *t;
	const struct etype *type;
	struct letters l;
	struct err e;
	unsigned n, tries = (unsigned)tap_small(2000, 20000);

	for (unsigned i = 0; i < tries; i++) {
		char text_[sizeof(print)];

		memcpy(text_, print, sizeof(print));
		for (unsigned k = 0; k < 1 + i % 4; k++) {
			seed = seed * 1103515245 + 12345;
			text_[(seed >> 8) % (sizeof(print) - 1)] =
				print[(seed >> 3) % (sizeof(print) - 1)];
		}
		t = trace_new(false, 8);
		type = raw(t, "s", "r", "long a;8;8;1\n", text_);
		if (etype_resolve(t->c, type, &e) == 0 && field_find(type, "a")) {
			found += letters_read(type, field_find(type, "a"), &l);
			found += mark_read(type, field_find(type, "a")) != 0;
			found += symbols_read(type, field_find(type, "a"), &a, &n) != NULL;
		}
		trace_free(t);
		if (i % 64 == 0)
			arena_fini(&a);
	}
	ok(found > tries / 20, "%u damaged print formats (%u tables found)", tries, found);
	t = trace_new(false, 8);
	memset(deep, '(', 12000);
	snprintf(deep + 12000, 100, "REC->a");
	type = raw(t, "s", "r", "long a;8;8;1\n", deep);
	etype_resolve(t->c, type, &e);
	ok(!field_find(type, "a") || !mark_read(type, field_find(type, "a")),
	   "a nest of 12,000 parentheses");
	trace_free(t);
	free(deep);
	arena_fini(&a);
}

int main(void)
{
	test_old_strings();
	test_hostile();
	test_long();
	test_hostile_formats();
	return tap_done();
}
