// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr_value: what is computed from hand-made records.  Without it a precedence, a sign or an
 * overflow that is wrong would give a user wrong numbers that look like right ones.
 *
 * of: expr
 */
#include "base/mem.h"
#include "expr/value.h"
#include "trace/machine.h"
#include "t/lib/c/tap.h"

/* One event with a field of each kind; little endian on any machine. */
static struct field FIELDS[] = {
	{ .name = "u8", .off = 8, .size = 1, .kind = FIELD_UINT },
	{ .name = "s16", .off = 12, .size = 2, .kind = FIELD_INT, .is_signed = true },
	{ .name = "prio", .off = 16, .size = 4, .kind = FIELD_INT, .is_signed = true },
	{ .name = "flags", .off = 20, .size = 4, .kind = FIELD_UINT },
	{ .name = "addr", .off = 24, .size = 8, .kind = FIELD_UINT },
	{ .name = "ret", .off = 32, .size = 8, .kind = FIELD_INT, .is_signed = true },
	{ .name = "name", .off = 40, .size = 16, .elem = 1, .kind = FIELD_STR },
	{ .name = "path",
	  .off = 56,
	  .size = 4,
	  .elem = 1,
	  .kind = FIELD_STR,
	  .loc = FIELD_DATA_LOC },
	{ .name = "args", .off = 60, .size = 12, .elem = 4, .kind = FIELD_ARRAY },
	{ .name = "ratio", .off = 72, .size = 8, .kind = FIELD_FLOAT },
	{ .name = "gone", .kind = FIELD_NONE },
	{ .name = "delay",
	  .off = 80,
	  .size = 8,
	  .kind = FIELD_INT,
	  .is_signed = true,
	  .is_time = true },
};

static uint8_t record[128], second[128];
static struct machine machine;
static struct etype type = {
	.system = "test",
	.name = "all_kinds",
	.fields = FIELDS,
	.nfields = sizeof(FIELDS) / sizeof(FIELDS[0]),
	.fixed = 104,
	.known = true,
	.resolved = true,
	.machine = &machine,
};
static struct origin origin = { .path = "x.dat", .instance = "irqs", .cpu = 3, .source = 2 };
static struct event ev = { .ts = 5000000700,
			   .type = &type,
			   .data = record,
			   .size = 116,
			   .pid = 77,
			   .cpu = 3,
			   .seq = 12,
			   .from = &origin };
static struct event ev2 = { .ts = 5000000100,
			    .type = &type,
			    .data = second,
			    .size = 116,
			    .pid = 78,
			    .cpu = 2,
			    .from = &origin };
static const struct event *events[] = { &ev, &ev2 };
static const struct etype *types[] = { &type, &type };
static const char *const SIDES[] = { "start", "end" };

static const char CMDLINES[] = "77 kworker/u8:1\n";
static const char KALLSYMS[] = "ffffffff81000000 T schedule\nffffffff81000100 T do_exit\n";
static const char UNAME[] = "Linux host 6.1.0 x86_64\n";

static int text(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	*p = which == TEXT_CMDLINES ? CMDLINES :
	     which == TEXT_KALLSYMS ? KALLSYMS :
	     which == TEXT_UNAME    ? UNAME :
				      "";
	*len = strlen(*p);
	return 0;
}

static const struct machine_ops OPS = { .text = text };

static void put(uint8_t *to, unsigned off, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[off + i] = v >> 8 * i;
}

static void make_records(void)
{
	put(record, 8, 200, 1);
	put(record, 12, (uint64_t)-2, 2);
	put(record, 16, (uint64_t)-5, 4);
	put(record, 20, 0xf0000001, 4);
	put(record, 24, 0xffffffff81000010, 8);
	put(record, 32, (uint64_t)INT64_MIN, 8);
	memcpy(record + 40, "kworker/0:1\0junk", 17);
	put(record, 56, 104 | 10 << 16, 4);
	memcpy(record + 104, "/etc/fstab", 11);
	put(record, 80, 2500, 8);
	put(second, 20, 40, 4);
	memcpy(second + 40, "sshd", 5);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (unsigned i = 0; i < type.nfields; i++)
		FIELDS[i].swap = true;
#endif
}

