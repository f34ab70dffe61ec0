// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map: stable events from raw records: every function of the language, what is refused, and which
 * raw event is taken.  Without it a value could come from another field, and nobody would notice.
 *
 * of: stable
 */
#include "t/lib/c/stabletry.h"

/* ---------------------------------------------------------------- numbers */

/* What field n of "x::e" reads, which LINE defines; a reason if it is not available. */
static const char *try_line(bool big, const char *line, const char *print, const char **source)
{
	static char out[900], from[1200];
	struct trace *t = trace_new(big, 8);
	const struct etype *type = raw(t, "s", "r", numbers, print);
	struct stable_map *m;
	const struct event *ev;
	const struct field *f;

	define_line(t, line);
	m = map_of(t, "x", "e", type);
	put_numbers(t);
	if (!m) {
		snprintf(out, sizeof(out), "%s", t->why);
		trace_free(t);
		return out;
	}
	ev = run(t, m);
	f = field_find(ev->type, "n");
	if (!f)
		snprintf(out, sizeof(out), "no n");
	else if (f->kind == FIELD_INT)
		snprintf(out, sizeof(out), "%lld", (long long)number(ev, "n"));
	else if (f->kind == FIELD_UINT)
		snprintf(out, sizeof(out), "%llu", (unsigned long long)number(ev, "n"));
	else
		snprintf(out, sizeof(out), "%s", show(ev, "n"));
	snprintf(from, sizeof(from), "%s", stable_map_source(m, 0));
	if (source)
		*source = from;
	stable_map_free(m);
	trace_free(t);
	return out;
}

#define U(bits) "field:u n; size:" #bits "; "
#define S(bits) "field:s n; size:" #bits "; signed:1; "
#define C8 "array:char n; size:8; count:8; "

