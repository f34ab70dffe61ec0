// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter: filter expressions against hand-made events.  Without it an operator, a sign or a
 * precedence that is wrong would silently give a user the wrong events.
 */
#include "base/mem.h"
#include "reader/filter/filter.h"
#include "reader/filter/program.h"
#include "reader/model/machine.h"
#include "t/lib/tap.h"

#include <stdlib.h>
#include <time.h>

/* One event with a field of each kind; little endian bytes whatever this machine is. */
static struct field FIELDS[] = {
	{ .name = "common_pid",
	  .off = 4,
	  .size = 4,
	  .elem = 4,
	  .kind = FIELD_INT,
	  .is_signed = true },
	{ .name = "u8", .off = 8, .size = 1, .elem = 1, .kind = FIELD_UINT },
	{ .name = "s8", .off = 9, .size = 1, .elem = 1, .kind = FIELD_INT, .is_signed = true },
	{ .name = "u16", .off = 10, .size = 2, .elem = 2, .kind = FIELD_UINT },
	{ .name = "s16", .off = 12, .size = 2, .elem = 2, .kind = FIELD_INT, .is_signed = true },
	{ .name = "prio", .off = 16, .size = 4, .elem = 4, .kind = FIELD_INT, .is_signed = true },
	{ .name = "flags", .off = 20, .size = 4, .elem = 4, .kind = FIELD_UINT },
	{ .name = "addr", .off = 24, .size = 8, .elem = 8, .kind = FIELD_UINT },
	{ .name = "ret", .off = 32, .size = 8, .elem = 8, .kind = FIELD_INT, .is_signed = true },
	{ .name = "name", .off = 40, .size = 16, .elem = 1, .kind = FIELD_STR },
	{ .name = "path",
	  .off = 56,
	  .size = 4,
	  .elem = 1,
	  .kind = FIELD_STR,
	  .loc = FIELD_DATA_LOC },
	{ .name = "args", .off = 60, .size = 12, .elem = 4, .kind = FIELD_ARRAY },
	{ .name = "cpus", .off = 72, .size = 16, .elem = 8, .kind = FIELD_BITMASK },
	{ .name = "cpus32", .off = 88, .size = 12, .elem = 4, .kind = FIELD_BITMASK },
	{ .name = "full", .off = 100, .size = 4, .elem = 1, .kind = FIELD_STR },
};

#define NFIELDS (sizeof(FIELDS) / sizeof(FIELDS[0]))

static uint8_t record[128];
static struct machine machine;
static struct etype type = {
	.system = "test",
	.name = "all_kinds",
	.fields = FIELDS,
	.ncommon = 1,
	.nfields = NFIELDS,
	.fixed = 104,
	.known = true,
	.resolved = true,
	.machine = &machine,
};
static struct origin origin = { .path = "x.dat", .instance = "", .cpu = 3 };
static struct event ev = {
	.ts = 1000, .type = &type, .data = record, .size = 116, .pid = 77, .cpu = 3, .from = &origin
};

static const char CMDLINES[] = "77 kworker/u8:1\n";

static int text(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	*p = which == TEXT_CMDLINES ? CMDLINES : "";
	*len = strlen(*p);
	return 0;
}

static const struct machine_ops OPS = { .text = text };

static void put(unsigned off, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		record[off + i] = v >> 8 * i;
}

