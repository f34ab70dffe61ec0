// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr_test: expressions as conditions on hand-made events.  Without it an operator, a sign or a
 * precedence that is wrong would silently give a user the wrong events.
 *
 * of: expr
 */
#include "base/mem.h"
#include "expr/test.h"
#include "trace/machine.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* One event with a field of each kind; little endian on any machine. */
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

static void put_text(unsigned off, const char *text, size_t len)
{
	memcpy(record + off, text, len);
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
	put_text(40, "kworker/0:1\0junk", 16);
	put(56, 104 | 10 << 16, 4);
	put_text(104, "/etc/fstab", 10);
	put(72, 1ull << 63 | 1, 8);
	put(80, 2, 8); /* bits 0, 63, 65 */
	put(88, 1, 4);
	put(92, 2, 4);
	put(96, 4, 4); /* bits 0, 33, 66 */
	put_text(100, "abcd", 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (unsigned i = 0; i < NFIELDS; i++)
		FIELDS[i].swap = true;
#endif
}

/* Does the event pass EXPR?  -1: it was refused. */
static int pass(const char *expr, struct err *e)
{
	bool lacks;
	struct expr_test *w = expr_test_new(expr, &type, NULL, &lacks, e);
	int rc;

	if (!w)
		return -1;
	rc = expr_test_pass(w, &ev);
	expr_test_free(w);
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

/* Eight shapes of three comparisons, all values: a jump that goes to the wrong place. */
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
	type.nfields = type.ncommon = 0;
	is_pass("common_pid == 77 && cpu == 3", 1);
	type.nfields = NFIELDS;
	type.ncommon = 1;
}

/* What stands behind a comparison: a word, a field, a number, or an expression. */
static void test_words(void)
{
	put_text(40, "abcd", 5);
	is_pass("name == full", 1);
	is_pass("name != full", 0);
	is_pass("name == 'full'", 0);
	is_pass("name == abcd", 1);
	/* a glob is always one (else: comm ~ comm* would depend on the fields) */
	is_pass("name ~ full", 0);
	make_record();
	is_pass("name == full", 0);
	/* numbers of another field, and what is computed */
	is_pass("prio < s16", 1);
	is_pass("u8 == u8", 1);
	is_pass("u8 != prio", 1);
	is_pass("u8 == 100 * 2", 1);
	is_pass("u8 == 100*2", 1);
	is_pass("u8 == 199 + 1 && prio == -5", 1);
	/* digits are a text where a string is compared */
	is_pass("name == 12", 0);
	is_pass("name != -12", 1);
	is_pass("name == a-b*", 0);
	is_pass("name == a^b || u8 == 200", 1);
	is_pass("name == not", 0);
	is_pass("name ~ *0:1&&u8 == 200", 1);
	/* what is both, and does not end where the word does */
	is_refused("u8 == 200^1", "column 7:", "'200^1' is not a number");
	is_pass("u8 == 200 ^ 1", 0);
	is_refused("u8 == 200 +", "column 12:", "expected a value, found the end");
	is_refused("u8 == 200 + x", "column 13:", "no field 'x'");
	is_refused("u8 == pri",
		   "column 7:", "is a number, and it has no field 'pri'; did you mean 'prio'?");
	is_refused("name == kw/ * 2", "column 13:", "expected an operator");
}

/* Conditions that are no comparison of a field with a constant. */
static void test_computed(void)
{
	is_pass("u8", 1);
	is_pass("u8 - 200", 0);
	is_pass("(u8 & 8) == 8", 1);
	is_pass("flags >> 28 == 0xf", 1);
	is_pass("u8 % 7 == 4 && u8 / 100 == 2", 1);
	is_pass("199 < u8", 1);
	is_pass("200 < u8", 0);
	is_pass("-5 >= prio", 1);
	is_pass("'kworker/0:1' == name", 1);
	is_pass("u8 == 1 | u8 == 200", 1);
	is_pass("(name == 'kworker/0:1') + (u8 == 1) == 1", 1);
	is_pass("(comm ~ kw*) == 1", 1);
	is_pass("ts - 5 == 995", 1);
	is_pass("log2(u8) == 7 or name == x", 1);
	is_pass("1", 1);
	is_pass("0", 0);
	/* "!" is of a whole comparison, as in the kernel (else: !a == 1 is (!a) == 1) */
	is_pass("!u8 == 1", 1);
	is_pass("!u8 == 200", 0);
	is_pass("!flags & 1", 0);
	is_pass("!u8 == 1 && !prio", 0);
	is_pass("!u8", 0);
	is_pass("not u8 - 200", 1);
	is_pass("1 + (!u8) == 1", 1);
	is_refused("1 + !u8", "column 5:", "write (!...)");
	is_refused("-not u8", "column 2:", "write (not ...)");
	is_refused("u8 == !s8", "column 7:", "write (!...)");
}

/* Each has one answer in a condition and as a value: a sign that only one of them sees. */
static void test_same(void)
{
	static const char *const ALL[] = {
		"u8 == 300",   "prio == 0xfffffffb", "s8 == 0x9c", "cpu & CPUS{1-3}",
		"s8 > -1000",  "cpus & CPUS{65}",    "name ~ kw*", "addr == 0xffffffff81000000",
		"comm == bob", "event ~ test:*",     "ret < 0",	   "prio < 4294967291",
	};
	char text[100];

	for (unsigned i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++) {
		struct err e;
		int want = pass(ALL[i], &e);

		snprintf(text, sizeof(text), "0 + (%s)", ALL[i]);
		is_pass(text, want);
	}
}

static void test_errors(void)
{
	is_refused("", "column 1:", "expected a value, found the end");
	is_refused("u8 = 5", "column 4:", "write ==");
	is_refused("u8 eq 5", "column 4:", "'eq' is Perl's; write ==");
	is_refused("(u8 ge 5)", "column 5:", "'ge' is Perl's; write ==");
	is_refused("name =~ x", "column 6:", "'=~' is Perl's");
	is_refused("u8 ==", "column 6:", "expected a value, found the end");
	is_refused("u8 == and u8 == 1", "column 7:", "expected a field, a number");
	is_refused("u8 == 1 u8 == 2", "column 9:", "expected an operator");
	is_refused("u8 == 1 &&", "column 11:", "expected a value, found the end");
	is_refused("(u8 == 1", "column 1:", "missing ')'");
	is_refused("u8 == 1)", "column 8:", "unmatched ')'");
	is_refused("((u8 == 1) u8", "column 12:", "expected an operator or ')'");
	is_refused("name == \"abc", "column 9:", "unterminated string");
	is_refused("u8 == 12x", "column 7:", "'12x'");
	is_refused("u8 == 0x", "column 7:", "invalid number '0x'");
	is_refused("u8 == 09", "column 7:", "invalid number '09'");
	is_refused("u8 == -", "column 8:", "expected a value, found the end");
	is_refused("u8 < 1.", "column 6:", "invalid number '1.': expected an integer");
	is_refused("u8 < .1234567890s", "column 6:", "invalid number '.1234567890s'");
	is_refused("u8 == 1.5", "column 7:", "invalid number '1.5': expected an integer");
	is_refused("u8 == \"5\"", "column 7:", "is a number");
	is_refused("addr == 18446744073709551616", "column 9:", "64 bits");
	is_refused("ret == -9223372036854775809", "column 8:", "does not fit");
	is_refused("ret == 9223372036854775808", "column 8:", "does not fit");
	is_refused("u8 == -1", "column 7:", "unsigned");
	is_refused("u8 ~ 1*", "column 1:", "~ takes strings");
	is_refused("name < b", "column 1:", "is a string");
	is_refused("args == 1", "column 1:", "is an array");
	is_refused("name == u8", "column 9:", "in quotes");
	is_refused("name", "column 1:", "is not a number");
	is_refused("'x'", "column 1:", "a string is not a condition");
	is_refused("cpus", "column 1:", "is not a number");
	is_refused("CPUS{1}", "column 1:", "compare it with a field");
	is_refused("pid & CPUS{1}", "column 7:", "neither a set of bits nor a CPU");
	is_refused("cpus == 1", "column 9:", "CPUS{");
	is_refused("cpus & CPUS{1-}", "column 13:", "list of CPUs");
	is_refused("cpus & CPUS{9999}", "column 13:", "below 8192");
	is_refused("cpus ~ CPUS{1}", "column 1:", "sets of CPUs");
	is_refused("u8 == 1 && pri < 5", "column 12:", "did you mean 'prio'?");
	is_refused("secz == 5", "column 1:", "did you mean 'secs'?");
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
	/* what fails at its end is tried once at each level, not twice */
	n = 0;
	for (unsigned depth = 0; depth < 90; depth++)
		n += sprintf(text + n, "u8 == 1 + (");
	ok(pass(text, &e) < 0, "90 expressions behind ==, each in the other");
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
	test_words();
	test_computed();
	test_same();
	test_errors();
	test_caret();
	test_hostile();
	machine_fini(&machine);
	return tap_done();
}
