// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr_fuzz: an expression over a type with fields of every kind, or over two records of it.  The
 * first 96 bytes are the record, the rest is the text.  As a condition and as a value it has to say
 * the same.
 */
#include "expr/test.h"
#include "expr/value.h"
#include "t/fuzz/fuzz.h"

#define RECORD 96

static const char format[] = "name: tick\nID: 300\nformat:\n" FUZZ_COMMON
			     "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
			     "\tfield:u32 u;\toffset:12;\tsize:4;\tsigned:0;\n"
			     "\tfield:u64 v;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:char who[8];\toffset:24;\tsize:8;\tsigned:1;\n"
			     "\tfield:u8 b;\toffset:32;\tsize:1;\tsigned:0;\n"
			     "\tfield:s16 h;\toffset:34;\tsize:2;\tsigned:1;\n"
			     "\tfield:__data_loc char[] s;\toffset:36;\tsize:4;\tsigned:1;\n"
			     "\tfield:__data_loc u32[] a;\toffset:40;\tsize:4;\tsigned:0;\n"
			     "\tfield:__data_loc cpumask_t m;\toffset:44;\tsize:4;\tsigned:0;\n"
			     "\tfield:s64 w;\toffset:48;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"";

static unsigned seen;

static void read_value(const struct expr *x, const struct etype *t, const struct event *ev,
		       const bool *passes)
{
	const struct etype *const types[] = { t, t };
	const struct event *const sides[] = { ev, ev };
	struct expr_result r;
	struct err e;
	struct expr_value *v = expr_value_bind(x, expr_top(x), types, &e);

	if (!v)
		return;
	if (v->kind == EXPR_STRING) {
		expr_value_run(v, sides, &r);
		for (uint32_t i = 0; i < r.len; i++)
			seen += r.str[i];
	} else if (!passes) {
		seen += expr_value_number(v, sides);
	} else if ((expr_value_number(v, sides) != 0) != *passes) {
		__builtin_trap();
	}
	expr_value_free(v);
}

/* Is there an & in TEXT?  As a condition it takes constants in the size of the field. */
static bool has_and(const char *text)
{
	for (; *text; text++) {
		if (*text == '&' && text[1] != '&')
			return true;
		text += *text == '&';
	}
	return false;
}

static void of_one(const char *text, const struct etype *t, const struct event *ev)
{
	struct err e;
	struct expr *x = expr_parse(text, 0, NULL, &e);
	struct expr_test *w;
	bool lacks, passes;

	if (!x)
		return;
	for (unsigned i = 0; expr_name(x, 0, i); i++)
		seen++;
	w = expr_test_bind(x, t, NULL, &lacks, &e);
	passes = w && expr_test_pass(w, ev);
	if (w && expr_test_run(w, ev) != passes)
		__builtin_trap();
	read_value(x, t, ev, w && !has_and(text) ? &passes : NULL);
	expr_test_free(w);
	expr_free(x);
}

static void of_two(const char *text, const struct etype *t, const struct event *ev)
{
	static const char *const names[] = { "start", "end" };
	const struct expr_node *a, *b;
	struct err e;
	struct expr *x = expr_parse(text, 0, names, &e);

	if (!x)
		return;
	if (!expr_same(expr_top(x), expr_top(x)))
		__builtin_trap();
	if (expr_is_and(expr_top(x), &a, &b) || expr_is_equal(expr_top(x), &a, &b))
		seen += expr_reads(a) + expr_reads(b);
	read_value(x, t, ev, NULL);
	expr_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct origin from = { .path = "fuzz", .instance = "" };
	const struct etype *t;
	char *text, *rec;
	struct fuzz f;
	struct err e;

	if (size < RECORD)
		return 0;
	rec = fuzz_copy(data, RECORD);
	text = malloc(size - RECORD + 1);
	memcpy(text, data + RECORD, size - RECORD);
	text[size - RECORD] = '\0';
	fuzz_begin(&f, size & 1, size & 2 ? 4 : 8);
	t = catalog_add(f.catalog, &f.machine, "mini", format, sizeof(format) - 1, &e);
	if (t && etype_resolve(f.catalog, t, &e) == 0) {
		struct event ev = {
			.type = t, .data = (uint8_t *)rec, .size = RECORD, .from = &from
		};

		of_one(text, t, &ev);
		of_two(text, t, &ev);
	}
	fuzz_end(&f);
	free(rec);
	free(text);
	return 0;
}