static void make_record(void)
{
	memset(record, 0, sizeof(record));
	put(4, 77, 4);
	put(8, 200, 1);
	put(9, (uint64_t)-100, 1);
	put(10, 0xfff0, 2);
	put(12, (uint64_t)-2, 2);
	put(16, (uint64_t)-5, 4);
	put(20, 0xf0000001, 4);
	put(24, 0xffffffff81000000, 8);
	put(32, (uint64_t)INT64_MIN, 8);
	memcpy(record + 40, "kworker/0:1\0junk", 16);
	put(56, 104 | 10 << 16, 4);
	memcpy(record + 104, "/etc/fstab", 10);
	put(72, 1ull << 63 | 1, 8);
	put(80, 2, 8); /* bits 0, 63, 65 */
	put(88, 1, 4);
	put(92, 2, 4);
	put(96, 4, 4); /* bits 0, 33, 66 */
	memcpy(record + 100, "abcd", 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (unsigned i = 0; i < NFIELDS; i++)
		FIELDS[i].swap = true;
#endif
}

/* Does the event pass EXPR?  -1: it was refused. */
static int pass(const char *expr, struct err *e)
{
	struct program *w = program_new(expr, &type, e);
	int rc;

	if (!w)
		return -1;
	rc = program_pass(w, &ev);
	program_free(w);
	return rc;
}

static void is_pass(const char *expr, int want)
{
	struct err e = { .kind = ERR_NONE };
	int got = pass(expr, &e);

	if (!ok(got == want, "%s is %s", expr, want ? "true" : "false"))
		diag("%s", got < 0 ? e.msg : "wrong");
}

static void is_refused(const char *expr, const char *column, const char *what)
{
	struct err e = { .kind = ERR_NONE };
	int got = pass(expr, &e);

	if (!ok(got < 0 && e.kind == ERR_USAGE && strstr(e.msg, column) == e.msg &&
			strstr(e.msg, what),
		"'%.40s' is refused: %s %s", expr, column, what))
		diag("%d: %s", got, got < 0 ? e.msg : "");
}

static void test_numbers(void)
{
	/* each operator on both sides of equality: a swapped pair of operators */
	is_pass("u8 == 200", 1);
	is_pass("u8 != 200", 0);
	is_pass("u8 < 200", 0);
	is_pass("u8 <= 200", 1);
	is_pass("u8 > 199", 1);
	is_pass("u8 >= 201", 0);
	is_pass("u8 & 8", 1);
	is_pass("u8 & 0x37", 0);
	/* the field's sign decides: a signed field read as unsigned */
	is_pass("s8 == -100", 1);
	is_pass("s8 < 0", 1);
	is_pass("s16 == -2", 1);
	is_pass("s16 > -3", 1);
	is_pass("prio < 0", 1);
	is_pass("prio >= -5", 1);
	is_pass("prio > -5", 0);
	is_pass("u16 > 0x7fff", 1);
	is_pass("flags > 0x7fffffff", 1);
	is_pass("flags & 0x80000000", 1);
	is_pass("prio & 0x80000000", 1);
	/* 64 bits whole: a detour through int or double */
	is_pass("addr == 0xffffffff81000000", 1);
	is_pass("addr == 18446744071578845184", 1);
	is_pass("addr > 0xffffffff80ffffff", 1);
	is_pass("addr != 0xffffffff81000001", 1);
	is_pass("addr < 1", 0);
	is_pass("ret == -9223372036854775808", 1);
	is_pass("ret == 0x8000000000000000", 1);
	is_pass("ret < -9223372036854775807", 1);
	is_pass("ret > 0", 0);
	/* bases and signs as the kernel reads them */
	is_pass("u8 == 0xC8", 1);
	is_pass("u8 == 0310", 1);
	is_pass("u8 == +200", 1);
	/* a pattern of bits in hex is what it is for the field's size */
	is_pass("prio == 0xfffffffb", 1);
	is_pass("s8 == 0x9c", 1);
	/* a constant beyond the field's range has one true answer, not that of its low bits */
	is_pass("u8 < 300", 1);
	is_pass("u8 == 456", 0);
	is_pass("u8 != 456", 1);
	is_pass("u8 > 256", 0);
	is_pass("s8 > -1000", 1);
	is_pass("s8 <= -129", 0);
	is_pass("s8 == 156", 0);
	is_pass("prio < 4294967291", 1);
}

static void test_logic(void)
{
	/* "and" binds tighter than "or", "not" tighter than both */
	is_pass("u8 == 200 || u8 == 1 && u8 == 2", 1);
	is_pass("(u8 == 200 || u8 == 1) && u8 == 2", 0);
	is_pass("u8 == 1 && u8 == 2 || u8 == 200", 1);
	is_pass("not u8 == 1 and u8 == 200", 1);
	is_pass("!u8 == 200 || u8 == 200", 1);
	is_pass("!(u8 == 200 || u8 == 1)", 0);
	is_pass("not not u8 == 200", 1);
	is_pass("!(u8 == 1 && u8 == 200) && !(u8 == 1 || u8 == 2)", 1);
	is_pass("u8==200and prio<0", -1);
	is_pass("u8==200 and prio<0", 1);
	is_pass("u8==200&&prio<0", 1);
	is_pass("u8 == 1 or (prio < 0 and not (name == x or u8 == 5))", 1);
	is_pass("  (  u8==200  )  ", 1);
	is_pass("(u8 & 8) && (flags&1)", 1);
	is_pass("u8&8&&flags&1", 1);
}

/* All 256 truth tables of three comparisons in one shape each: a jump that goes to the wrong place.
 */
static void test_tables(void)
{
	static const char *const SHAPES[] = {
		"A && B && C",	 "A || B || C",	  "A && B || C",    "A || B && C",
		"A && (B || C)", "(A || B) && C", "!(A && B) || C", "!(A || !(B && C))",
	};
	unsigned wrong = 0;

	for (unsigned s = 0; s < 8; s++)
		for (unsigned v = 0; v < 8; v++) {
			bool a = v & 1, b = v & 2, c = v & 4, want = false;
			char expr[200] = "";
			size_t n = 0;
			struct err e;

			for (const char *p = SHAPES[s]; *p; p++)
				if (*p >= 'A' && *p <= 'C')
					n += sprintf(expr + n, "u8 == %d",
						     v >> (*p - 'A') & 1 ? 200 : 1);
				else
					expr[n++] = *p;
			switch (s) {
			case 0:
				want = a && b && c;
				break;
			case 1:
				want = a || b || c;
				break;
			case 2:
				want = (a && b) || c;
				break;
			case 3:
				want = a || (b && c);
				break;
			case 4:
				want = a && (b || c);
				break;
			case 5:
				want = (a || b) && c;
				break;
			case 6:
				want = !(a && b) || c;
				break;
			case 7:
				want = !(a || !(b && c));
				break;
			}
			if (pass(expr, &e) != want) {
				diag("%s", expr);
				wrong++;
			}
		}
	is_u64(wrong, 0, "eight shapes with all values of three comparisons");
}

static void test_strings(void)
{
	/* quoted, bare, and up to the NUL only */
	is_pass("name == \"kworker/0:1\"", 1);
	is_pass("name == 'kworker/0:1'", 1);
	is_pass("name == kworker/0:1", 1);
	is_pass("name == kworker/0:10", 0);
	is_pass("name == kworker", 0);
	is_pass("name != kworker/0:1", 0);
	is_pass("name != \"\"", 1);
	is_pass("name ~ kworker*", 1);
	is_pass("name ~ \"kworker/?:1\"", 1);
	is_pass("name ~ '*[0-9]'", 1);
	is_pass("name ~ *junk", 0);
	is_pass("not name ~ kw*", 0);
	is_pass("(name==kworker/0:1)", 1);
	/* a field that fills its bytes has no NUL: its end is the field's */
	is_pass("full == abcd", 1);
	is_pass("full ~ ab*", 1);
	/* a dynamic one without a NUL ends with its length */
	is_pass("path == /etc/fstab", 1);
	is_pass("path ~ *fstab", 1);
	/* blanks and operators inside of quotes are text */
	is_pass("name == \"a && b) || c\" || u8 == 200", 1);
	/* offset and length outside of the record read as an empty string, not as other memory */
	put(56, 110 | 100 << 16, 4);
	is_pass("path == \"\"", 1);
	is_pass("path ~ ?*", 0);
	put(56, 0xffffffff, 4);
	is_pass("path ~ *", 1);
	make_record();
}

static void test_pseudo(void)
{
	is_pass("cpu == 3", 1);
	is_pass("CPU != 3", 0);
	is_pass("common_cpu > 2", 1);
	is_pass("cpu & CPUS{1-3}", 1);
	is_pass("cpu & CPUS{0-2,4}", 0);
	is_pass("cpu == CPUS{3}", 1);
	is_pass("cpu == CPUS{3,4}", 0);
	is_pass("common_pid == 77", 1);
	is_pass("comm == kworker/u8:1", 1);
	is_pass("COMM ~ kw*", 1);
	is_pass("common_comm != x", 1);
	/* an event's own field of that name comes first */
	FIELDS[9].name = "comm";
	is_pass("comm == kworker/0:1", 1);
	is_pass("COMM == kworker/u8:1", 1);
	FIELDS[9].name = "name";
	FIELDS[1].name = "cpu";
	is_pass("cpu == 200", 1);
	is_pass("CPU == 3", 1);
	FIELDS[1].name = "u8";
	/* sets, of longs of 8 and of 4 bytes */
	is_pass("cpus & CPUS{65}", 1);
	is_pass("cpus & CPUS{1-62,64,66-8191}", 0);
	is_pass("cpus == CPUS{0,63,65}", 1);
	is_pass("cpus == CPUS{0,63}", 0);
	is_pass("cpus != CPUS{0,63,65,200}", 1);
	is_pass("cpus32 == CPUS{0,33,66}", 1);
	is_pass("cpus32 & CPUS{1,32,65}", 0);
	/* a type without formats still has the record's pid */
	type.nfields = 0;
	is_pass("common_pid == 77 && cpu == 3", 1);
	type.nfields = NFIELDS;
}

static void test_errors(void)
{
	is_refused("", "column 1:", "ends where a comparison");
	is_refused("u8", "column 3:", "expected one of ==");
	is_refused("u8 = 5", "column 4:", "write ==");
	is_refused("u8 ==", "column 6:", "expected a number or a string");
	is_refused("u8 == and u8 == 1", "column 7:", "expected a number");
	is_refused("u8 == 1 u8 == 2", "column 9:", "expected one of && || and or");
	is_refused("u8 == 1 | u8 == 2", "column 9:", "expected one of && || and or");
	is_refused("u8 == 1 &&", "column 11:", "ends where");
	is_refused("(u8 == 1", "column 1:", "not closed");
	is_refused("u8 == 1)", "column 8:", "closes nothing");
	is_refused("((u8 == 1) u8", "column 12:", "expected ')'");
	is_refused("5 == u8", "column 1:", "name of a field");
	is_refused("name == \"abc", "column 9:", "no end");
	is_refused("u8 == 12x", "column 7:", "'12x'");
	is_refused("u8 == 0x", "column 7:", "is none");
	is_refused("u8 == 09", "column 7:", "is none");
	is_refused("u8 == -", "column 7:", "is none");
	is_refused("u8 == \"5\"", "column 7:", "is a number");
	is_refused("addr == 18446744073709551616", "column 9:", "64 bits");
	is_refused("ret == -9223372036854775809", "column 8:", "does not fit");
	is_refused("ret == 9223372036854775808", "column 8:", "does not fit");
	is_refused("u8 == -1", "column 7:", "unsigned");
	is_refused("u8 ~ 1*", "column 1:", "~ takes strings");
	is_refused("name < b", "column 1:", "is a string");
	is_refused("args == 1", "column 1:", "is an array");
	is_refused("cpus == 1", "column 9:", "CPUS{");
	is_refused("cpus & CPUS{1-}", "column 13:", "list of CPUs");
	is_refused("cpus & CPUS{9999}", "column 13:", "below 8192");
	is_refused("cpus ~ CPUS{1}", "column 1:", "sets of CPUs");
	is_refused("u8 == 1 && pri < 5", "column 12:", "did you mean 'prio'?");
	is_refused("pid == 5", "column 1:", "did you mean 'common_pid'?");
	is_refused("qqqqqqq == 5", "column 1:", "has no field 'qqqqqqq'");
}

/* The caret stands under the column that the message names, in a long text too. */
static void test_caret(void)
{
	char expr[300], *line, *caret;
	struct err e;

	ok(pass("u8 == 1 && wrong == 2", &e) < 0, "refused");
	line = strchr(e.msg, '\n') + 1;
	caret = strchr(line, '\n') + 1;
	is_str(line, "  u8 == 1 && wrong == 2\n             ^", "text and caret");
	memset(expr, ' ', sizeof(expr));
	memcpy(expr, "u8 == 1 &&", 10);
	memcpy(expr + 270, "wrong == 2", 11);
	ok(pass(expr, &e) < 0, "refused, long");
	line = strchr(e.msg, '\n') + 1;
	caret = strchr(line, '\n') + 1;
	ok(!strncmp(line + (strchr(caret, '^') - caret), "wrong", 5),
	   "the caret under a long text");
	ok(strstr(e.msg, "column 271:") == e.msg, "its column");
}

static void test_hostile(void)
{
	char *text = mem_alloc(200000);
	struct err e;
	size_t n;

	memset(text, '(', 199999);
	text[199999] = '\0';
	ok(pass(text, &e) < 0, "200,000 bytes of '('");
	text[60000] = '\0';
	ok(pass(text, &e) < 0 && strstr(e.msg, "nested deeper"),
	   "60,000 levels do not end the stack");
	memset(text, '!', 60000);
	ok(pass(text, &e) < 0 && strstr(e.msg, "nested deeper"), "nor 60,000 times '!'");
	for (unsigned depth = 90; depth <= 110; depth += 20) {
		memset(text, '(', depth);
		strcpy(text + depth, "u8 == 200");
		memset(text + depth + 9, ')', depth);
		text[2 * depth + 9] = '\0';
		ok(pass(text, &e) == (depth == 90 ? 1 : -1), "%u levels", depth);
	}
	for (unsigned preds = 1024; preds <= 1025; preds++) {
		n = 0;
		for (unsigned i = 0; i < preds; i++)
			n += sprintf(text + n, "%su8 == %d", i ? " || " : "",
				     i == preds - 1 ? 200 : 1);
		ok(pass(text, &e) == (preds == 1024 ? 1 : -1), "%u comparisons", preds);
	}
	/* each byte in each place: no crash, no run past the end (the sanitizers look on) */
	for (unsigned at = 0; at < 20; at++)
		for (unsigned c = 1; c < 256; c++) {
			snprintf(text, 100, "%s", "!(u8 == 1)&&a ~ \"*\"");
			text[at] = c;
			pass(text, &e);
			snprintf(text, 100, "%s", "cpus & CPUS{1-2,3}  ");
			text[at] = c;
			pass(text, &e);
		}
	ok(true, "every byte in every place of two expressions");
	free(text);
}

static void test_glob(void)
{
	static const struct {
		const char *glob, *name;
		bool want;
	} T[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "abc", true },
		{ "?", "", false },
		{ "?", "a", true },
		{ "?", "ab", false },
		{ "a*c", "abbbc", true },
		{ "a*c", "abbb", false },
		{ "*a*b*", "xxaxxbxx", true },
		{ "*a*b*", "xxbxxa", false },
		{ "**", "x", true },
		{ "a**b", "ab", true },
		{ "[abc]", "b", true },
		{ "[abc]", "d", false },
		{ "[a-c]x", "cx", true },
		{ "[!a-c]", "d", true },
		{ "[!a-c]", "b", false },
		{ "[^a-c]", "d", true },
		{ "[]]", "]", true },
		{ "[!]]", "]", false },
		{ "[a-]", "-", true },
		{ "[", "[", true },
		{ "[a", "[a", true },
		{ "[a", "a", false },
		{ "[]", "[]", true },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "\\", "\\", true },
		{ "a\\?c", "a?c", true },
		{ "sched_*", "sched_switch", true },
		{ "sys_*_read", "sys_enter_read", true },
		{ "*[0-9]", "cpu12", true },
		{ "\xff*", "\xff\x01", true },
		{ "[\x80-\xff]", "\xc3", true },
		{ "*ab", "aab", true },
		{ "*aab", "aaab", true },
		{ "a*", "b", false },
	};
	char glob[4096], name[4096];
	clock_t t;

	for (size_t i = 0; i < sizeof(T) / sizeof(T[0]); i++)
		ok(glob_match(T[i].glob, T[i].name) == T[i].want, "glob '%s' %s '%s'", T[i].glob,
		   T[i].want ? "takes" : "leaves", T[i].name);
	/* the patterns that make a backtracking matcher run for ever */
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i + 2 < sizeof(glob); i += 2)
		memcpy(glob + i, "*a", 2);
	memcpy(glob + 4000, "*b", 3);
	t = clock();
	ok(!glob_match(glob, name), "two thousand stars do not match");
	ok(clock() - t < CLOCKS_PER_SEC, "and say so within a second");
	for (size_t i = 0; i + 4 < 4000; i += 4)
		memcpy(glob + i, "*[a-", 4);
	glob[4000] = '\0';
	t = clock();
	ok(!glob_match(glob, name), "a thousand unclosed classes");
	memset(glob, '[', sizeof(glob));
	memset(name, '[', sizeof(name));
	glob[0] = '*';
	glob[4094] = 'x';
	glob[4095] = name[4095] = '\0';
	ok(!glob_match(glob, name), "four thousand of them in a row");
	ok(clock() - t < 5 * CLOCKS_PER_SEC, "are bounded too");
}

