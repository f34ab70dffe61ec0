// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_format: print formats parsed, checked and tried on records.  Without it a format that
 * kills libtraceevent could get through to it, or one of a real kernel be refused and printed raw.
 */
#include "reader/model/catalog.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/printfmt/check.h"
#include "reader/text/printfmt/conversion.h"
#include "reader/text/printfmt/parse.h"
#include "reader/text/printfmt/record.h"
#include "t/lib/tap.h"

#include <glob.h>
#include <stdlib.h>
#include <time.h>

static const char HEAD[] = "name: event\nID: 300\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			   "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
			   "\tfield:u32 b;\toffset:12;\tsize:4;\tsigned:0;\n"
			   "\tfield:u32 arr[4];\toffset:16;\tsize:16;\tsigned:0;\n"
			   "\tfield:__data_loc char[] s;\toffset:32;\tsize:4;\tsigned:1;\n"
			   "\tfield:__data_loc u32[] d;\toffset:36;\tsize:4;\tsigned:0;\n"
			   "\tfield:__rel_loc u32[] r;\toffset:40;\tsize:4;\tsigned:0;\n"
			   "\tfield:u64 flags;\toffset:48;\tsize:8;\tsigned:0;\n"
			   "\tfield:char name[8];\toffset:56;\tsize:8;\tsigned:1;\n\nprint fmt: ";

static struct catalog *catalog;
static struct machine machine = { .long_size = 8 };
static struct arena arena;

static const struct etype *type_of(const char *print)
{
	size_t n = strlen(HEAD) + strlen(print) + 2;
	char *text = arena_alloc(&arena, n);
	struct etype *t;
	struct err e;

	snprintf(text, n, "%s%s\n", HEAD, print);
	t = catalog_add(catalog, &machine, "test", text, n - 1, &e);
	if (!t || etype_resolve(catalog, t, &e) < 0)
		bail("the format of %s cannot be read: %s", print, e.msg);
	return t;
}

/* NULL: refused, with the reason in *WHY. */
static struct printfmt *read_print(const struct etype *t, const char **why)
{
	struct printfmt *pf = printfmt_parse(t, 0, &arena, why);

	return pf && !printfmt_check(pf, &arena, why) ? pf : NULL;
}

/* A record of 96 bytes with the same behind it, and 192 KiB of zeroes. */
static uint8_t *record;

static void put32(unsigned off, uint32_t v)
{
	memcpy(record + off, &v, 4);
}

static void put_text(unsigned off, const char *text, size_t len)
{
	memcpy(record + off, text, len);
}

static struct event fresh(const struct etype *t)
{
	struct event ev = { .type = t, .data = record, .size = 96 };

	memset(record, 0, 96);
	put32(0, 300);
	put32(8, 7);
	for (unsigned i = 0; i < 4; i++)
		put32(16 + 4 * i, i);
	put32(32, 6 << 16 | 64);
	put32(36, 8 << 16 | 72);
	put32(40, 8 << 16 | (80 - 44));
	put_text(56, "somename", 8);
	memcpy(record + 64, "hello", 6);
	put32(72, 11);
	put32(76, 12);
	return ev;
}

/* ---- refused and accepted ---- */

static void verdicts(void)
{
	static const struct {
		const char *print;
		bool good;
	} list[] = {
		{ "\"a=%u\", REC->a", true },
		{ "\"a=%u\" \" b=%u\", REC->a, REC->b", true },
		{ "\"none\"", true },
		{ "\"%d\", REC->a / 3", true },
		{ "\"%d\", REC->a / 0", false },
		{ "\"%d\", 4 % (2 * 0)", false },
		{ "\"%d\", 4 / 'x'", false },
		{ "\"%d\", REC->missing", false },
		{ "\"%d\", REC->a +", false },
		{ "\"%d\", (REC->a", false },
		{ "\"%d\", (REC)->a", true },
		{ "\"%d\", ((unsigned int) ((REC->a) >> 20))", true },
		{ "\"%s\", __get_str(s)", true },
		{ "\"%s\", __get_str(nothing)", false },
		{ "\"%s\", REC->a ? \"x\" : \"y\"", true },
		{ "\"%s\", REC->a ? \"x\"", false },
		{ "\"%s\", __print_hex(REC->name, 8)", true },
		{ "\"%s\", __print_hex(REC->name + 1, 8)", false },
		{ "\"%s\", __print_array(__get_dynamic_array(d), __get_dynamic_array_len(d) / 4, "
		  "4)",
		  true },
		{ "\"%d\", __get_rel_dynamic_array_len(r)", false },
		{ "\"%d\", unknown(REC->a)", false },
		{ "\"%ls\", REC->name", false },
		{ "\"%99999d\", REC->a", false },
		{ "\"%d", false },
		{ "REC->a", false },
		{ "\"%lu\", sizeof(u64)", true },
		{ "\"%lu\", sizeof(struct x)", false },
	};

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const char *why = NULL;
		bool good = read_print(type_of(list[i].print), &why);

		ok(good == list[i].good && (good || why), "%s: %s",
		   list[i].good ? "accepted" : "refused", list[i].print);
		if (good != list[i].good)
			diag("said: %s", why ? why : "nothing");
	}
}

