// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format: the declarations that kernels from 2.6.29 to 6.18 print (format.md 5.1), and what a
 * hostile text may not do.  Without it a field is read from the wrong bytes, or with the wrong sign
 * or kind.
 *
 * of: trace/format.c trace/field.c
 */
#include "trace/catalog.h"
#include "trace/field.h"
#include "trace/format.h"
#include "trace/machine.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static struct arena arena;

/*
 * Parse the format of event NAME whose own field lines are FIELDS; the text ends where its block
 * does.
 */
static int parse(struct etype *t, const char *system, const char *name, const char *fields,
		 const char *print, unsigned long_size, struct err *e)
{
	static char *text;
	char *all;

	if (asprintf(&all, "name: %s\nID: 300\nformat:\n" COMMON "%s\nprint fmt: %s\n", name,
		     fields, print) < 0)
		abort();
	free(text);
	text = malloc(strlen(all));
	memcpy(text, all, strlen(all));
	memset(t, 0, sizeof(*t));
	t->system = system;
	t->name = name;
	t->format = text;
	t->format_len = strlen(all);
	free(all);
	return format_parse(t, &arena, false, long_size, e);
}

/* One declaration and what has to become of it. */
static const struct want {
	const char *line;
	const char *name;
	enum field_kind kind;
	enum field_loc loc;
	unsigned size, elem, count;
	bool is_signed;
	const char *print;
} wants[] = {
	{ "unsigned int n;\toffset:8;\tsize:4;\tsigned:0;", "n", FIELD_UINT, FIELD_AT, 4, 4, 0,
	  false, 0 },
	{ "pid_t pid;\toffset:8;\tsize:4;\tsigned:1;", "pid", FIELD_INT, FIELD_AT, 4, 4, 0, true,
	  0 },
	{ "int dfd;\toffset:8;\tsize:8;\tsigned:0;", "dfd", FIELD_UINT, FIELD_AT, 8, 8, 0, false,
	  0 },
	{ "bool on;\toffset:8;\tsize:1;\tsigned:0;", "on", FIELD_UINT, FIELD_AT, 1, 1, 0, false,
	  0 },
	{ "enum hrtimer_mode mode;\toffset:8;\tsize:4;\tsigned:0;", "mode", FIELD_UINT, FIELD_AT, 4,
	  4, 0, false, 0 },
	{ "const char * filename;\toffset:8;\tsize:8;\tsigned:0;", "filename", FIELD_UINT, FIELD_AT,
	  8, 8, 0, false, 0 },
	{ "const void*x;\toffset:8;\tsize:8;\tsigned:0;", "x", FIELD_UINT, FIELD_AT, 8, 8, 0, false,
	  0 },
	{ "struct foo __attribute__((btf_type_tag(\"user\"))) *p;\toffset:8;\tsize:8;\tsigned:0;",
	  "p", FIELD_UINT, FIELD_AT, 8, 8, 0, false, 0 },
	{ "void __seg_gs * p;\toffset:8;\tsize:8;\tsigned:0;", "p", FIELD_UINT, FIELD_AT, 8, 8, 0,
	  false, 0 },
	{ "unsigned long ip;\toffset:8;\tsize:8;", "ip", FIELD_UINT, FIELD_AT, 8, 8, 0, false, 0 },
	{ "char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;", "prev_comm", FIELD_STR, FIELD_AT,
	  16, 1, 16, true, 0 },
	{ "char comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:0;", "comm", FIELD_STR, FIELD_AT,
	  16, 1, 0, false, 0 },
	{ "u8 saddr[4];\toffset:8;\tsize:4;\tsigned:0;", "saddr", FIELD_BYTES, FIELD_AT, 4, 1, 4,
	  false, 0 },
	{ "__u8 saddr_v6[16];\toffset:8;\tsize:16;\tsigned:0;", "saddr_v6", FIELD_BYTES, FIELD_AT,
	  16, 1, 16, false, 0 },
	{ "unsigned long args[6];\toffset:8;\tsize:48;\tsigned:0;", "args", FIELD_ARRAY, FIELD_AT,
	  48, 8, 6, false, 0 },
	{ "u16 v[3];\toffset:8;\tsize:6;\tsigned:0;", "v", FIELD_ARRAY, FIELD_AT, 6, 2, 3, false,
	  0 },
	{ "char buf[];\toffset:8;\tsize:0;\tsigned:1;", "buf", FIELD_STR, FIELD_TAIL, 0, 1, 0, true,
	  0 },
	{ "u32 buf[];\toffset:8;\tsize:0;\tsigned:0;", "buf", FIELD_ARRAY, FIELD_TAIL, 0, 4, 0,
	  false, 0 },
	{ "unsigned long args[];\toffset:8;\tsize:0;\tsigned:0;", "args", FIELD_ARRAY, FIELD_TAIL,
	  0, 8, 0, false, 0 },
	{ "__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;", "name", FIELD_STR,
	  FIELD_DATA_LOC, 4, 1, 0, true, 0 },
	{ "__data_loc char[] dyn;\toffset:8;\tsize:8;\tsigned:1;", "dyn", FIELD_STR, FIELD_DATA_LOC,
	  8, 1, 0, true, 0 },
	{ "__rel_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;", "name", FIELD_STR, FIELD_REL_LOC,
	  4, 1, 0, true, 0 },
	{ "__data_loc unsigned long[] v;\toffset:8;\tsize:4;\tsigned:0;", "v", FIELD_ARRAY,
	  FIELD_DATA_LOC, 4, 8, 0, false, 0 },
	{ "__data_loc u8[] v;\toffset:8;\tsize:4;\tsigned:0;", "v", FIELD_BYTES, FIELD_DATA_LOC, 4,
	  1, 0, false, 0 },
	{ "__data_loc cpumask_t mask;\toffset:8;\tsize:4;\tsigned:0;", "mask", FIELD_BITMASK,
	  FIELD_DATA_LOC, 4, 8, 0, false, 0 },
	{ "__data_loc cpumask_t *[] mask;\toffset:8;\tsize:4;\tsigned:0;", "mask", FIELD_BITMASK,
	  FIELD_DATA_LOC, 4, 8, 0, false, 0 },
	{ "__data_loc unsigned long[] bits;\toffset:8;\tsize:4;\tsigned:0;", "bits", FIELD_BITMASK,
	  FIELD_DATA_LOC, 4, 8, 0, false, "\"%s\", __get_bitmask(bits)" },
	{ "__data_loc char[] old;\toffset:8;\tsize:2;", "old", FIELD_STR, FIELD_LOC16, 2, 1, 0,
	  false, 0 },
};