struct list {
	const char *const *names;
};

static const char *next(void *arg)
{
	struct list *l = arg;

	return *l->names ? *l->names++ : NULL;
}

static const char *near(const char *name)
{
	static const char *const NAMES[] = {
		"sched_switch", "sched_wakeup",	     "prio", "next_prio",
		"block",	"irq_handler_entry", NULL
	};
	struct list l = { NAMES };

	return nearest_name(name, next, &l);
}

static void test_nearest(void)
{
	char longest[300];

	is_str(near("sched_swich"), "sched_switch", "a letter left out");
	is_str(near("sched_wakupe"), "sched_wakeup", "two letters swapped");
	is_str(near("PRIO"), "prio", "case");
	is_str(near("wakeup"), "sched_wakeup", "a part of the name");
	is_str(near("zzzzzz"), NULL, "nothing is near");
	is_str(near(""), NULL, "nor to nothing");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	is_str(near(longest), NULL, "a name of 299 bytes");
}

/* ---- whole filters, against a catalog ---- */

#define FORMAT(name, id, fields) \
	"name: " name "\nID: " id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" fields "\nprint fmt: \"\"\n"

static const char SWITCH[] = FORMAT("sched_switch", "10",
				    "\tfield:int prio;\toffset:8;\tsize:4;\tsigned:1;\n");