/* A line, the value it gives, and the source that is reported (NULL: the line is refused). */
static const struct {
	const char *line, *value, *source;
} lines[] = {
	{ U(8) "= a8", "200", "a8" },
	{ S(8) "= b8", "-3", "b8" },
	{ U(16) "= a16", "60000", "a16" },
	{ S(16) "= b16", "-300", "b16" },
	{ U(32) "= a32", "4000000000", "a32" },
	{ S(32) "= b32", "-70000", "b32" },
	{ U(64) "= a64", "18364758544493064720", "a64" },
	{ S(64) "= b64", "-1", "b64" },
	/* wider: by the raw field's sign */
	{ S(64) "= a8", "200", "a8" },
	{ U(64) "= b8", "18446744073709551613", "b8" },
	{ U(32) "= b16", "4294966996", "b16" },
	{ S(32) "= a16", "60000", "a16" },
	/* the same width: the bits */
	{ S(32) "= a32", "-294967296", "a32" },
	{ U(8) "= b8", "253", "b8" },
	/* narrower: refused, or cut */
	{ U(16) "= a32", "s:r has 32 bits in 'a32', 'n' promises 16: say clip", NULL },
	{ S(32) "= b64", "s:r has 64 bits in 'b64', 'n' promises 32: say clip", NULL },
	{ S(32) "= common_pid", "77", "common_pid" },
	{ S(16) "= common_pid", "s:r has 32 bits in 'common_pid', 'n' promises 16: say clip",
	  NULL },
	{ S(16) "= common_cpu clip", "3", "common_cpu (clipped to 16 bits)" },
	{ U(16) "= a32 clip", "10240", "a32 (clipped to 16 bits)" },
	{ S(32) "= a64 clip", "1985229328", "a64 (clipped to 32 bits)" },
	{ S(7) "= b8 clip", "-3", "b8 (clipped to 7 bits)" },
	{ U(3) "= b16 clip", "4", "b16 (clipped to 3 bits)" },
	{ S(12) "= b16 clip", "-300", "b16 (clipped to 12 bits)" },
	{ U(12) "= a8", "200", "a8" },
	{ U(7) "= a8 clip", "72", "a8 (clipped to 7 bits)" },
	{ U(64) "= v64 | a64 * 3", "18200787486060090928", "a64 * 3" },
	/* constants and defaults */
	{ S(32) "= -5", "-5", "-5" },
	{ U(8) "= 0xff", "255", "0xff" },
	{ U(64) "= 4096 * 512", "2097152", "4096 * 512" },
	{ S(32) "= nix default 1", "1", "1 (r has no field 'nix')" },
	{ S(32) "= nix | nul default -3", "-3", "-3 (r has no field 'nix' or 'nul')" },
	{ S(32) "= nix default undef", "undef", "nothing: r has no field 'nix'" },
	{ S(32) "= nix | nul", "s:r has no field 'nix' or 'nul'", NULL },
	{ S(32) "", "s:r has no field 'n'", NULL },
	{ S(32) "= text default 4", "4", "4 (r has a text in 'text', where a number is promised)" },
	{ S(32) "= v", "s:r has an array of numbers in 'v', where a number is promised", NULL },
	{ S(32) "= m", "s:r has a mask of CPUs in 'm', where a number is promised", NULL },
	{ C8 "= a32 default \"none\"", "none",
	  "\"none\" (r has a number in 'a32', where a text is promised)" },
	{ "absent:int n;", "undef", "nothing: absent by its description" },
	/* alternatives, or, * */
	{ S(32) "= nix | b32 | a32", "-70000", "b32" },
	{ S(64) "= nix or b32 | a8", "200", "a8" },
	{ U(64) "= a16 * 512", "30720000", "a16 * 512" },
	{ S(64) "= b16 * 2 or a8", "-600", "b16 * 2 or a8" },
	{ U(64) "= 0 or a8 * 0 or common_cpu or a8", "3", "0 or a8 * 0 or common_cpu or a8" },
	{ U(64) "= 0 or 0", "0", "0 or 0" },
	/* functions */
	{ U(8) "= rw(rwbs)", "1", "rw(rwbs)" },
	{ U(8) "= rw(a8)", "s:r has a number in 'a8', where a text is promised", NULL },
	{ U(8) "= rw(nix)", "s:r has no field 'nix'", NULL },
	{ U(8) "= from(r)", "1", "from(r): 1" },
	{ U(8) "= from(s:q)", "0", "from(s:q): 0" },
	{ U(8) "= from(s:r) * 7", "7", "from(s:r) * 7: 1" },
	{ U(8) "= mark(a8)", "1", "mark(a8): bits 0x8" },
	{ U(8) "= mark(b8)", "0", "mark(b8): bits 0x100" },
	{ U(8) "= mark(a16)", "s:r marks nothing in 'a16' by its print format", NULL },
	{ U(8) "= mark(text)", "s:r has a text in 'text', where a number is promised", NULL },
	{ "field:char n; size:8; = letter(a8)", "Z", "letter(a8): 1 S, 64 Z, else R" },
	{ "field:char n; size:8; = letter(b8) | \"?\"", "?", "\"?\"" },
	{ "field:char n; size:8; = letter(b8) default \"!\"", "!",
	  "\"!\" (r names no letters for 'b8' in its print format)" },
	{ "field:char n; size:8; = letter(a16) | letter(b16)",
	  "s:r names no letters for 'a16' in its print format", NULL },
	{ "field:char n; size:8; = letter(text)",
	  "s:r has a text in 'text', where a number is promised", NULL },
	{ "field:char n; size:8; = one", "c", "one" },
	{ "field:char n; size:8; = a32",
	  "s:r has a number of 4 bytes in 'a32', 'n' promises one letter", NULL },
	{ "array:u8 n; size:8; count:8; = be64(a16)", "000000000000ea60", "be64(a16)" },
	{ "array:u8 n; size:8; count:8; = be64(b8)", "fffffffffffffffd", "be64(b8)" },
	{ "array:u8 n; size:8; count:8; = be64(258)", "0000000000000102", "be64(258)" },
	{ "dynamic:u8 n; size:8; = be64(common_pid)", "000000000000004d", "be64(common_pid)" },
	{ C8 "= symbol(a16)", "big", "symbol(a16): 1 one, 60000 big" },
	{ DYN "= symbol(b16)", "minus", "symbol(b16): 65236 minus" },
	{ DYN "= symbol(b32)", "-70000", "symbol(b32): numbers (its print format has no names)" },
	{ C8 "= symbol(a32)", "40000000", "symbol(a32): numbers (its print format has no names)" },
	/* texts */
	{ C8 "= text", "text", "text" },
	{ DYN "= text", "text", "text" },
	{ C8 "= dyn", "hello", "dyn" },
	{ DYN "= dyn", "hello", "dyn" },
	{ DYN "= rel", "rel", "rel" },
	{ "array:char n; size:8; count:7; = text",
	  "s:r has 8 items in 'text', 'n' promises 7: say clip", NULL },
	{ "array:char n; size:8; count:3; = text clip", "tex", "text (clipped to 3)" },
	{ "array:char n; size:8; count:3; = dyn", "hel", "dyn" },
	{ C8 "= \"a \\\"b\\\"\"", "a \"b\"", "\"a \\\"b\\\"\"" },
	{ DYN "= \"constant\"", "constant", "\"constant\"" },
	{ DYN "= common_comm", "kworker/u8:1", "common_comm" },
	{ C8 "= common_comm", "kworker/", "common_comm" },
	{ C8 "= bytes", "s:r has bytes in 'bytes', where a text is promised", NULL },
	/* arrays */
	{ "array:u8 n; size:8; count:6; = bytes", "010203040000", "bytes" },
	{ "dynamic:u8 n; size:8; = bytes", "01020304", "bytes" },
	{ "array:u8 n; size:8; count:3; = bytes",
	  "s:r has 4 items in 'bytes', 'n' promises 3: say clip", NULL },
	{ "array:u8 n; size:8; count:3; = bytes clip", "010203", "bytes (clipped to 3)" },
	{ "array:u8 n; size:8; count:8; = text", "7465787400000000", "text" },
	{ "array:u8 n; size:8; count:8; = v", "s:r has 16 bits in 'v', 'n' promises 8: say clip",
	  NULL },
	{ "array:u16 n; size:16; count:4; = text",
	  "s:r has a text in 'text', where an array is promised", NULL },
	{ "array:u16 n; size:16; count:4; = a16",
	  "s:r has a number in 'a16', where an array is promised", NULL },
};

