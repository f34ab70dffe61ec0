// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps: print formats compiled and run by our own engine.  Expected values are C's, or what the
 * kernel's functions print by its documentation.  Without it a wrong promotion, sign, width or
 * bound would show in some event of some kernel.
 *
 * of: text/steps text/engine.c
 */
#include "trace/catalog.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/engine.h"
#include "text/steps/steps.h"
#include "t/lib/c/printtry.h"

#include <glob.h>
#include <stdlib.h>

static const char HEAD[] = "name: event\nID: 300\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			   "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
			   "\tfield:s8 b;\toffset:12;\tsize:1;\tsigned:1;\n"
			   "\tfield:u16 w;\toffset:14;\tsize:2;\tsigned:0;\n"
			   "\tfield:u32 arr[4];\toffset:16;\tsize:16;\tsigned:0;\n"
			   "\tfield:__data_loc char[] s;\toffset:32;\tsize:4;\tsigned:1;\n"
			   "\tfield:__data_loc u32[] d;\toffset:36;\tsize:4;\tsigned:0;\n"
			   "\tfield:__rel_loc char[] r;\toffset:40;\tsize:4;\tsigned:1;\n"
			   "\tfield:s32 n;\toffset:44;\tsize:4;\tsigned:1;\n"
			   "\tfield:s64 v;\toffset:48;\tsize:8;\tsigned:1;\n"
			   "\tfield:char name[8];\toffset:56;\tsize:8;\tsigned:1;\n"
			   "\tfield:u8 ip[16];\toffset:64;\tsize:16;\tsigned:0;\n"
			   "\tfield:__data_loc cpumask_t m;\toffset:80;\tsize:4;\tsigned:0;\n"
			   "\tfield:char * k;\toffset:88;\tsize:8;\tsigned:0;\n\nprint fmt: ";
#define SIZE 128
/* What is the one thing where the low byte comes first, and the other where it comes last. */
#define LITTLE(yes, no) (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? (yes) : (no))

static struct catalog *catalog;
static struct machine machine;
static struct arena arena;
static uint8_t *record;

static const struct etype *type_of(const char *print)
{
	return printtry_type(catalog, &machine, &arena, HEAD, print);
}

static void put(unsigned off, const void *p, size_t n)
{
	memcpy(record + off, p, n);
}

static void put32(unsigned off, uint32_t v)
{
	put(off, &v, 4);
}

static struct event fresh(const struct etype *t)
{
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, 0,    0, 0, 0,
					0,    0,    0,	  0,	0xab, 0, 0, 1 };
	struct event ev = { .type = t, .data = record, .size = SIZE };
	const int64_t v = -1000000000001;
	const int8_t b = -79;
	const uint16_t w = 65000;

	memset(record, 0, SIZE);
	put32(0, 300);
	put32(8, 4000000000);
	put(12, &b, 1);
	put(14, &w, 2);
	for (unsigned i = 0; i < 4; i++)
		put32(16 + 4 * i, i * 100);
	put32(32, 6 << 16 | 96);
	put32(36, 8 << 16 | 104);
	put32(40, 4 << 16 | (112 - 44));
	put32(44, (uint32_t)-5);
	put(48, &v, 8);
	put(56, "longname", 8);
	put(64, v6, 16);
	put32(80, 8 << 16 | 120);
	put(96, "hello", 6);
	put32(104, 11);
	put32(108, 0xdeadbeef);
	put(112, "rel", 4);
	record[120] = 0x0f;
	record[124] = 0x05;
	return ev;
}

/* The text of the record by PRINT in FORM, or why there is none. */
static const char *text_as(enum dialect dialect, const char *print, const char *form,
			   struct outbuf *out)
{
	const struct etype *t = type_of(print);
	struct event ev = fresh(t);
	const char *why = NULL;
	struct steps *s = steps_compile(t, dialect, form, &arena, &why);

	out->len = 0;
	if (!s)
		return why;
	if (!steps_run(s, &ev, out, steps_text_max(ev.size)))
		out_str(out, "(short)");
	steps_free(s);
	return out_end(out);
}