static struct expr *parsed;

static struct expr_value *bound(const char *formula, const char *const *sides, struct err *e)
{
	struct expr_value *f;

	parsed = expr_parse(formula, 0, sides, e);
	f = parsed ? expr_value_bind(parsed, expr_top(parsed), types, e) : NULL;
	if (!f)
		expr_free(parsed);
	return f;
}

static void done(struct expr_value *f)
{
	expr_value_free(f);
	expr_free(parsed);
}

static void gives(const char *formula, uint64_t want, bool is_signed)
{
	struct err e = { .kind = ERR_NONE };
	struct expr_value *f = bound(formula, NULL, &e);
	uint64_t got = f ? expr_value_number(f, events) : 0;

	if (!ok(f && f->kind == EXPR_NUMBER && got == want && f->is_signed == is_signed,
		"%s is %" PRId64, formula, (int64_t)want))
		diag("%" PRId64 " signed %d %s", (int64_t)got, f && f->is_signed, e.msg);
	if (f)
		done(f);
}

static void is_number(const char *formula, int64_t want)
{
	gives(formula, (uint64_t)want, true);
}

static void is_unsigned(const char *formula, uint64_t want)
{
	gives(formula, want, false);
}

static void is_string(const char *formula, const char *want)
{
	struct err e = { .kind = ERR_NONE };
	struct expr_value *f = bound(formula, NULL, &e);
	struct expr_result v = { .len = 0 };

	if (f)
		expr_value_run(f, events, &v);
	if (!ok(f && f->kind == EXPR_STRING && v.len == strlen(want) && !memcmp(v.str, want, v.len),
		"%s is \"%s\"", formula, want))
		diag("'%.*s' %s", (int)v.len, v.len ? v.str : "", e.msg);
	if (f)
		done(f);
}

static void is_refused_of(const char *const *sides, const char *formula, const char *column,
			  const char *what)
{
	struct err e = { .kind = ERR_NONE };
	struct expr_value *f = bound(formula, sides, &e);

	if (!ok(!f && e.kind == ERR_USAGE && strstr(e.msg, column) == e.msg && strstr(e.msg, what),
		"'%.40s' is refused: %s %s", formula, column, what))
		diag("%s", f ? "it was not" : e.msg);
	if (f)
		done(f);
}

#define is_refused(...) is_refused_of(NULL, __VA_ARGS__)

static void test_fields(void)
{
	/* each size and sign: a field that is read as its neighbour */
	is_number("u8", 200);
	is_number("s16", -2);
	is_number("prio", -5);
	is_number("flags", 0xf0000001);
	is_unsigned("addr", 0xffffffff81000010);
	is_number("ret", INT64_MIN);
	is_string("name", "kworker/0:1");
	is_string("path", "/etc/fstab");
	/* what every record has */
	is_number("ts", 5000000700);
	is_number("cpu", 3);
	is_number("pid", 77);
	is_number("common_pid", 77);
	is_number("sequence", 12);
	is_number("source", 2);
	is_string("comm", "kworker/u8:1");
	is_string("event", "test:all_kinds");
	is_string("instance", "irqs");
}