/* Arrays of numbers as this machine has them: VALUES of SIZE bytes each, in hexadecimal. */
static const char *native(unsigned size, unsigned n, const uint64_t *values)
{
	static char out[256];

	out[0] = '\0';
	for (unsigned i = 0; i < n * size; i++) {
		unsigned byte = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 - i % size :
									 i % size;

		snprintf(out + 2 * i, 3, "%02x", (unsigned)(values[i / size] >> 8 * byte & 0xff));
	}
	return out;
}

static void test_lines(void)
{
	static const uint64_t v[] = { 0x1230, 0x1231, 0x1232, 0x1233, 0, 0 };
	static const uint64_t nums[] = { 0xaabbccdd, 7, 0 };

	for (unsigned big = 0; big < 2; big++) {
		const char *source;

		for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
			source = NULL;
			is_str(try_line(big, lines[i].line, several, &source), lines[i].value,
			       lines[i].line);
			if (source || lines[i].source)
				is_str(source, lines[i].source,
				       "its source (else: --stable-check lies)");
		}
		is_str(try_line(big, "array:u16 n; size:16; count:6; = v", several, NULL),
		       native(2, 6, v), "an array, shorter than the promise");
		is_str(try_line(big, "array:u32 n; size:32; count:4; = v", several, NULL),
		       native(4, 4, v), "wider items");
		is_str(try_line(big, "dynamic:u64 n; size:64; = nums", several, NULL),
		       native(8, 2, nums), "a dynamic one of wider items");
		is_str(try_line(big, "array:u32 n; size:32; count:3; = nums", several, NULL),
		       native(4, 3, nums), "a dynamic one in a fixed one");
		is_str(try_line(big, "array:u32 n; size:32; count:1; = nums", several, NULL),
		       native(4, 1, nums), "too many items are cut");
		is_str(try_line(big, "array:s12 n; size:12; signed:1; count:4; = v clip", several,
				NULL),
		       native(2, 4, (const uint64_t[]){ 0x230, 0x231, 0x232, 0x233 }),
		       "items of 12 bits");
	}
}