static const char *text_in(enum dialect dialect, const char *print, struct outbuf *out)
{
	return text_as(dialect, print, NULL, out);
}

static const char *text_by(const char *print, struct outbuf *out)
{
	return text_in(DIALECT_KERNEL, print, out);
}

/* ---- what is printed ---- */

static void texts(void)
{
	static const struct {
		const char *print, *want;
	} list[] = {
		/* numbers: signs, sizes and widths of the kernel's vsnprintf() */
		{ "\"%d %u %x\", REC->b, REC->b, REC->b", "-79 4294967217 ffffffb1" },
		{ "\"%hhu %hd\", REC->b, REC->w", "177 -536" },
		{ "\"%llx %lld\", REC->v, REC->v", "ffffff172b5aefff -1000000000001" },
		{ "\"%lx\", REC->a", "ee6b2800" },
		{ "\"[%8d] [%-8d] [%08d]\", REC->b, REC->b, REC->b",
		  "[     -79] [-79     ] [-0000079]" },
		{ "\"%#x %#x %#08x %#o\", 0, 16, 16, 8", "0x0 0x10 0x000010 010" },
		{ "\"%+d % d %X\", 5, 5, 0xabc", "+5  5 ABC" },
		{ "\"%.3d|%5.3d|%*d|%-*d|\", 7, 7, 4, 7, 4, 7", "007|  007|   7|7   |" },
		{ "\"%c%c %%\", 'x', REC->name[0]", "xl %" },
		/* arithmetic by C's rules */
		{ "\"%d\", 8 / 2 * 3 - 1 - 1", "10" },
		{ "\"%d\", 1 | 2 & 3 ^ 1 == 1", "3" },
		{ "\"%d\", REC->n >> 1", "-3" },
		{ "\"%u\", REC->a >> 31", "1" },
		{ "\"%d %d\", REC->n / 2, REC->n % 2", "-2 -1" },
		{ "\"%d\", REC->n < REC->a", "0" },
		{ "\"%d\", REC->n < (int)REC->w", "1" },
		{ "\"%d\", REC->v < REC->a", "1" },
		{ "\"%llu\", REC->a + REC->a", "3705032704" },
		{ "\"%llu\", (u64)REC->a + REC->a", "8000000000" },
		{ "\"%llx\", (1ULL << 40) - 1", "ffffffffff" },
		{ "\"%d\", (u8)REC->a", "0" },
		{ "\"%d\", ({ int x = (REC->n); int y = (128); ((x) < (y) ? (x) : (y)); })", "-5" },
		{ "\"%d %d\", !REC->a, !!REC->n", "0 1" },
		{ "\"%d\", REC->a ? REC->b ? 1 : 2 : 3", "1" },
		{ "\"%d\", REC->a && REC->n || 0", "1" },
		{ "\"%d\", (s8)(REC->b + 256)", "-79" },
		{ "\"%lu %lu\", sizeof(u64), sizeof(int)", "8 4" },
		{ "\"%lu %lu %lu\", sizeof(__s8), sizeof(s8), sizeof(__s16)", "1 1 2" },
		{ "\"%d,%d\", ((unsigned int) ((REC->a) >> 20)), ((unsigned int) ((REC->a) & "
		  "((1U << 20) - 1)))",
		  "3814,731136" },
		{ "\"%u\", REC->arr[REC->b + 82]", "300" },
		{ "\"%u\", ((u32 *)__get_dynamic_array(d))[1]", "3735928559" },
		/* this machine's byte order */
		{ "\"%u\", *(u16 *)__get_dynamic_array(d)", LITTLE("11", "0") },
		{ "\"%x %x\", ntohs(REC->w), __builtin_expect(REC->w, 0)", "e8fd fde8" },
		{ "\"%llu.%09u\", __print_ns_to_secs(5000000007ULL), "
		  "__print_ns_without_secs(5000000007ULL)",
		  "5.000000007" },
		/* strings */
		{ "\"%s %s %s\", __get_str(s), __get_rel_str(r), REC->name", "hello rel longname" },
		{ "\"[%8s] [%-8s] [%.2s] [%.*s]\", __get_str(s), __get_str(s), __get_str(s), "
		  "3, REC->name",
		  "[   hello] [hello   ] [he] [lon]" },
		{ "\"%s-%s\", REC->a ? \"yes\" : \"no\", REC->n > 0 ? __get_str(s) : REC->a ? "
		  "\"\\\"q\\\"\" : \"z\"",
		  "yes-\"q\"" },
		{ "\"[%5s]\", REC->n < 0 ? \"a\" : \"b\"", "[    a]" },
		{ "\"a\\tb\\\\n\\n\"", "a\tb\\n\n" },
		/* tables */
		{ "\"%s\", __print_flags(REC->a & 7 | 0x30, \"|\", { 0x10, \"x\" }, { 1 << 5, "
		  "\"y\" })",
		  "x|y" },
		{ "\"%s\", __print_flags(REC->arr[1], \"|\", { 4, \"f\" }, { 0x20, \"t\" })",
		  "f|t|0x40" },
		{ "\"%s\", __print_flags(0, \"|\", { 4, \"f\" })", "" },
		{ "\"%s %s\", __print_symbolic(REC->n, { -5, \"minus\" }), "
		  "__print_symbolic(REC->b, { 1, \"x\" })",
		  "minus 0xffffffffffffffb1" },
		{ "\"%s\", __print_symbolic(9, { HRTIMER_MODE_ABS, \"A\" }, { "
		  "HRTIMER_MODE_REL_HARD, \"RH\" })",
		  "RH" },
		{ "\"%s\", __print_symbolic_u64(1ULL << 40, { 0x10000000000ULL, \"big\" })",
		  "big" },
		/* arrays and masks */
		{ "\"%s\", __print_array(__get_dynamic_array(d), __get_dynamic_array_len(d) / "
		  "4, 4)",
		  "{0xb,0xdeadbeef}" },
		{ "\"%s %s\", __print_array(REC->arr, 2, 4), __print_dynamic_array(d, 2)",
		  LITTLE("{0x0,0x64} {0xb,0x0,0xbeef,0xdead}",
			 "{0x0,0x64} {0x0,0xb,0xdead,0xbeef}") },
		{ "\"%s %s\", __print_hex(REC->name, 3), __print_hex_str(REC->name, 3)",
		  "6c 6f 6e 6c6f6e" },
		{ "\"%s\", __get_cpumask(m)", "00000005,0000000f" },
		{ "\"%s\", __print_hex_dump(\"p \", 2, 16, 1, REC->name, 8, 1)",
		  "\np 00000000: 6c 6f 6e 67 6e 61 6d 65                          longname\n" },
		/* pointers */
		{ "\"%p %px %p\", (void *)REC->v, (void *)16, NULL",
		  "ffffff172b5aefff 0000000000000010 0000000000000000" },
		{ "\"%pI4 %pi4\", REC->ip, REC->ip", "32.1.13.184 032.001.013.184" },
		{ "\"%pI6 %pi6 %pI6c\", REC->ip, REC->ip, REC->ip",
		  "2001:0db8:0000:0000:0000:0000:ab00:0001 20010db80000000000000000ab000001 "
		  "2001:db8::ab00:1" },
		{ "\"%pM %pm %pMR\", REC->ip, REC->ip, REC->ip",
		  "20:01:0d:b8:00:00 20010db80000 00:00:b8:0d:01:20" },
		{ "\"%pUb %pUL\", REC->ip, REC->ip",
		  "20010db8-0000-0000-0000-0000ab000001 B80D0120-0000-0000-0000-0000AB000001" },
		{ "\"%*ph %5phC %2phN\", 3, REC->ip, REC->ip, REC->ip",
		  "20 01 0d 20:01:0d:b8:00 2001" },
		{ "\"%*pb %*pbl\", 40, __get_bitmask(m), 40, __get_bitmask(m)",
		  "05,0000000f 0-3,32,34" },
		{ "\"%pS %ps\", (void *)0xc0001010, (void *)0xc0001010", "first+0x10/0x800 first" },
		{ "\"%pS %pB\", (void *)0xc0001800, (void *)0xc0001800",
		  "second+0x0/0x100 [mod] first+0x800/0x800" },
		{ "\"%pS\", (void *)0x10", "0x10" },
		{ "\"%s %s\", REC->k, (char *)16", "(null) (0x10)" },
		/* what only the kernel knew */
		{ "\"page=%p pfn=%u\", (((struct page *)vmemmap_base) + (REC->a)), REC->a",
		  "page=? pfn=4000000000" },
		{ "\"%s %d\", some_name(REC->a), 1", "some_name(4000000000) 1" },
		{ "\"%5u|%s\", some_name(REC->n), REC->name", "some_name(-5)|longname" },
		{ "\"%u %d\", some_name(REC->a, 2), 1", "? 1" },
		{ "\"%u %d\", some_name(other(REC->a)), 1", "? 1" },
		{ "\"%s %d\", some_name(REC->name), 1", "? 1" },
		{ "\"age=%lu\", (jiffies - REC->a) / 250", "age=0" },
		/* what would end another program */
		{ "\"%d %d\", REC->a / REC->arr[0], REC->a % (REC->b + 79)", "0 0" },
		{ "\"%d\", 1 << REC->a", "0" },
		{ "\"%u\", REC->arr[REC->a]", "0" },
		{ "\"%d\", (-2147483647 - 1) / (REC->b + 78)", "-2147483648" },
	};
	struct outbuf out = { 0 };

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const char *got = text_by(list[i].print, &out);

		ok(!strcmp(got, list[i].want), "%s", list[i].print);
		if (strcmp(got, list[i].want))
			diag("want %s\n# got  %s", list[i].want, got);
	}
	outbuf_fini(&out);
}

