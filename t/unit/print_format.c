// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_format: print formats as they are parsed, and their tables.  Without it a format made to
 * cost much would, or one of a real kernel be refused and its records be printed raw.
 *
 * of: text/printfmt
 */
#include "trace/catalog.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/printfmt/printfmt_parse.h"
#include "t/lib/c/printtry.h"

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
	return printtry_type(catalog, &machine, &arena, HEAD, print);
}

/* NULL: refused, with the reason in *WHY. */
static struct printfmt *read_print(const struct etype *t, const char **why)
{
	return printfmt_parse(t, &arena, why);
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
		{ "\"%d\", REC->a / 0", true },
		{ "\"%d\", 4 / 'x'", true },
		{ "\"%d\", REC->missing", false },
		{ "\"%d\", REC->a +", false },
		{ "\"%d\", (REC->a", false },
		{ "\"%d\", (REC)->a", true },
		{ "\"%d\", ((unsigned int) ((REC->a) >> 20))", true },
		{ "\"%s\", __get_str(s)", true },
		{ "\"%s\", __get_str(nothing)", true },
		{ "\"%s\", REC->a ? \"x\" : \"y\"", true },
		{ "\"%s\", REC->a ? \"x\"", false },
		{ "\"%s\", __print_hex(REC->name, 8)", true },
		{ "\"%s\", __print_hex(REC->name + 1, 8)", true },
		{ "\"%s\", __print_array(__get_dynamic_array(d), __get_dynamic_array_len(d) / 4, "
		  "4)",
		  true },
		{ "\"%d\", __get_rel_dynamic_array_len(r)", true },
		{ "\"%d\", unknown(REC->a, REC->b)", true },
		{ "\"%d\", unknown(REC->a", false },
		{ "\"%d\" REC->a", false },
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

/* ---- tables ---- */

static void tables(void)
{
	const struct flag_table *t =
		printfmt_tables(type_of("\"%s %s %s\", __print_flags(REC->flags, \"|\", { 1 << 3, "
					"\"eight\" }, { 0x10UL, \"sixteen\" }, "
					"{ (unsigned long)(1 | 4), \"five\" }), "
					"__print_symbolic((REC->a & 3), { 0, \"zero\" }, "
					"{ -1, \"minus\" }, { TASKLET_SOFTIRQ, \"TASKLET\" }, "
					"{ NOBODY_KNOWS, \"?\" }), "
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
	ok(!t->field && !t->delim && t->n == 4, "symbolic: an expression has no field");
	is_u64(t->names[1].value, UINT64_MAX, "symbolic: a negative value");
	is_u64(t->names[2].value, 6, "symbolic: a word that kernels leave");
	ok(t->names[2].known && !t->names[3].known, "symbolic: a word that nobody knows is none");
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
		{ "({int x=1;", "1", 6000 },
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
	for (unsigned depth = 16; depth <= PF_MAX_DEPTH; depth += PF_MAX_DEPTH - 16) {
		char *open = many("\"%d\", ", "(", depth, "REC->a");
		const char *why;
		bool good = read_print(type_of(many(open, ")", depth, "")), &why);

		ok(good == (depth == 16), "%u parentheses are %s", depth,
		   depth == 16 ? "fine" : "too many");
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
		if (!read_print(t, &why)) {
			refused++;
			diag("%s: %s", g.gl_pathv[i], why);
		}
	}
	globfree(&g);
	/* A few have what is no expression, such as a block with a loop. */
	ok(!seen || refused * 100 <= seen,
	   "of %u formats of the running kernel hardly one is refused (%u)", seen, refused);
}

int main(void)
{
	catalog = catalog_new();
	verdicts();
	tables();
	bounds();
	kernel();
	catalog_free(catalog);
	arena_fini(&arena);
	return tap_done();
}