static void test_arithmetic(void)
{
	/* C's precedence, from left to right */
	is_number("2 + 3 * 4 - 5", 9);
	is_number("(2 + 3) * 4", 20);
	is_number("100 / 10 / 5", 2);
	is_number("7 - 3 - 2", 2);
	is_number("1 << 2 + 3", 32);
	is_number("1 | 6 & 3 ^ 8", 11);
	is_number("5 & 3 == 3", 1);
	is_number("1 < 2 == 1", 1);
	is_number("0 && 0 || 1", 1);
	is_number("1 or 0 and 0", 1);
	is_number("not 0 + 1", 0);
	is_number("(not 0) + 1", 2);
	is_number("-2 * -3", 6);
	is_number("~0", -1);
	is_number("!5", 0);
	is_number("- - 5", 5);
	is_number("u8 >> 3", 25);
	is_number("u8 % 7", 4);
	is_number("0x1f + 017 + 1", 47);
	/* small unsigned fields do not wrap below 0; those of 8 bytes are C's */
	is_number("u8 - 300", -100);
	is_number("flags - 0xf0000002", -1);
	is_unsigned("addr - 0xffffffff81000011", UINT64_MAX);
	is_unsigned("addr / 2", 0x7fffffffc0800008);
	is_number("prio / 2", -2);
	is_number("prio % 3", -2);
	is_number("prio >> 1", -3);
	is_unsigned("addr >> 60", 15);
	is_number("-(9223372036854775807) - 1", INT64_MIN);
	is_unsigned("18446744073709551615", UINT64_MAX);
	/* what would trap or is undefined in C */
	is_number("u8 / (u8 - 200)", 0);
	is_number("u8 % (u8 - 200)", 0);
	is_number("ret / -1", INT64_MIN);
	is_number("ret % -1", 0);
	is_number("-ret", INT64_MIN);
	is_number("1 << 64", 0);
	is_number("1 << -1", 0);
	is_number("prio >> 64", -1);
	is_number("u8 >> 64", 0);
	is_number("0x7fffffffffffffff + 1", INT64_MIN);
	is_number("0x7fffffffffffffff * 3", INT64_MAX - 2);
	/* comparisons are right for signs that differ */
	is_number("prio < addr", 1);
	is_number("addr > ret", 1);
	is_number("addr <= 0 - 1", 0);
	is_number("addr >= 0 - 1", 1);
	is_number("18446744073709551615 == -1", 0);
	is_number("18446744073709551615 != -1", 1);
	is_number("18446744073709551611 == prio + 0", 0);
	/* a field and a constant, as the kernel compares them */
	is_number("prio == 0xfffffffb", 1);
	is_number("0xfffffffb == prio", 1);
	is_number("u8 == 456", 0);
	is_number("name == kworker/0:1", 1);
	is_number("name ~ kw*", 1);
	is_number("symbol(addr) == schedule", 1);
	is_number("symbol(addr) ~ 'sched*'", 1);
	is_number("errno(s16) != ENOENT", 0);
	is_number("errno(s16) == s16x", 0);
	is_number("name == \"kworker/0:1\"", 1);
	is_number("name != 'kworker'", 1);
	is_number("name == path", 0);
}

static void test_functions(void)
{
	is_number("log2(1)", 0);
	is_number("log2(u8)", 7);
	is_number("log2(0)", -1);
	is_number("log2(prio)", -1);
	is_number("log2(addr)", 63);
	is_string("symbol(addr)", "schedule");
	is_string("symbol(addr + 0xf0)", "do_exit");
	is_string("symbol(5)", "0x5");
	is_string("syscall(u8 - 199)", "write");
	is_string("syscall(99999)", "99999");
	is_string("syscall(prio)", "-5");
	is_string("errno(s16)", "ENOENT");
	is_string("errno(-2)", "ENOENT");
	is_string("errno(2)", "2"); /* else: read() gives ENOENT for two bytes */
	is_string("errno(addr)", "18446744071578845200");
	is_string("errno(-512)", "ERESTARTSYS");
	is_string("errno(0)", "0");
	is_string("errno(100000)", "100000");
	is_string("errno(ret)", "-9223372036854775808");
	is_string("dev(8388624)", "8:16");
	is_string("dev(0)", "0:0");
	is_string("dev(1048575)", "0:1048575");
	is_string("dev(0xffffffffffffffff)", "17592186044415:1048575"); /* else: it is cut */
	is_string("dev(u8 << 20)", "200:0");
	/* each has its own place for digits: the second would overwrite the first */
	is_number("errno(-7000) == errno(-7001)", 0);
	is_number("symbol(addr) == 'schedule'", 1);
}