/* What trace-cmd 3.4.0 with libtraceevent 1.9.0 prints of the same. */
static void report(void)
{
	static const struct {
		const char *print, *want;
	} list[] = {
		{ "\"%p %px %p\", (void *)REC->v, (void *)16, NULL",
		  "0xffffff172b5aefff 0x10 (nil)" },
		{ "\"%pS %ps\", (void *)0xc0001010, (void *)0xc0001010", "first+0x10 first" },
		{ "\"%pS\", (void *)0xc0001800", "second+0x0" },
		{ "\"%pS\", (void *)0x10", "0x10" },
		{ "\"%s %s\", __get_cpumask(m), __get_bitmask(m)", "0-3,32,34 00000005,0000000f" },
		{ "\"%lx %#x %x\", REC->v, 0, 0", "ffffff172b5aefff 0 0" },
		{ "\"%pI4 %pM\", REC->ip, REC->ip", "32.1.13.184 20:01:0d:b8:00:00" },
	};
	struct outbuf out = { 0 };

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const char *got = text_in(DIALECT_REPORT, list[i].print, &out);

		ok(!strcmp(got, list[i].want), "report: %s", list[i].print);
		if (strcmp(got, list[i].want))
			diag("want %s\n# got  %s", list[i].want, got);
	}
	outbuf_fini(&out);
}