/* ---- records ---- */

static void records(void)
{
	/* PRINT is fine for the record as it is, and not once AT holds VALUE. */
	static const struct {
		const char *what, *print;
		unsigned at;
		uint32_t value;
	} list[] = {
		{ "a divisor", "\"%d\", REC->b / REC->a", 8, 0 },
		{ "a divisor that is cut", "\"%d\", REC->b / (u8)REC->a", 8, 0x100 },
		{ "a divisor grouped to the right", "\"%d\", 8 / 2 * REC->a", 8, 0 },
		{ "a remainder in a condition", "\"%s\", REC->b % REC->a ? \"x\" : \"y\"", 8, 0 },
		{ "an index", "\"%d\", REC->arr[REC->b]", 12, 4 },
		{ "a shift", "\"%d\", 1 << REC->b", 12, 64 },
		{ "a width", "\"%*d\", REC->a, REC->b", 8, PF_MAX_WIDTH + 1 },
		{ "a negative width", "\"%*d\", REC->a, REC->b", 8, -1u },
		{ "a length", "\"%s\", __print_hex(REC->arr, REC->a)", 8, 17 },
		{ "a count", "\"%s\", __print_array(REC->arr, REC->b, 4)", 12, 5 },
		{ "a size of items", "\"%s\", __print_array(REC->arr, 2, (REC->a + 1))", 8, 4 },
		{ "the end of a string", "\"%s\", __get_str(s)", 32, 33 << 16 | 64 },
		{ "the begin of a string", "\"%s\", __get_str(s)", 32, 1 << 16 | 97 },
		{ "an array's end", "\"%s\", __print_hex(__get_dynamic_array(d), 4)", 36,
		  25 << 16 | 72 },
		{ "an array's length", "\"%s\", __print_hex(__get_dynamic_array(d), 8)", 36,
		  4 << 16 | 72 },
		{ "the end of a __rel_loc", "\"%s\", __get_rel_str(r)", 40, 8 << 16 | 60 },
	};
	const char *why;
	struct printfmt *pf;
	struct event ev;

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		bool before, after;

		pf = read_print(type_of(list[i].print), &why);
		if (!pf) {
			ok(false, "%s: %s", list[i].what, why);
			continue;
		}
		ev = fresh(pf->type);
		before = printfmt_record_ok(pf, &ev);
		put32(list[i].at, list[i].value);
		after = printfmt_record_ok(pf, &ev);
		ok(pf->risky && before && !after, "a record with a bad one is refused: %s",
		   list[i].what);
	}

	pf = read_print(type_of("\"%d\", REC->a ? REC->b / REC->a : 0"), &why);
	ev = fresh(pf->type);
	put32(8, 0);
	ok(printfmt_record_ok(pf, &ev), "a division that ?: saves is no reason to refuse a record");
	pf = read_print(type_of("\"%d\", REC->a && REC->b / REC->a"), &why);
	ev = fresh(pf->type);
	put32(8, 0);
	ok(!printfmt_record_ok(pf, &ev), "&& saves none: the library computes both sides");
	pf = read_print(type_of("\"%u %s\", REC->a, __print_flags(REC->flags, \"|\", {1, \"x\"})"),
			&why);
	ok(pf && !pf->risky, "a format that cannot go wrong costs its records nothing");
}

/* ---- tables ---- */