static const char FORK[] = FORMAT("sched_fork", "11",
				  "\tfield:int child;\toffset:8;\tsize:4;\tsigned:1;\n");
static const char TIMER[] = FORMAT("timer_start", "12",
				   "\tfield:u64 when;\toffset:8;\tsize:8;\tsigned:0;\n");
/* the same event of another input, with the field elsewhere and smaller */
static const char SWITCH2[] = FORMAT("sched_switch", "44",
				     "\tfield:short pad;\toffset:8;\tsize:2;\tsigned:1;\n"
				     "\tfield:short prio;\toffset:10;\tsize:2;\tsigned:1;\n");
static const char LATE[] = FORMAT("sched_late", "13",
				  "\tfield:int prio;\toffset:8;\tsize:4;\tsigned:1;\n");

struct said {
	unsigned n;
	char text[1280];
};

static void say(void *arg, enum note_level level, const char *text)
{
	struct said *s = arg;

	s->n++;
	snprintf(s->text, sizeof(s->text), "%s", text);
}

static const struct etype *add(struct catalog *c, struct machine *s, const char *system,
			       const char *format)
{
	struct err e;
	struct etype *t = catalog_add(c, s, system, format, strlen(format), &e);

	if (!t)
		bail("catalog_add: %s", e.msg);
	return t;
}

