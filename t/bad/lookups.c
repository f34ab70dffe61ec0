// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables that a trace brings with it and that are asked for every record: of symbols, and those of
 * __print_symbolic().  One that is made to be slow has to cost about what a real one does; without
 * this a file of a megabyte keeps a reader busy for hours.  Ratios, as the machine may be busy.
 *
 * of: trace text/steps base
 */
#include "base/mem.h"
#include "base/outbuf.h"
#include "trace/catalog.h"
#include "trace/machine.h"
#include "trace/symbols.h"
#include "text/steps/steps.h"
#include "t/lib/c/printtry.h"

#include <time.h>

#define RATIO 8 /* a search that is linear is slower by 20 to some hundreds */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- symbols ---- */

enum { SYMBOLS = 100000, LOOKUPS = 2000 };

/* Symbols of which EACH have one address. */
static struct symbols *symbols_of(unsigned each)
{
	struct symbols_lost lost;
	struct outbuf o = { 0 };
	struct symbols *t;

	out_str(&o, "1000 T _stext\n");
	for (unsigned i = 0; i < SYMBOLS; i++)
		out_printf(&o, "%x t f%u\n", 0x2000 + i / each * 16, i);
	out_printf(&o, "%x T _end\n", 0x2000 + SYMBOLS * 16);
	t = symbols_kallsyms(o.p, o.len, &lost);
	outbuf_fini(&o);
	return t;
}

/* The name at one of many addresses, or one byte behind it. */
static const char *symbol(const struct symbols *t, unsigned each, unsigned i)
{
	unsigned k = i * 49 % (SYMBOLS / each);
	uint64_t start, size;
	const char *module;

	return symbols_kernel(t, 0x2000 + k * 16 + i % 2, &start, &size, &module);
}

/* The least time of some tries, as others may have the machine; *RIGHT: all were as they should. */
static double symbols_time(unsigned each, bool *right)
{
	struct symbols *t = symbols_of(each);
	double best = 1e9;

	for (unsigned try = 0; try < 5; try++) {
		double from = now();

		for (unsigned i = 0; i < LOOKUPS; i++)
			*right &= symbol(t, each, i) != NULL;
		from = now() - from;
		best = from < best ? from : best;
	}
	for (unsigned i = 0; i < LOOKUPS && *right; i++) {
		char want[16];

		snprintf(want, sizeof(want), "f%u", i * 49 % (SYMBOLS / each) * each);
		*right &= !strcmp(symbol(t, each, i), want);
	}
	symbols_free(t);
	return best;
}

static void test_symbols(void)
{
	bool right = true;
	double real = symbols_time(1, &right), same = symbols_time(SYMBOLS, &right);
	double pairs = symbols_time(1000, &right);

	ok(right,
	   "symbols: of one address the first of the text (else: another function is named)");
	if (!ok(same < RATIO * real && pairs < RATIO * real,
		"symbols: many of one address are found as fast (else: a file can stall us)"))
		diag("%g s, %g s; of different addresses %g s", same, pairs, real);
}

/* ---- tables ---- */

static const char HEAD[] = "name: event\nID: 300\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			   "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: ";

enum { ENTRIES = 3200, RECORDS = 2000 };

static int no_text(void *arg, enum machine_text which, const char **text, size_t *len,
		   struct err *e)
{
	*text = "";
	*len = 0;
	return 0;
}

static const struct machine_ops ops = { .text = no_text };

struct table_try {
	struct catalog *catalog;
	struct machine machine;
	struct arena arena;
	const struct etype *type;
	struct steps *steps;
	struct outbuf out;
	unsigned n;
};

/* A table of N, whose values stand in no order and each twice. */
static void table_open(struct table_try *t, unsigned n)
{
	struct outbuf print = { 0 };
	const char *why = NULL;

	*t = (struct table_try){ .catalog = catalog_new(), .n = n };
	machine_init(&t->machine, &ops, NULL, NULL);
	out_str(&print, "\"%s\", __print_symbolic(REC->a");
	for (unsigned i = 0; i < n; i++)
		out_printf(&print, ",{%u,\"n%u\"}", i % (n / 2) * 7 % (n / 2), i);
	out_str(&print, ")");
	t->type = printtry_type(t->catalog, &t->machine, &t->arena, HEAD, out_end(&print));
	t->steps = steps_compile(t->type, DIALECT_KERNEL, NULL, &t->arena, &why);
	if (!t->steps)
		bail("%s", why);
	outbuf_fini(&print);
}

static void table_close(struct table_try *t)
{
	steps_free(t->steps);
	outbuf_fini(&t->out);
	arena_fini(&t->arena);
	machine_fini(&t->machine);
	catalog_free(t->catalog);
}

/* The text of a record whose value is that of entry I. */
static const char *table_text(struct table_try *t, unsigned i)
{
	uint32_t rec[3] = { 300, 0, i % (t->n / 2) * 7 % (t->n / 2) };
	struct event ev = { .type = t->type, .data = (uint8_t *)rec, .size = sizeof(rec) };

	t->out.len = 0;
	steps_run(t->steps, &ev, &t->out, 1000);
	return out_end(&t->out);
}

static double table_time(unsigned n, bool *right)
{
	struct table_try t;
	double best = 1e9;

	table_open(&t, n);
	for (unsigned try = 0; try < 5; try++) {
		double from = now();

		for (unsigned i = 0; i < RECORDS; i++)
			*right &= *table_text(&t, i) == 'n';
		from = now() - from;
		best = from < best ? from : best;
	}
	for (unsigned i = 0; i < n; i++) {
		char want[16];

		snprintf(want, sizeof(want), "n%u", i % (n / 2));
		*right &= !strcmp(table_text(&t, i), want);
	}
	table_close(&t);
	return best;
}

static void test_tables(void)
{
	bool right = true;
	double small = table_time(10, &right), large = table_time(ENTRIES, &right);

	ok(right, "tables: of two with one value the first (else: another name is shown)");
	if (!ok(large < RATIO * small,
		"tables: long ones are searched as fast (else: a file can stall us)"))
		diag("%g s; a short one %g s", large, small);
}

int main(void)
{
	test_symbols();
	test_tables();
	return tap_done();
}