static void tables(void)
{
	const struct flag_table *t =
		printfmt_tables(type_of("\"%s %s %s\", __print_flags(REC->flags, \"|\", { 1 << 3, "
					"\"eight\" }, { 0x10UL, \"sixteen\" }, "
					"{ (unsigned long)(1 | 4), \"five\" }), "
					"__print_symbolic((REC->a & 3), { 0, \"zero\" }, "
					"{ -1, \"minus\" }, { TASKLET_SOFTIRQ, \"TASKLET\" }), "
					"__print_symbolic((int)REC->b, "
					"{ 'c', \"letter\" }, { 0xffffffffffffffff, \"all\" })"),
				&arena);
	bool three = t && t->next && t->next->next && !t->next->next->next;

	ok(three, "three tables are found");
	if (!three)
		return;
	ok(t->field && !strcmp(t->field->name, "flags") && !strcmp(t->delim, "|") && t->n == 3,
	   "flags: the field, the delimiter and the number of names");
	is_u64(t->names[0].value, 8, "flags: a shift");
	is_str(t->names[0].name, "eight", "flags: its name");
	is_u64(t->names[1].value, 16, "flags: hexadecimal with a suffix");
	t = t->next;
	ok(!t->field && !t->delim && t->n == 3, "symbolic: an expression has no field");
	is_u64(t->names[1].value, UINT64_MAX, "symbolic: a negative value");
	is_u64(t->names[2].value, 6, "symbolic: a word that kernels leave");
	t = t->next;
	ok(t->field && !strcmp(t->field->name, "b"), "symbolic: the field below a cast");
	is_u64(t->names[0].value, 'c', "symbolic: a letter");
	is_u64(t->names[1].value, UINT64_MAX, "symbolic: 64 bits");

	t = printfmt_tables(
		type_of("\"%s %d\", __print_symbolic(REC->a, { 1, \"one\" }), REC->missing"),
		&arena);
	ok(t && t->n == 1 && !strcmp(t->names[0].name, "one"),
	   "the tables of a format that goes wrong behind them are found");
}

/* ---- bounds ---- */

static char *many(const char *head, const char *part, unsigned times, const char *tail)
{
	size_t n = strlen(part);
	char *s = arena_alloc(&arena, strlen(head) + n * times + strlen(tail) + 1), *p = s;

	p = stpcpy(p, head);
	for (unsigned i = 0; i < times; i++)
		p = stpcpy(p, part);
	strcpy(p, tail);
	return s;
}

static void bounds(void)
{
	static const struct {
		const char *part, *tail;
		unsigned times;
	} list[] = {
		{ "(", "1", 60000 },
		{ "-", "1", 60000 },
		{ "1+", "1", 30000 },
		{ "REC->a?", "1", 8000 },
		{ "REC->arr[", "1", 7000 },
		{ "(u8)", "1", 15000 },
		{ "__print_flags(", "1", 4500 },
		{ "x ", "1", 30000 },
		{ "\"\" ", "", 20000 },
		{ "__print_array(", "1", 4500 },
		{ "jiffies_to_msecs(", "1", 3600 },
		{ "1,", "1", 30000 },
	};

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const struct etype *t =
			type_of(many("\"%d\", ", list[i].part, list[i].times, list[i].tail));
		clock_t start = clock();
		const char *why;

		read_print(t, &why);
		ok(clock() - start < CLOCKS_PER_SEC, "%u times %s take no second", list[i].times,
		   list[i].part);
	}
	for (unsigned depth = 24; depth <= PF_MAX_DEPTH * 2; depth += PF_MAX_DEPTH * 2 - 24) {
		char *open = many("\"%d\", ", "(", depth, "REC->a");
		const char *why;
		bool good = read_print(type_of(many(open, ")", depth, "")), &why);

		ok(good == (depth == 24), "%u parentheses are %s", depth,
		   depth == 24 ? "fine" : "too many");
	}
	{
		const char *why;

		ok(!read_print(type_of(many("\"", "x", PF_MAX_SIZE + 1, "\"")), &why) && why,
		   "a format of more than %u bytes is refused", PF_MAX_SIZE);
	}
}

/* ---- every format of the running kernel ---- */

static void kernel(void)
{
	unsigned seen = 0, refused = 0;
	glob_t g;

	if (glob("/sys/kernel/tracing/events/*/*/format", 0, NULL, &g)) {
		ok(true,
		   "the running kernel's formats # SKIP no tracefs is mounted, or not for us");
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char *text = arena_alloc(&arena, 65536);
		FILE *f = fopen(g.gl_pathv[i], "r");
		size_t n = f ? fread(text, 1, 65535, f) : 0;
		struct err e;
		struct etype *t;
		const char *why;

		if (f)
			fclose(f);
		if (!n || !(t = catalog_add(catalog, &machine, "kernel", text, n, &e)) ||
		    etype_resolve(catalog, t, &e) < 0)
			continue;
		seen++;
		/* Stock shows events whose functions no library knows as "[FAILED TO PARSE]". */
		if (!read_print(t, &why) && strcmp(why, "a function that is not known")) {
			refused++;
			diag("%s: %s", g.gl_pathv[i], why);
		}
	}
	globfree(&g);
	/* A few use what the library does not know, such as trace_seq_printf() in the format. */
	ok(!seen || refused * 100 <= seen,
	   "of %u formats of the running kernel hardly one is refused (%u)", seen, refused);
}

int main(void)
{
	catalog = catalog_new();
	record = mem_zalloc(256 << 10);
	verdicts();
	records();
	tables();
	bounds();
	kernel();
	catalog_free(catalog);
	arena_fini(&arena);
	free(record);
	return tap_done();
}