static bool passes(struct filter *f, const struct etype *t, int32_t prio)
{
	uint8_t data[16] = { 0 };
	struct event x = { .ts = 5000,
			   .type = t,
			   .data = data,
			   .size = sizeof(data),
			   .pid = 9,
			   .cpu = 1,
			   .from = &origin };

	memcpy(data + 8, &prio, 4);
	return filter_pass(f, &x);
}

static void test_filter(void)
{
	struct machine s1 = { .long_size = 8 }, s2 = { .long_size = 8 };
	struct catalog *c = catalog_new();
	const struct etype *sw, *fork, *timer, *sw2, *late;
	struct said said = { 0 };
	struct notes notes = { .say = say, .arg = &said };
	struct filter *f;
	struct err e;

	machine_init(&s1, &OPS, NULL, NULL);
	machine_init(&s2, &OPS, NULL, NULL);
	sw = add(c, &s1, "sched", SWITCH);
	fork = add(c, &s1, "sched", FORK);
	timer = add(c, &s1, "timer", TIMER);
	sw2 = add(c, &s2, "sched", SWITCH2);

	f = filter_new();
	ok(filter_empty(f), "a new filter is empty");
	ok(filter_expr(f, "sched: prio < 100", &e) == 0, "an expression on a system");
	ok(!filter_empty(f), "and is no longer");
	ok(filter_compile(f, c, &notes, &e) == 0, "compiles");
	is_u64(said.n, 1, "one notice");
	has(said.text, "1 of 3 events has no such field and passes unfiltered: sched:sched_fork",
	    "about the event that lacks the field");
	ok(passes(f, sw, 99) && !passes(f, sw, 100), "sched_switch is filtered");
	ok(passes(f, fork, 100), "the event without the field passes");
	ok(passes(f, timer, 100), "another system passes");
	ok(passes(f, sw2, 99 << 16) && !passes(f, sw2, 100 << 16),
	   "the other input's layout is its own");
	ok(passes(f, sw2, (99 << 16) | 0x7fff), "and not the first one's");
	late = add(c, &s1, "sched", LATE);
	etype_resolve(c, late, &e);
	ok(passes(f, late, 99) && !passes(f, late, 100), "a type that comes later is filtered too");
	filter_free(f);

	f = filter_new();
	filter_expr(f, "sched:sched_s*:prio<100", &e);
	filter_expr(f, "sched:*: prio > 50", &e);
	ok(filter_compile(f, c, NULL, &e) == 0, "two expressions on one event");
	ok(passes(f, sw, 70) && !passes(f, sw, 40) && !passes(f, sw, 100), "both must hold");
	filter_free(f);

	f = filter_new();
	ok(filter_expr(f, "shed: prio < 100", &e) == 0 && filter_compile(f, c, NULL, &e) < 0,
	   "a system that is not there");
	has(e.msg, "column 1: no input has a system 'shed'; did you mean 'sched'?",
	    "names the nearest");
	filter_free(f);
	f = filter_new();
	filter_expr(f, "sched:sched_swich: prio < 100", &e);
	ok(filter_compile(f, c, NULL, &e) < 0, "an event that is not there");
	has(e.msg,
	    "column 7: no input has an event 'sched_swich' in 'sched'; did you mean "
	    "'sched_switch'?",
	    "names the nearest");
	filter_free(f);
	f = filter_new();
	filter_expr(f, "sched_switch: prio < 100", &e);
	ok(filter_compile(f, c, NULL, &e) < 0, "an event in place of a system");
	has(e.msg, "write 'sched:sched_switch:'", "is told what to write");
	filter_free(f);
	f = filter_new();
	filter_expr(f, "sched: priority < 100", &e);
	ok(filter_compile(f, c, NULL, &e) < 0, "a field that no event has");
	has(e.msg, "column 8:", "has the column of the whole text");
	filter_free(f);

	f = filter_new();
	ok(filter_expr(f, "prio < 100", &e) < 0, "no system");
	has(e.msg, "SYSTEM: EXPRESSION", "is told the form");
	ok(filter_expr(f, "", &e) < 0 && filter_expr(f, ":", &e) < 0 &&
		   filter_expr(f, "sched:", &e) < 0 && filter_expr(f, "sched: ", &e) < 0 &&
		   filter_expr(f, "sched:x:", &e) < 0,
	   "halves are refused");
	filter_free(f);
	catalog_free(c);
	machine_fini(&s1);
	machine_fini(&s2);
}