/* A record after a longer one: nothing of that may be left over. */
static void test_leftovers(void)
{
	static const unsigned sizes[] = { 8, 9, 15, 16, 20, 24, 31 };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (unsigned len = 0; len <= 8; len++) {
			struct trace *t = trace_new(false, 8);
			const struct etype *type = raw(t, "s", "r", numbers, "\"\"");
			char line[300], want[80];
			struct stable_map *m;
			const struct event *ev;

			snprintf(line, sizeof(line),
				 "array:char n; size:8; count:%u; = text\n"
				 "array:char d; size:8; count:%u; = dyn\n"
				 "array:u32 w; size:32; count:3; = nums\n"
				 "dynamic:char k; size:8; = \"fixed\"\ndynamic:char o; size:8; = "
				 "dyn\n"
				 "dynamic:u64 e; size:64; = nums",
				 sizes[i], sizes[i]);
			define_line(t, line);
			m = map_of(t, "x", "e", type);
			put_numbers(t);
			memcpy(t->rec + 40, "\377bcdefgh", 8);
			put_str(t, 88, "xxxxxxxx", 8);
			put(t, 72, 8 << 16 | 88, 4);
			run(t, m);
			/* What stands behind the NUL is none of it. */
			if (len < 8)
				t->rec[40 + len] = t->rec[88 + len] = 0;
			put(t, 76, 96, 4);
			ev = run(t, m);
			memset(want, '0', sizeof(want));
			for (unsigned k = 0; k < len; k++)
				snprintf(want + 2 * k, 3, "%02x", k ? 'a' + k : 0xff);
			if (len)
				want[2 * len] = '0';
			want[2 * sizes[i]] = '\0';
			is_str(bytes(ev, "n"), want, "the text, and zeroes behind it");
			for (unsigned k = 0; k < len; k++)
				memcpy(want + 2 * k, "78", 2);
			is_str(bytes(ev, "d"), want, "a dynamic text, and zeroes behind it");
			STR(ev, "w", "000000000000000000000000", "no item, and zeroes");
			STR(ev, "e", "", "an empty array at the record's end");
			STR(ev, "k", "fixed", "a constant");
			is_u64(ev->size, (2 * sizes[i] + 3) / 4 * 4 + 6 * 4 + 6 + len + 1,
			       "nothing is in it twice");
			stable_map_free(m);
			trace_free(t);
		}
}

/* What is clipped stays in its place. */
static void test_clip(void)
{
	struct trace *t = trace_new(false, 8);
	const struct etype *type = raw(t, "s", "r", numbers, "\"\"");
	struct stable_map *m;
	const struct event *ev;

	define_line(t, "array:char n; size:8; count:3; = text clip\nfield:u8 k; size:8; = 7\n"
		       "array:u8 b; size:8; count:3; = bytes clip\nfield:u8 l; size:8; = 8\n");
	m = map_of(t, "x", "e", type);
	put_numbers(t);
	ev = run(t, m);
	STR(ev, "n", "tex", "three letters");
	NUM(ev, "k", 7, "(else: a neighbour is overwritten)");
	STR(ev, "b", "010203", "three bytes");
	NUM(ev, "l", 8, "(else: a neighbour is overwritten)");
	is_u64(nwarn, 0, "nothing is said: it was asked for");
	stable_map_free(m);
	trace_free(t);
}