static void forms(void)
{
	static const char same[] = "\"a=%u b=%d%s ==> w=%hd\", REC->a, REC->b, \"!\", REC->w";
	static const struct {
		const char *print, *form, *want;
	} list[] = {
		{ same, "", "a=4000000000 b=-79! ==> w=-536" },
		{ same, "{w} {b} {a}", "-536 -79! ==> 4000000000" },
		{ same, "{a}:{a} [{w}]", "4000000000:4000000000 [-536]" },
		{ same, "nothing", "nothing" },
		/* a name that it has not, or that no value stands behind */
		{ same, "{w} {c}", "a=4000000000 b=-79! ==> w=-536" },
		{ same, "{", "a=4000000000 b=-79! ==> w=-536" },
		{ "\"a=%u b=%d\", REC->a", "{a}", "fewer arguments than conversions" },
		/* a colon is as good; what a width takes, and what is no conversion */
		{ "\"a:%u b:%s (%d)\", REC->a, \"x\", REC->n", "b={b}", "b=x (-5)" },
		{ "\"a=%*d%% b=%-*d| c=%%%x\", 4, 7, 3, 8, 9", "{c} {b} {a}", "%9 8  |    7%" },
		/* letters behind %p are no names */
		{ "\"x=%pI4:%u y=%u\", REC->ip, 5, 6", "{y} {x}", "6 32.1.13.184:5" },
		{ "\"a=%u, b=%d, \", REC->a, REC->b", "{a}|{b}", "4000000000|-79" },
		/* nor are those of the record's own text */
		{ "\"%s a=%u\", REC->name, REC->a", "{a}", "4000000000" },
	};
	struct outbuf out = { 0 };

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const char *got = text_as(DIALECT_KERNEL, list[i].print, list[i].form, &out);

		ok(!strcmp(got, list[i].want), "%s in the form \"%s\"", list[i].print,
		   list[i].form);
		if (strcmp(got, list[i].want))
			printf("# got  %s\n# want %s\n", got, list[i].want);
	}
	outbuf_fini(&out);
}