static bool pass_at(struct filter *f, uint64_t ts, int cpu, int32_t pid, const struct origin *from)
{
	struct event x = ev;

	x.ts = ts;
	x.cpu = cpu;
	x.pid = pid;
	x.from = from;
	return filter_pass(f, &x);
}

static void test_terms(void)
{
	static const char *const BAD_CPUS[] = { "",   "x",  "1,",   ",1",  "3-1",
						"1-", "-1", "8192", "1 2", "99999999999999999999" };
	static const char *const BAD_PIDS[] = {
		"", "x", "1,", "1 2", "-1", "2147483648", "99999999999999999999"
	};
	struct origin foo = { .path = "x.dat", .instance = "foo", .cpu = 0, .buffer = 1 };
	struct origin bar = { .path = "x.dat", .instance = "bar", .cpu = 0, .buffer = 200 };
	struct filter *f = filter_new();
	struct err e;
	unsigned n = 0;

	ok(filter_cpus(f, "0,2-5", &e) == 0 && filter_cpus(f, "8191", &e) == 0, "lists of CPUs");
	ok(pass_at(f, 1, 0, 1, &origin) && !pass_at(f, 1, 1, 1, &origin) &&
		   pass_at(f, 1, 5, 1, &origin) && !pass_at(f, 1, 6, 1, &origin) &&
		   pass_at(f, 1, 8191, 1, &origin),
	   "select");
	ok(!pass_at(f, 1, -1, 1, &origin) && !pass_at(f, 1, 100000, 1, &origin),
	   "odd CPU numbers are left out");
	ok(filter_takes_cpu(f, 4) && !filter_takes_cpu(f, 1), "whole streams");
	filter_free(f);

	f = filter_new();
	ok(filter_pids(f, "30,5", &e) == 0 && filter_pids(f, "0", &e) == 0, "lists of pids");
	ok(pass_at(f, 1, 0, 5, &origin) && pass_at(f, 1, 0, 30, &origin) &&
		   pass_at(f, 1, 0, 0, &origin) && !pass_at(f, 1, 0, 6, &origin),
	   "select");
	filter_free(f);

	f = filter_new();
	filter_times(f, 100, 200);
	ok(!pass_at(f, 99, 0, 1, &origin) && pass_at(f, 100, 0, 1, &origin) &&
		   pass_at(f, 200, 0, 1, &origin) && !pass_at(f, 201, 0, 1, &origin),
	   "times, both ends inclusive");
	filter_free(f);

	f = filter_new();
	filter_instance(f, "foo", &e);
	filter_instance(f, "", &e);
	for (unsigned i = 0; i < 2; i++)
		ok(pass_at(f, 1, 0, 1, &foo) && pass_at(f, 1, 0, 1, &origin) &&
			   !pass_at(f, 1, 0, 1, &bar),
		   "instances, round %u", i);
	ok(filter_takes_instance(f, "foo") && !filter_takes_instance(f, "bar"), "whole buffers");
	filter_free(f);

	f = filter_new();
	for (size_t i = 0; i < sizeof(BAD_CPUS) / sizeof(BAD_CPUS[0]); i++)
		n += filter_cpus(f, BAD_CPUS[i], &e) == 0;
	for (size_t i = 0; i < sizeof(BAD_PIDS) / sizeof(BAD_PIDS[0]); i++)
		n += filter_pids(f, BAD_PIDS[i], &e) == 0;
	is_u64(n, 0, "bad lists are refused");
	filter_free(f);
}

int main(void)
{
	machine_init(&machine, &OPS, NULL, NULL);
	machine.long_size = 8;
	make_record();
	test_numbers();
	test_logic();
	test_tables();
	test_strings();
	test_pseudo();
	test_errors();
	test_caret();
	test_hostile();
	test_glob();
	test_nearest();
	test_filter();
	test_terms();
	machine_fini(&machine);
	return tap_done();
}