static void test_signs(void)
{
	static const uint64_t v[] = { (uint64_t)-1, 5, (uint64_t)-128 };
	struct trace *t = trace_new(true, 4);
	const struct etype *type = raw(t, "s", "r", "s8 a[3];8;3;1\ns16 b[3];12;6;1\n", "\"\"");
	struct stable_map *m;

	define_line(
		t,
		"array:int n; size:32; signed:1; count:3; = a\n"
		"array:int b; size:64; signed:1; count:3;\narray:u16 u; size:16; count:3; = b\n");
	m = map_of(t, "x", "e", type);
	for (unsigned i = 0; i < 3; i++) {
		put(t, 8 + i, v[i], 1);
		put(t, 12 + 2 * i, v[i], 2);
	}
	is_str(show(run(t, m), "n"), native(4, 3, v), "signed bytes widened");
	is_str(show(run(t, m), "b"), native(8, 3, v), "signed shorts widened");
	is_str(show(run(t, m), "u"), native(2, 3, v), "the same width, the other sign: the bits");
	stable_map_free(m);
	trace_free(t);
}

static void test_rw(void)
{
	static const struct {
		const char *rwbs;
		int rw;
	} all[] = {
		{ "R", 0 },   { "W", 1 },     { "RA", 0 }, { "WS", 1 }, { "WFS", 1 }, { "FF", 1 },
		{ "FWS", 1 }, { "FR", 0 },    { "FN", 0 }, { "N", 0 },	{ "D", 1 },   { "DS", 1 },
		{ "F", 1 },   { "FWFSM", 1 }, { "ZR", 1 }, { "", 0 },
	};
	struct trace *t = trace_new(false, 8);
	const struct etype *type = raw(t, "s", "r", numbers, "\"\"");
	struct stable_map *m;

	define_line(t, S(32) "= rw(rwbs)");
	m = map_of(t, "x", "e", type);
	put_numbers(t);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		put_str(t, 56, all[i].rwbs, 8);
		if (!ok(number(run(t, m), "n") == all[i].rw,
			"rwbs '%s' is %d (else: reads count as "
			"writes)",
			all[i].rwbs, all[i].rw))
			diag("got the other");
	}
	put_str(t, 56, "FFFFFFFFF", 8);
	NUM(run(t, m), "n", 1, "rwbs without a NUL");
	stable_map_free(m);
	trace_free(t);
}

static void test_syscalls(void)
{
	static const struct {
		const char *uname, *name, *source;
	} all[] = {
		{ "Linux a 6.1 #1 x86_64\n", "openat", "syscall(id): names of x86_64" },
		{ "Linux a 6.1 #1 aarch64", "fremovexattr", NULL },
		{ "Linux a 6.1 #1 pdp11", "257",
		  "syscall(id): numbers (no names are known for pdp11)" },
		{ "", "257", "syscall(id): numbers (the trace does not name its machine)" },
	};

	for (unsigned i = 0; i < 4; i++) {
		struct trace *t = trace_new(false, 8);
		const struct etype *type = raw(t, "raw_syscalls", "sys_enter",
					       "long id;8;8;1\nunsigned long args[6];16;48;0\n",
					       "\"\"");
		struct stable_map *m;

		uname_text = all[i].uname;
		define(t,
		       "event x::e\npurpose p\nfrom raw_syscalls:sys_enter\n" DYN "= syscall(id)\n"
		       "array:u64 args; size:64; count:6;\n");
		m = map_of(t, "x", "e", type);
		put(t, 8, 257, 8);
		if (i == 1)
			put(t, 8, 16, 8);
		for (unsigned k = 0; k < 6; k++)
			put(t, 16 + 8 * k, 0x1000 + k, 8);
		STR(run(t, m), "n", all[i].name, "a system call by its machine's table");
		if (all[i].source)
			is_str(stable_map_source(m, 0), all[i].source, "and its source");
		put(t, 8, (uint64_t)-1, 8);
		STR(run(t, m), "n", "-1", "a call that none has");
		put(t, 8, 1 << 20, 8);
		STR(run(t, m), "n", "1048576", "one beyond the table");
		stable_map_free(m);
		trace_free(t);
	}
	uname_text = "Linux guest 6.1.0 #1 SMP x86_64\n";
}