static void test_declarations(void)
{
	for (unsigned i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		const struct want *w = &wants[i];
		char line[256], what[300];
		const struct field *f;
		struct etype t;
		struct err e;

		snprintf(line, sizeof(line), "\tfield:%s\n", w->line);
		snprintf(what, sizeof(what), "%.*s", (int)strcspn(w->line, ";"), w->line);
		if (parse(&t, "mini", "tick", line, w->print ? w->print : "\"\"", 8, &e) < 0 ||
		    t.ncommon != 4 || t.nfields != 5) {
			ok(false, "%s", what);
			diag("%u fields, %u of them common", t.nfields, t.ncommon);
			continue;
		}
		f = &t.fields[4];
		if (!ok(!strcmp(f->name, w->name) && f->kind == w->kind && f->loc == w->loc &&
				f->size == w->size && f->elem == w->elem && f->count == w->count &&
				f->off == 8 && f->is_signed == w->is_signed,
			"%s", what))
			diag("name %s kind %u loc %u size %u elem %u count %u signed %d", f->name,
			     f->kind, f->loc, f->size, f->elem, f->count, f->is_signed);
	}
}

static void test_events(void)
{
	const struct field *f;
	struct etype t;
	struct err e;

	ok(parse(&t, "mini", "tick",
		 "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:__data_loc char[] s;\toffset:12;\tsize:4;\tsigned:1;\n",
		 "\"a=%u\n and more\" \"joined\", REC->a", 8, &e) == 0,
	   "an event of two fields");
	is_u64(t.fixed, 16, "a record has the fixed fields and the dynamic words at least");
	ok(t.print_len == strlen("\"a=%u\n and more\" \"joined\", REC->a") &&
		   !memcmp(t.print, "\"a=%u", 5),
	   "the print format is what follows, newlines too");
	ok(field_find(&t, "a") == &t.fields[4] && field_find(&t, "common_pid") == &t.fields[3] &&
		   !field_find(&t, "b") && !field_find(&t, ""),
	   "fields are found by name");

	parse(&t, "ftrace", "kernel_stack",
	      "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	      "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n",
	      "\"\"", 8, &e);
	f = field_find(&t, "caller");
	ok(f && f->loc == FIELD_TAIL && t.fixed == 16,
	   "a kernel stack runs to the end of its record, and may be shorter than its format");
	parse(&t, "ftrace", "func", "\tfield special:unsigned long ip;\toffset:8;\tsize:8;\n",
	      "\"\"", 8, &e);
	ok(field_find(&t, "ip"), "a field line of 2.6.3x with \"special\"");
	parse(&t, "mini", "tick",
	      "\tfield:int ok;\toffset:8;\tsize:4;\tsigned:1;\n"
	      "\tfield:void (*func)(int);\toffset:16;\tsize:8;\tsigned:0;\n\tfield:;\n\tfield:a\n"
	      "\tfield:int b;\toffset:-1;\tsize:4;\n\tfield:int c;\toffset:99999999999;\tsize:4;\n"
	      "\tfield:int d;\toffset:24;\tsize:4;\tsigned:1;\n",
	      "\"\"", 8, &e);
	ok(field_find(&t, "ok") && field_find(&t, "d") && !field_find(&t, "b") &&
		   !field_find(&t, "c"),
	   "a line that makes no sense costs its field only");
	parse(&t, "mini", "tick",
	      "\tfield:unsigned char common_migrate_disable;\toffset:8;\tsize:1;\tsigned:0;\n"
	      "\tfield:int n;\toffset:12;\tsize:4;\tsigned:1;\n",
	      "\"\"", 8, &e);
	ok(t.ncommon == 5 && t.nfields == 6, "PREEMPT_RT has a fifth common field");
	parse(&t, "mini", "tick",
	      "\tfield:int common_tgid;\toffset:8;\tsize:4;\tsigned:1;\n"
	      "\tfield:int n;\toffset:12;\tsize:4;\n",
	      "\"\"", 4, &e);
	ok(t.ncommon == 5 && t.nfields == 6, "so has 2.6.29");
}