static void refused(void)
{
	static const char *const list[] = {
		"\"%d\", REC->missing",
		"\"%d\", REC->a +",
		"\"%d\", (REC->a",
		"\"%d %d\", REC->a",
		"\"%s\", ({ int x; x; })",
		"\"%d\", ({ int x = 1; f(); x; })",
		"\"%d\", *(int *)REC->v",
		"\"%d\", REC->name",
		"\"%pI4\", (void *)REC->v",
		"\"%y\", REC->a",
		"\"%d",
		"REC->a",
		"\"%d\", \"x\"",
		"\"%pd\", (void *)REC->v",
	};
	struct outbuf out = { 0 };
	const char *why;

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		why = NULL;
		ok(!steps_compile(type_of(list[i]), DIALECT_KERNEL, NULL, &arena, &why) && why,
		   "refused: %s", list[i]);
	}
	outbuf_fini(&out);
}

/* ---- hostile records ---- */

/* Every offset and length of a data_loc word, in a block that ends with the record. */
static void words(void)
{
	const struct etype *t = type_of(
		"\"%s %s %s %s %s %pI6c %pISpc %*ph %u\", __get_str(s), __get_rel_str(r), "
		"__print_array(__get_dynamic_array(d), __get_dynamic_array_len(d) / 4, 4), "
		"__get_cpumask(m), __print_hex(__get_dynamic_array(s), "
		"__get_dynamic_array_len(s)), "
		"__get_dynamic_array(d), __get_sockaddr(d), 64, __get_dynamic_array(d), "
		"((u32 *)__get_dynamic_array(d))[REC->n]");
	static const unsigned at[] = { 32, 36, 40, 80 };
	size_t max = steps_text_max(SIZE);
	struct outbuf out = { 0 };
	const char *why = NULL;
	struct steps *s = steps_compile(t, DIALECT_KERNEL, NULL, &arena, &why);
	bool good = s;

	if (!s)
		diag("refused: %s", why);
	for (unsigned i = 0; s && i < 4; i++)
		for (uint32_t off = 0; off < 160; off++)
			for (uint32_t len = 0; len < 160; len += len < 20 ? 1 : 13) {
				struct event ev = fresh(t);

				put32(at[i], len << 16 | off);
				put32(44, off * 77 - 5000);
				out.len = 0;
				good &= steps_run(s, &ev, &out, max) && out.len <= max;
			}
	ok(good, "each offset and length is kept inside of its record (with a sanitizer)");
	for (uint32_t size = 0; s && size < SIZE; size++) {
		struct event ev = fresh(t);
		uint8_t *cut = malloc(size ? size : 1);

		memcpy(cut, record, size);
		ev.data = cut;
		ev.size = size;
		out.len = 0;
		steps_run(s, &ev, &out, max);
		good &= out.len <= max;
		free(cut);
	}
	ok(good, "a record may end anywhere");
	steps_free(s);
	outbuf_fini(&out);
}