/* ---------------------------------------------------------------- which raw event */

static void test_from(void)
{
	struct trace *t = trace_new(false, 8), *other = trace_new(true, 8);
	const struct stable_event *ev;
	const struct etype *a, *b, *c, *same;
	struct stable_map *m;
	char why[400];

	define(t, "event x::e\npurpose p\nfrom s:a | s:b\nfrom s:a | s:c\n" S(
			  32) "\n"
			      "event x::w\npurpose p\nfrom s:b\nfrom s:c where n > 5 and n < 9\n" S(
				      32) "\nfield:u8 is_c; size:8; = from(s:c)\n");
	ev = stable_find(t->st, "x", "e");
	ok(!stable_available(ev, t->c, &t->s, why, sizeof(why)), "a trace without any of them");
	is_str(why, "the trace has no event s:a or s:b or s:c (record it: zedtrace s:a)",
	       "(else: nobody knows what to record)");
	b = raw(t, "s", "b", "int n;8;4;1\n", "\"\"");
	c = raw(t, "s", "c", "int n;8;4;1\n", "\"\"");
	ok(stable_takes(ev, t->c, b) == 0 && stable_takes(ev, t->c, c) == 1,
	   "each line takes the first of its events that there is");
	ok(stable_available(ev, t->c, &t->s, why, sizeof(why)) && !why[0], "now it can be had");
	ok(!stable_available(ev, t->c, &other->s, why, sizeof(why)),
	   "but not from another source of the same catalog (else: a second trace is taken for "
	   "it)");
	m = map_of(t, "x", "w", c);
	for (int n = 4; n < 11; n++) {
		const struct event *out;

		put(t, 8, n, 4);
		out = run(t, m);
		ok(n > 5 && n < 9 ? out && number(out, "n") == n && number(out, "is_c") == 1 : !out,
		   "where n > 5 and n < 9: %d", n);
	}
	stable_map_free(m);
	a = raw(t, "s", "a", "int n;8;4;1\n", "\"\"");
	ok(stable_takes(ev, t->c, a) == 0 && stable_takes(ev, t->c, b) < 0 &&
		   stable_takes(ev, t->c, c) < 0,
	   "an earlier alternative wins (else: each thing is told twice)");
	a = raw(t, "s", "a", "int n;8;4;1\n", "\"\"");
	is_u64(stable_takes(ev, t->c, a), 0, "a type of that name with a number of its own, later");
	same = catalog_add_fields(t->c, &t->s, "x", "e", 900, NULL, 0, 0);
	((struct etype *)(uintptr_t)same)->stable = true;
	ok(!stable_is_shadowed(ev, t->c, &t->s) && stable_takes(ev, t->c, a) == 0 &&
		   stable_available(ev, t->c, &t->s, why, sizeof(why)) &&
		   stable_takes(ev, t->c, same) < 0,
	   "an event that a stable description made does not stand in the way");
	raw(other, "x", "e", "int n;8;4;1\n", "\"\"");
	same = raw(t, "x", "e", "int n;8;4;1\n", "\"\"");
	ok(stable_is_shadowed(ev, t->c, &t->s) && stable_takes(ev, t->c, a) < 0 &&
		   stable_takes(ev, t->c, same) < 0 && !stable_is_shadowed(ev, t->c, &other->s),
	   "a raw event of its name wins, in its source");
	ok(!stable_available(ev, t->c, &t->s, why, sizeof(why)), "and then it is not available");
	has(why, "a raw event x:e of its own", "which is said");
	trace_free(t);
	trace_free(other);
}