static void test_heads(void)
{
	const char *name;
	size_t len;
	unsigned id;
	struct err e;

#define HEAD(text) format_head(text, strlen(text), &name, &len, &id, &e)
	ok(HEAD("name: sched_switch\nID: 316\nformat:\n") == 0 && len == 12 && id == 316 &&
		   !memcmp(name, "sched_switch", 12),
	   "name and ID");
	ok(HEAD("name: x\nID: 65535") == 0 && id == 65535, "the text may end there");
	ok(HEAD("name: x\nID: 65536\n") < 0, "an ID that no record can have");
	ok(HEAD("name: x\nID: -1\n") < 0 && HEAD("name: x\nID: \n") < 0 &&
		   HEAD("name: x\nID: 3x\n") < 0 && HEAD("name: x\nID: 99999999999999999999\n") < 0,
	   "IDs that are none");
	ok(HEAD("") < 0 && HEAD("name:\nID: 3\n") < 0 && HEAD("ID: 3\n") < 0 &&
		   HEAD("name: x\n") < 0 && HEAD("\0\0\0") < 0 && HEAD("name: a\033b\nID: 3\n") < 0,
	   "heads that are none");
	ok(e.kind == ERR_FORMAT, "are damage");
#undef HEAD
}

static void test_hostile(void)
{
	size_t n = 1 << 20;
	char *text = malloc(n + 4096);
	struct etype t = { .system = "mini", .name = "tick" };
	struct err e;
	size_t at;

	t.format = text;
	at = sprintf(text, "name: x\nID: 3\nformat:\n");
	while (at < n - 64)
		at += sprintf(text + at, "\tfield:int f;\toffset:8;\tsize:4;\n");
	t.format_len = at;
	ok(format_parse(&t, &arena, false, 8, &e) < 0 && e.kind == ERR_FORMAT,
	   "30,000 fields are damage");
	memset(text, '(', n);
	memcpy(text, "name: x\nID: 3\nformat:\n\tfield:int ", 34);
	t.format_len = n;
	ok(format_parse(&t, &arena, false, 8, &e) < 0, "a million parentheses are damage");
	memset(text, 'x', n + 100);
	t.format_len = n + 100;
	ok(format_parse(&t, &arena, false, 8, &e) < 0, "a format of over a mebibyte is damage");
	free(text);
}