static void means(const char *formula, enum expr_means want, uint64_t unit)
{
	struct err e = { .kind = ERR_NONE };
	struct expr_value *f = bound(formula, NULL, &e);

	if (!ok(f && f->means == want && f->unit == unit, "%s: its meaning", formula))
		diag("%d unit %" PRIu64 " %s", f ? f->means : -1, f ? f->unit : 0, e.msg);
	if (f)
		done(f);
}

static void test_times(void)
{
	is_number("10ms", 10000000);
	is_number("1.5us + 3ns", 1503);
	is_number("010ms", 10000000); /* a time is decimal */
	is_number(".5ms", 500000);
	is_number("+5 - +017", -10);
	is_number("2s", 2000000000);
	is_number("0.000000001s", 1);
	means("ts - 5s", MEANS_TIME, 0);
	means("delay", MEANS_TIME, 0);
	means("delay * 2", MEANS_TIME, 0);
	means("delay / u8", MEANS_TIME, 0);
	means("delay % 1us", MEANS_TIME, 0);
	means("-delay >> 1", MEANS_TIME, 0);
	/* no times: printed with a unit they would be wrong */
	means("delay * delay", MEANS_NOTHING, 0);
	means("delay > 5us", MEANS_NOTHING, 0);
	means("delay / ts", MEANS_NOTHING, 0);
	means("log2(delay)", MEANS_NOTHING, 0);
	means("u8", MEANS_NOTHING, 0);
	means("ts / 10ms", MEANS_BUCKET, 10000000);
	is_number("ts / 10ms", 500);
}

static void test_sides(void)
{
	/* The fields are little endian: other machines swap them, and load nothing inline. */
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	static const char both[] = "start.flags - end.flags";
	const struct expr_node *top, *a = NULL, *b = NULL;
	struct err e = { .kind = ERR_NONE };
	struct expr_value *f = bound("start.ts - end.ts", SIDES, &e);

	ok(f && expr_value_number(f, events) == 600 && f->is_signed && f->means == MEANS_TIME,
	   "a formula of two records reads both (else: a delay is 0)");
	if (f)
		done(f);
	f = bound(both, SIDES, &e);
	ok(f && expr_value_number(f, events) == 0xf0000001 - 40 && f->quick == VALUE_LONG,
	   "each field is read from its own record");
	if (f)
		done(f);
	f = bound("end.flags", SIDES, &e);
	ok(f && expr_value_number(f, events) == 40 && f->quick == (big ? VALUE_LONG : VALUE_U32) &&
		   (big || f->side == 1),
	   "also by the inline load");
	if (f)
		done(f);

	parsed = expr_parse("start.a == end.b && (start.c < end.b) and end.d == 3", 0, SIDES, &e);
	top = parsed ? expr_top(parsed) : NULL;
	ok(top && expr_is_and(top, &top, &b) && expr_reads(b) == 2 && expr_is_and(top, &a, &b) &&
		   expr_reads(a) == 3 && expr_reads(b) == 3,
	   "a condition is taken apart, and each part says which records it reads");
	ok(top && expr_is_equal(a, &a, &b) && expr_reads(a) == 1 && expr_reads(b) == 2 &&
		   !expr_is_equal(top, &a, &b),
	   "an equality too");
	ok(parsed && !strcmp(expr_name(parsed, 1, 0), "d") &&
		   !strcmp(expr_name(parsed, 1, 1), "b") && !expr_name(parsed, 1, 2) &&
		   !strcmp(expr_name(parsed, 0, 1), "a") && !expr_name(parsed, 0, 2),
	   "the names of each record, none twice");
	expr_free(parsed);
}