static void test_refused(void)
{
	struct trace *t = trace_new(false, 8);
	const struct stable_event *ev;
	const struct etype *a, *same;
	static char huge[(1 << 20) + 4096];
	char why[400], small[9];

	define(t, "event x::e\npurpose p\ngone nobody has it since 3.0\nfrom s:a\n" S(32) "\n");
	ev = stable_find(t->st, "x", "e");
	stable_available(ev, t->c, &t->s, why, sizeof(why));
	is_str(why, "the trace has no event s:a: nobody has it since 3.0", "what is gone says why");
	stable_available(ev, t->c, &t->s, small, sizeof(small));
	is_str(small, "the trac", "a small buffer is enough");
	a = raw(t, "s", "a", "int m;8;4;1\n", "\"\"");
	ok(!stable_available(ev, t->c, &t->s, why, sizeof(why)), "a field that is missing");
	is_str(why, "s:a has no field 'n'", "is the reason");
	define(t, "event x::f\npurpose p\nfrom s:a where x == 1\n" S(32) "= m\n");
	ok(!stable_available(stable_find(t->st, "x", "f"), t->c, &t->s, why, sizeof(why)),
	   "a condition on a field that is missing");
	has(why, "its where 'x == 1': column 1: s:a has no field 'x'", "is a reason too");
	ok(!strchr(why, '\n'), "of one line");
	define(t, "event x::g\npurpose p\nfrom s:bad\n" S(32) "= m\n");
	a = raw(t, "s", "bad", "int m;8;4;1\n", "\"\"");
	/* More than a mebibyte is no format. */
	memset(huge, 'x', sizeof(huge));
	((struct etype *)(uintptr_t)a)->format = huge;
	((struct etype *)(uintptr_t)a)->format_len = sizeof(huge);
	ok(!map_of(t, "x", "g", a), "a format that is damaged");
	is_str(t->why, "the format of s:bad is damaged", "names the raw event");
	ev = stable_find(t->st, "x", "g");
	ok(stable_takes(ev, t->c, a) < 0, "and is taken no more");
	stable_available(ev, t->c, &t->s, why, sizeof(why));
	has(why, "no event s:bad", "as if it were not there");
	same = catalog_add_fields(t->c, &t->s, "x", "g", 902, NULL, 0, 0);
	((struct etype *)(uintptr_t)same)->stable = true;
	ok(stable_available(ev, t->c, &t->s, why, sizeof(why)), "what was exported is there");
	same = catalog_add_fields(t->c, &t->s, "s", "bad", 901, NULL, 0, 0);
	((struct etype *)(uintptr_t)same)->stable = true;
	ok(stable_takes(ev, t->c, same) < 0, "what a stable description made is no raw event");
	a = raw(t, "s", "bad", "int m;8;4;1\n", "\"\"");
	ok(stable_takes(ev, t->c, same) < 0 && stable_takes(ev, t->c, a) == 0,
	   "not even beside one");
	define(t, "event x::h\npurpose p\nfrom s:p | s:a\n" S(32) "= m\n");
	ok(stable_takes(stable_find(t->st, "x", "h"), t->c, catalog_add_unknown(t->c, &t->s, 7)) <
		   0,
	   "an unknown type is taken for nothing");
	trace_free(t);
}

int main(void)
{
	test_lines();
	test_leftovers();
	test_clip();
	test_signs();
	test_rw();
	test_syscalls();
	test_from();
	test_refused();
	return tap_done();
}