static void bounds(void)
{
	struct outbuf print = { 0 }, out = { 0 };
	const struct etype *t;
	const char *why = NULL;
	struct steps *s;
	struct event ev;

	out_char(&print, '"');
	for (unsigned i = 0; i < 60; i++)
		out_str(&print, "%1000d");
	out_char(&print, '"');
	for (unsigned i = 0; i < 60; i++)
		out_str(&print, ", REC->a");
	t = type_of(out_end(&print));
	s = steps_compile(t, DIALECT_KERNEL, NULL, &arena, &why);
	ev = fresh(t);
	ok(s && steps_run(s, &ev, &out, 2000) && out.len == 2000 &&
		   !memcmp(out.p + 1994, " [CUT]", 6),
	   "a text that is too long is cut, and says so");
	steps_free(s);

	print.len = out.len = 0;
	out_char(&print, '"');
	for (unsigned i = 0; i < 300; i++)
		out_str(&print, "%.0s");
	out_char(&print, '"');
	for (unsigned i = 0; i < 300; i++)
		out_str(&print, ", REC->name");
	s = steps_compile(type_of(out_end(&print)), DIALECT_KERNEL, NULL, &arena, &why);
	ok(s && steps_run(s, &ev, &out, 200) && out.len >= 6 &&
		   !memcmp(out.p + out.len - 6, " [CUT]", 6),
	   "text that is thrown away counts (else: 64 KiB are copied hundreds of times)");
	steps_free(s);

	print.len = 0;
	out_str(&print, "\"%d\", ");
	for (unsigned i = 0; i < 5000; i++)
		out_char(&print, '(');
	ok(!steps_compile(type_of(out_end(&print)), DIALECT_KERNEL, NULL, &arena, &why),
	   "deep nesting is refused");
	print.len = 0;
	out_str(&print, "\"%d\", 1");
	for (unsigned i = 0; i < 900; i++)
		out_str(&print, " + REC->a");
	s = steps_compile(type_of(out_end(&print)), DIALECT_KERNEL, NULL, &arena, &why);
	ok(s, "a long row of operators is compiled");
	steps_free(s);
	outbuf_fini(&print);
	outbuf_fini(&out);
}

/* ---- the running kernel ---- */

/* A block of C with more than declarations and a value: some of kvm's. */
static bool expected(const char *text)
{
	return strstr(text, "({") != NULL;
}

static void all_formats(void)
{
	unsigned n = 0, raw = 0, untold = 0, bad = 0;
	glob_t g;

	if (glob("/sys/kernel/tracing/events/*/*/format", 0, NULL, &g)) {
		ok(true, "# SKIP there is no tracefs to read here");
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");
		char *text = arena_alloc(&arena, 65536);
		size_t len = f ? fread(text, 1, 65536, f) : 0;
		const char *why = NULL;
		struct steps *s;
		struct etype *t;
		struct err e;

		if (f)
			fclose(f);
		t = len ? catalog_add(catalog, &machine, "kernel", text, len, &e) : NULL;
		if (!t || etype_resolve(catalog, t, &e) < 0)
			continue;
		n++;
		s = steps_compile(t, DIALECT_KERNEL, NULL, &arena, &why);
		raw += !s;
		untold += s && why;
		if (!s && !expected(text)) {
			bad++;
			diag("%s: %s", g.gl_pathv[i], why);
		}
		steps_free(s);
	}
	diag("%u formats of the running kernel: %u raw, %u with a part that it alone knows", n, raw,
	     untold);
	ok(n && !bad, "the print formats of the running kernel are compiled");
	globfree(&g);
}

static const char KALLSYMS[] = "ffffffff00000000 T later\n00000000c0001000 T first\n"
			       "00000000c0001000 t alias\n00000000c0001800 t second\t[mod]\n"
			       "00000000c0001900 t third\t[mod]\n";

static int told(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	*p = which == TEXT_KALLSYMS ? KALLSYMS : "";
	*len = strlen(*p);
	return 0;
}

int main(void)
{
	static const struct machine_ops ops = { .text = told };

	catalog = catalog_new();
	machine_init(&machine, &ops, NULL, NULL);
	machine.long_size = 8;
	record = malloc(SIZE);
	texts();
	report();
	forms();
	refused();
	words();
	bounds();
	all_formats();
	free(record);
	catalog_free(catalog);
	machine_fini(&machine);
	arena_fini(&arena);
	return tap_done();
}