static void test_refused(void)
{
	static char text[EXPR_TEXT + 2], deep[400], wide[11000], stack[800];
	size_t n = 0;

	is_refused("", "column 1:", "expected a value, found the end");
	is_refused("u8 +", "column 5:", "expected a value, found the end");
	is_refused("u8 u8", "column 4:", "expected an operator");
	is_refused("(u8", "column 1:", "missing ')'");
	is_refused("u8)", "column 3:", "unmatched ')'");
	is_refused("u8 = 3", "column 4:", "write ==");
	is_refused("u9", "column 1:", "no field 'u9'; did you mean 'u8'?");
	is_refused("u8 + prioo", "column 6:", "did you mean 'prio'?");
	is_refused("start.u8", "column 1:", "the name of the field alone");
	is_refused("lgo2(u8)", "column 1:", "did you mean 'log2'");
	is_refused("log2(u8", "column 8:", "expected ')'");
	is_refused("log2(name)", "column 6:", "a string");
	is_refused("name + 1", "column 1:", "a string");
	is_refused("1 + name", "column 5:", "a string");
	is_refused("name == (1)", "column 10:", "in quotes");
	is_refused("name == path + 1", "column 9:", "a string");
	is_refused("errno(s16) == s16", "column 15:", "compared with a string");
	is_refused("prio == path", "column 9:", "compared with a string");
	is_refused("u8 + 1 ~ 'x'", "column 8:", "~ takes a string");
	is_refused("addr >= -1", "column 9:", "never negative");
	is_refused("18446744073709551611 == prio", "column 1:", "does not fit");
	is_refused("-name", "column 2:", "a string");
	is_refused("ratio", "column 1:", "floating-point");
	is_refused("gone", "column 1:", "does not provide 'gone'");
	is_refused("5min", "column 1:", "invalid number '5min'");
	is_refused("0x", "column 1:", "invalid number '0x'");
	is_refused("1.5", "column 1:", "whole");
	is_refused("0.5ns", "column 1:", "whole number of ns");
	is_refused("ts / 0ms", "column 6:", "division by the constant 0");
	is_refused("u8 % (0)", "column 7:", "division by the constant 0");
	is_refused("18446744073709551616", "column 1:", "larger than 64 bits");
	is_refused("99999999999999s", "column 1:", "larger than 64 bits");
	is_refused("'x", "column 1:", "unterminated string");
	is_refused_of(SIDES, "u8", "column 1:", "write start.u8 or end.u8");
	is_refused_of(SIDES, "strat.u8", "column 1:", "did you mean 'start'");
	is_refused_of(SIDES, "start.", "column 7:", "name of a field");
	is_refused_of(SIDES, "end.prioo", "column 1:", "did you mean 'prio'?");

	memset(text, '1', sizeof(text) - 1);
	is_refused(text, "expression longer than 65536 bytes", "");
	memset(deep, '(', sizeof(deep) - 1);
	is_refused(deep, "column 101:", "deeper than 100");
	memset(deep, '-', sizeof(deep) - 1);
	is_refused(deep, "column 101:", "deeper than 100");
	while (n < sizeof(wide) - 1)
		n += snprintf(wide + n, sizeof(wide) - n, n ? "+1" : "1");
	is_refused(wide, "column 5120:", "more than 5120");
	/* 0||(0&&(0|... holds one value at each level */
	n = 0;
	for (int i = 0; i < 20; i++)
		n += snprintf(stack + n, sizeof(stack) - n, "1|1^(");
	n += snprintf(stack + n, sizeof(stack) - n, "1");
	for (int i = 0; i < 20; i++)
		n += snprintf(stack + n, sizeof(stack) - n, ")");
	is_refused(stack, "column", "more than 32 pending values");
}

int main(void)
{
	machine_init(&machine, &OPS, NULL, NULL);
	make_records();
	test_fields();
	test_arithmetic();
	test_functions();
	test_times();
	test_sides();
	test_refused();
	machine_fini(&machine);
	return tap_done();
}