/* A span of a dynamic field: inside the record or nothing. */
static void test_spans(void)
{
	static uint8_t rec[24];
	struct event ev = { .data = rec, .size = sizeof(rec) };
	struct field f = { .off = 8, .size = 4, .elem = 1, .kind = FIELD_STR };
	struct span s;
	uint32_t w;
	uint16_t half;

#define WORD(off, len) (w = (uint32_t)(len) << 16 | (off), memcpy(rec + 8, &w, 4))
	f.loc = FIELD_DATA_LOC;
	WORD(16, 8);
	ok(field_span(&f, &ev, &s) && s.p == rec + 16 && s.len == 8,
	   "__data_loc counts from the record");
	WORD(16, 9);
	ok(!field_span(&f, &ev, &s) && s.len == 0, "a length over the record's end is nothing");
	WORD(0xffff, 0);
	ok(!field_span(&f, &ev, &s) && s.len == 0, "nor is an offset");
	WORD(24, 0);
	ok(field_span(&f, &ev, &s) && s.len == 0, "an empty one at the very end is sound");
	f.loc = FIELD_REL_LOC;
	WORD(4, 8);
	ok(field_span(&f, &ev, &s) && s.p == rec + 16, "__rel_loc counts from the end of its word");
	WORD(5, 8);
	ok(!field_span(&f, &ev, &s), "and ends with the record too");
	f.loc = FIELD_LOC16;
	f.size = 2;
	half = 16;
	memcpy(rec + 8, &half, 2);
	ok(field_span(&f, &ev, &s) && s.len == 8, "the word of 2.6.30 runs to the record's end");
	half = 25;
	memcpy(rec + 8, &half, 2);
	ok(!field_span(&f, &ev, &s), "and not past it");
	f.loc = FIELD_TAIL;
	f.off = 20;
	ok(field_span(&f, &ev, &s) && s.len == 4, "a tail is what is left");
	f.off = 25;
	ok(!field_span(&f, &ev, &s) && s.len == 0, "or nothing");
	f.loc = FIELD_AT;
	f.off = 20;
	f.size = 64;
	ok(field_span(&f, &ev, &s) && s.len == 4, "an array ends with its record");
#undef WORD
}

static void test_bits(void)
{
	static const uint8_t le[16] = { 0x3d, 0, 0, 0x80, 1, 0, 0, 0, 1 };
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; /* then le is to be swapped */
	struct span s = { le, 16 };
	char buf[64], tiny[6];
	uint8_t be[16], large[FIELD_BITS_MAX / 8 + 8];

	ok(field_bits(&s, 8, big, buf, sizeof(buf)) == 14, "the length of a list of bits");
	is_str(buf, "0,2-5,31-32,64", "the list: 0x3d, bits across a word, the next long");
	for (unsigned i = 0; i < 16; i++)
		be[i] = le[i / 8 * 8 + 7 - i % 8];
	s.p = be;
	field_bits(&s, 8, !big, buf, sizeof(buf));
	is_str(buf, "0,2-5,31-32,64", "the same in the other byte order, longs of 8");
	for (unsigned i = 0; i < 16; i++)
		be[i] = le[i / 4 * 4 + 3 - i % 4];
	field_bits(&s, 4, !big, buf, sizeof(buf));
	is_str(buf, "0,2-5,31-32,64", "and longs of 4");
	s.p = le;
	ok(field_bits(&s, 8, big, tiny, sizeof(tiny)) > sizeof(tiny) && strlen(tiny) < sizeof(tiny),
	   "a small buffer is not overrun");
	s.len = 0;
	ok(field_bits(&s, 8, big, buf, sizeof(buf)) == 0 && !*buf, "no bits");
	s.p = be;
	s.len = 3; /* not a whole long */
	memset(be, 0xff, sizeof(be));
	field_bits(&s, 8, !big, buf, sizeof(buf));
	ok(true, "a mask that is no whole number of longs is read within its bytes");
	memset(large, 0, sizeof(large));
	large[0] = 2;
	large[sizeof(large) - 1] = 0x80;
	s = (struct span){ large, sizeof(large) };
	field_bits(&s, 8, big, buf, sizeof(buf));
	is_str(buf, "1[CUT]", "a mask longer than any kernel's is cut");
	s = (struct span){ large + 8, FIELD_BITS_MAX / 8 };
	field_bits(&s, 8, big, buf, sizeof(buf));
	is_str(buf, "8191", "one of all CPUs is not");
}

int main(void)
{
	test_declarations();
	test_events();
	test_heads();
	test_hostile();
	test_spans();
	test_bits();
	arena_fini(&arena);
	return tap_done();
}
