// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * 66-stablemap: stable events out of raw records of many kernels' formats, in both byte orders and
 * word sizes.  Without it a letter, a mark or a number is that of another kernel, and nobody sees.
 */
#include "field.h"
#include "mem.h"
#include "schema.h"
#include "stablemap.h"
#include "statename.h"
#include "tap.h"

#include <stdlib.h>

static char notes[4096];
static unsigned nwarn, ndamage;

static void say(void *arg, enum note_level level, const char *text)
{
	size_t n = strlen(notes);

	nwarn += level == NOTE_WARN;
	ndamage += level == NOTE_DAMAGE;
	snprintf(notes + n, sizeof(notes) - n, "%s\n", text);
}

static const char *uname_text = "Linux guest 6.1.0 #1 SMP x86_64\n";

static int text(void *arg, enum schema_text which, const char **p, size_t *len, struct err *e)
{
	*p = which == TEXT_CMDLINES ? "77 kworker/u8:1\n" : which == TEXT_UNAME ? uname_text : "";
	*len = strlen(*p);
	return 0;
}

static const struct schema_ops OPS = { .text = text };

/* A trace: its types, its byte order, one record that is being made. */
struct trace {
	struct catalog *c;
	struct schema s;
	struct stable *st;
	struct notes notes;
	bool big;
	unsigned long_size, id;
	uint8_t rec[512];
	struct origin from;
	struct event ev;
	char *texts[64];
	unsigned ntexts;
	char why[800];
};

static struct trace *trace_new(bool big, unsigned long_size)
{
	struct trace *t = mem_zalloc(sizeof(*t));

	t->c = catalog_new();
	t->st = stable_new();
	t->big = big;
	t->long_size = long_size;
	schema_init(&t->s, &OPS, NULL, NULL);
	t->s.big_endian = big;
	t->s.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->s.long_size = long_size;
	t->notes.say = say;
	t->from.path = "x.dat";
	t->ev = (struct event) { .ts = 5000, .cpu = 3, .pid = 77, .seq = 9, .lost = 2, .off = 0x40,
				 .data = t->rec, .size = 200, .from = &t->from };
	notes[0] = '\0';
	nwarn = ndamage = 0;
	return t;
}

static void trace_free(struct trace *t)
{
	stable_free(t->st);
	catalog_free(t->c);
	schema_fini(&t->s);
	while (t->ntexts)
		free(t->texts[--t->ntexts]);
	free(t);
}

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* A raw type; FIELDS are lines "DECLARATION;OFFSET;SIZE;SIGNED\n". */
static const struct etype *raw(struct trace *t, const char *system, const char *name,
			       const char *fields, const char *print)
{
	char *buf = malloc(16384);
	const struct etype *type;
	struct err e;
	size_t n = snprintf(buf, 16384, "name: %s\nID: %u\nformat:\n" COMMON, name, 300 + t->id++);

	while (*fields) {
		char decl[128];
		unsigned off, size, is_signed;
		int used = 0;

		if (sscanf(fields, " %127[^;];%u;%u;%u %n", decl, &off, &size, &is_signed, &used) <
		    4)
			bail("bad line '%s'", fields);
		n += snprintf(buf + n, 16384 - n, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n",
			      decl, off, size, is_signed);
		fields += used;
	}
	snprintf(buf + n, 16384 - n, "\nprint fmt: %s\n", print);
	type = catalog_add(t->c, &t->s, system, buf, strlen(buf), &e);
	if (!type)
		bail("%s", e.msg);
	t->texts[t->ntexts++] = buf;
	return type;
}

static void define(struct trace *t, const char *definition)
{
	struct err e;

	if (stable_add(t->st, "test", definition, strlen(definition), &e) < 0)
		bail("%s", e.msg);
}

/* One event "x::e" from s:r with the line LINE. */
static void define_line(struct trace *t, const char *line)
{
	char all[1024];

	snprintf(all, sizeof(all), "event x::e\npurpose p\nfrom s:r | s:q\n%s\n", line);
	define(t, all);
}

static struct stable_map *map_of(struct trace *t, const char *system, const char *name,
				 const struct etype *type)
{
	const struct stable_event *ev = stable_find(t->st, system, name);
	struct stable_map *m = NULL;
	struct err e = { .msg = "no such event" };
	int from = ev ? stable_takes(ev, t->c, type) : -1;

	if (from >= 0)
		m = stable_map_new(ev, t->c, from, type, &t->notes, &e);
	else if (ev)
		snprintf(e.msg, sizeof(e.msg), "not taken");
	snprintf(t->why, sizeof(t->why), "%s", m ? "" : e.msg);
	if (m && (!stable_map_type(m)->stable || !stable_map_type(m)->resolved ||
		  stable_map_type(m)->idx != type->idx || stable_map_type(m)->ncommon))
		bail("the type of %s::%s is not as it should be", system, name);
	t->ev.type = type;
	return m;
}

/* Put V of SIZE bytes at OFF, in the trace's byte order. */
static void put(struct trace *t, unsigned off, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		t->rec[off + (t->big ? size - 1 - i : i)] = v >> 8 * i;
}

static void put_str(struct trace *t, unsigned off, const char *s, unsigned size)
{
	memset(t->rec + off, 0, size);
	memcpy(t->rec + off, s, strlen(s) < size ? strlen(s) : size);
}

static const struct event *run(struct trace *t, struct stable_map *m)
{
	/* As long as the record: the sanitizer sees what reads behind it. */
	uint8_t *copy = malloc(t->ev.size);
	struct event ev = t->ev;
	const struct event *out;

	memcpy(copy, t->rec, t->ev.size);
	ev.data = copy;
	out = stable_map_event(m, &ev);
	free(copy);
	return out;
}

static int64_t number(const struct event *ev, const char *name)
{
	const struct field *f = field_find(ev->type, name);

	if (!f || (f->kind != FIELD_INT && f->kind != FIELD_UINT))
		return 0xdead;
	return (int64_t)field_scalar(f, ev);
}

/* The bytes of a text up to its NUL; of anything else in hexadecimal; "undef". */
static const char *show(const struct event *ev, const char *name)
{
	static char buf[8][600];
	static unsigned turn;
	const struct field *f = field_find(ev->type, name);
	char *out = buf[turn++ % 8];
	struct span s;

	if (!f)
		return "no such field";
	if (f->kind == FIELD_NONE)
		return "undef";
	if (f->swap)
		return "swapped";
	if (!field_span(f, ev, &s))
		return "outside";
	if (f->kind == FIELD_STR) {
		snprintf(out, 600, "%.*s", (int)strnlen((const char *)s.p, s.len), s.p);
		return out;
	}
	out[0] = '\0';
	for (uint32_t i = 0; i < s.len && i < 250; i++)
		snprintf(out + 2 * i, 600 - 2 * i, "%02x", s.p[i]);
	return out;
}

/* All bytes of a text, in hexadecimal. */
static const char *bytes(const struct event *ev, const char *name)
{
	static char out[600];
	const struct field *f = field_find(ev->type, name);
	struct span s;

	out[0] = '\0';
	if (f && field_span(f, ev, &s))
		for (uint32_t i = 0; i < s.len && i < 250; i++)
			snprintf(out + 2 * i, sizeof(out) - 2 * i, "%02x", s.p[i]);
	return out;
}

#define NUM(ev, name, want, what) is_u64((uint64_t)number(ev, name), (uint64_t)(want), what)
#define STR(ev, name, want, what) is_str(show(ev, name), want, what)

/* ---------------------------------------------------------------- sched::switch of many kernels */

#define SW "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d " \
	"next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
#define NEXT ", REC->next_comm, REC->next_pid, REC->next_prio"
#define REPORT "(0x00 | 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x20 | 0x40)"
#define MASK "(((" REPORT " + 1) << 1) - 1)"

/* Seed 003's own. */
static const char k2_6_36[] = SW "REC->prev_state ? __print_flags(REC->prev_state, \"|\", "
	"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, "
	"{ 64, \"x\" }, { 128, \"W\" }) : \"R\"" NEXT;
static const char k3_2[] = SW "REC->prev_state & (512-1) ? __print_flags(REC->prev_state & (512-1),"
	" \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, "
	"{ 32, \"X\" }, { 64, \"x\" }, { 128, \"W\" }) : \"R\", REC->prev_state & 512 ? \"+\" : "
	"\"\"" NEXT;
static const char k3_18[] = SW "REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & "
	"(1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, "
	"{ 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\", "
	"REC->prev_state & 1024 ? \"+\" : \"\"" NEXT;
static const char k4_9[] =
	SW "REC->prev_state & (((2048)-1)) ? __print_flags(REC->prev_state & "
	   "(((2048)-1)), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, "
	   "\"Z\" }, "
	   "{ 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, "
	   "{ 1024, \"N\" }) : \"R\", REC->prev_state & 2048 ? \"+\" : \"\"" NEXT;
static const char k4_14[] = SW "(REC->prev_state & " MASK ") ? __print_flags(REC->prev_state & "
	MASK ", \"|\", { 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, "
	"{ 0x10, \"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", "
	"REC->prev_state & ((" REPORT " + 1) << 1) ? \"+\" : \"\"" NEXT;
/* What the library makes of it has lost the parenthesis; the casts are of kernels to come. */
static const char k_odd[] = SW "((unsigned int)REC->prev_state & 0xff) != 0 ? "
	"__print_flags((unsigned int)REC->prev_state & (0x7f | 0x80), \"|\", { 0x00, \"Q\" }, "
	"{ 0x01, \"S\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, { 0x400, \"N\" }) : \"R\", "
	"(REC->prev_state & (0x100 | 0x200)) ? \"+\" : \"\"" NEXT;

static const struct {
	const char *kernel, *print;
	struct { uint64_t state; char letter; } of[8];
	uint64_t mark;
} kernels[] = {
	{ "2.6.36", k2_6_36, { { 0, 'R' }, { 1, 'S' }, { 2, 'D' }, { 16, 'Z' }, { 32, 'X' },
			       { 64, 'X' }, { 128, 'W' }, { 0x82, 'D' } }, 0 },
	{ "3.2", k3_2, { { 0, 'R' }, { 1, 'S' }, { 16, 'Z' }, { 32, 'X' }, { 64, 'X' },
			 { 128, 'W' }, { 512, 'R' }, { 513, 'S' } }, 512 },
	{ "3.18", k3_18, { { 1024, 'R' }, { 16, 'Z' }, { 32, 'X' }, { 64, 'X' }, { 128, 'K' },
			   { 256, 'W' }, { 512, 'P' }, { 1026, 'D' } }, 1024 },
	{ "4.9", k4_9, { { 2048, 'R' }, { 16, 'Z' }, { 32, 'X' }, { 1024, 'N' }, { 0x402, 'D' },
			 { 4, 'T' }, { 8, 't' }, { 0, 'R' } }, 2048 },
	{ "4.14 and later", k4_14, { { 256, 'R' }, { 16, 'X' }, { 32, 'Z' }, { 64, 'P' },
				     { 128, 'I' }, { 0x101, 'S' }, { 8, 't' }, { 0, 'R' } }, 256 },
	{ "an odd one", k_odd, { { 0, 'R' }, { 1, 'S' }, { 16, 'X' }, { 32, 'Z' }, { 0x400, 'R' },
				 { 0x121, 'S' }, { 0x200, 'R' }, { 0x410, 'X' } }, 0x300 },
};

static const char switch_64[] =
	"char prev_comm[16];8;16;1\npid_t prev_pid;24;4;1\nint prev_prio;28;4;1\n"
	"long prev_state;32;8;1\nchar next_comm[16];40;16;1\npid_t next_pid;56;4;1\n"
	"int next_prio;60;4;1\n";
static const char switch_32[] =
	"char prev_comm[TASK_COMM_LEN];8;16;1\npid_t prev_pid;24;4;1\nint prev_prio;28;4;1\n"
	"long prev_state;32;4;1\nchar next_comm[TASK_COMM_LEN];36;16;1\npid_t next_pid;52;4;1\n"
	"int next_prio;56;4;1\n";

static void try_switch(unsigned k, bool big, unsigned long_size)
{
	struct trace *t = trace_new(big, long_size);
	const struct etype *type = raw(t, "sched", "sched_switch",
				       long_size == 8 ? switch_64 : switch_32, kernels[k].print);
	struct stable_map *m = map_of(t, "sched", "switch", type);
	unsigned next = long_size == 8 ? 40 : 36;
	const struct event *ev;
	char what[200];

	snprintf(what, sizeof(what), "sched::switch of %s, %s endian, %u bits", kernels[k].kernel,
		 big ? "big" : "little", 8 * long_size);
	if (!ok(m, "%s can be had (else: no task ever runs)", what)) {
		diag("%s", t->why);
		goto out;
	}
	put_str(t, 8, "swapper/3", 16);
	put(t, 24, (uint64_t)-2, 4);
	put_str(t, next, "sixteen bytes on", 16);
	put(t, next + 16, 4321, 4);
	t->ev.size = next + 24;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t state = kernels[k].of[i].state;
		char got[80], want[80];

		put(t, 32, state, long_size);
		ev = run(t, m);
		snprintf(got, sizeof(got), "%s %s", show(ev, "prev_state"),
			 kernels[k].mark ? number(ev, "preempted") ? "+" : "-" :
			 show(ev, "preempted"));
		snprintf(want, sizeof(want), "%c %s", kernels[k].of[i].letter,
			 !kernels[k].mark ? "undef" : state & kernels[k].mark ? "+" : "-");
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " of %llu",
			 (unsigned long long)state);
		snprintf(want + strlen(want), sizeof(want) - strlen(want), " of %llu",
			 (unsigned long long)state);
		is_str(got, want, what);
	}
	NUM(ev, "prev_pid", -2, "a signed number");
	NUM(ev, "next_pid", 4321, "next_pid");
	STR(ev, "prev_comm", "swapper/3", "a text up to its NUL");
	STR(ev, "next_comm", "sixteen bytes on", "a text without one");
	ok(ev->ts == 5000 && ev->cpu == 3 && ev->pid == 77 && ev->seq == 9 && ev->lost == 2 &&
	   ev->off == 0x40 && ev->from == &t->from, "when and where are the record's");
	ok(!field_find(ev->type, "prev_prio") && !field_find(ev->type, "common_pid"),
	   "what is not promised is not passed");
out:
	stable_map_free(m);
	trace_free(t);
}

static void test_switch(void)
{
	for (unsigned k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
		for (unsigned i = 0; i < 4; i++)
			try_switch(k, i & 1, i & 2 ? 4 : 8);
}

/* Seed 003's own type, as it is printed there: a fifth common field, and a gap before the state. */
static void test_seed(void)
{
	struct trace *t = trace_new(false, 8);
	const struct etype *type = raw(t, "sched", "sched_switch",
		"int common_lock_depth;8;4;1\nchar prev_comm[TASK_COMM_LEN];12;16;1\n"
		"pid_t prev_pid;28;4;1\nint prev_prio;32;4;1\nlong prev_state;40;8;1\n"
		"char next_comm[TASK_COMM_LEN];48;16;1\npid_t next_pid;64;4;1\n"
		"int next_prio;68;4;1\n", k2_6_36);
	struct stable_map *m = map_of(t, "sched", "switch", type);
	const struct event *ev;

	if (!m)
		bail("%s", t->why);
	put_str(t, 12, "init", 16);
	put(t, 28, 1, 4);
	put(t, 40, 16, 8);
	put_str(t, 48, "kthreadd", 16);
	put(t, 64, 2, 4);
	t->ev.size = 72;
	ev = run(t, m);
	ok(number(ev, "prev_pid") == 1 && number(ev, "next_pid") == 2 &&
	   !strcmp(show(ev, "prev_comm"), "init") && !strcmp(show(ev, "prev_state"), "Z") &&
	   !strcmp(show(ev, "next_comm"), "kthreadd"), "a record of seed 003's kernel");
	stable_map_free(m);
	trace_free(t);
}

static void test_symbols(void)
{
	struct trace *t = trace_new(true, 4);
	const struct etype *type = raw(t, "irq", "softirq_entry", "unsigned int vec;8;4;0\n",
		"\"vec=%d [action=%s]\", REC->vec, __print_symbolic(REC->vec, "
		"{ HI_SOFTIRQ, \"HI\" }, { TIMER_SOFTIRQ, \"TIMER\" }, "
		"{ NET_TX_SOFTIRQ, \"NET_TX\" }, "
		"{ BLOCK_SOFTIRQ, \"BLOCK\" }, { BLOCK_IOPOLL_SOFTIRQ, \"BLOCK_IOPOLL\" }, "
		"{ RCU_SOFTIRQ, \"RCU\" })");
	static const struct { unsigned vec; const char *name;
	} all[] = {
		{ 0, "HI" }, { 1, "TIMER" }, { 2, "NET_TX" }, { 4, "BLOCK" },
		{ 5, "BLOCK_IOPOLL" }, { 9, "RCU" }, { 3, "3" }, { 10, "10" },
		{ 4294967295u, "4294967295" },
	};
	struct stable_map *m = map_of(t, "softirq", "enter", type);

	if (!m)
		bail("%s", t->why);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		put(t, 8, all[i].vec, 4);
		STR(run(t, m), "name", all[i].name, "a softirq of a 3.x kernel, named by words");
	}
	stable_map_free(m);
	trace_free(t);
}

static void test_letters(void)
{
	struct trace *t = trace_new(false, 8);
	const struct etype *type;
	struct letters l;
	struct err e;

#define LETTERS(print) (type = raw(t, "s", "l", "long a;8;8;1\nlong b;16;8;1\n", print), \
	etype_resolve(t->c, type, &e), letters_read(type, field_find(type, "a"), &l))
#define MARK(print) (type = raw(t, "s", "l", "long a;8;8;1\nlong b;16;8;1\n", print), \
	etype_resolve(t->c, type, &e), mark_read(type, field_find(type, "a")))
	ok(!LETTERS("\"%d\", REC->a"), "a format without a table has no letters");
	ok(!LETTERS("\"%s\", __print_flags(REC->b, \"|\", { 1, \"S\" })"),
	   "a table of another field is none of it (else: its letters are shown)");
	ok(!LETTERS("\"%s\", __print_flags(REC->a, \"|\", { 1, \"SLEEP\" })"),
	   "words are no letters");
	ok(!LETTERS("\"%s\", __print_flags(REC->a, \"|\", { 1, \"1\" })"), "digits are none");
	ok(!LETTERS("\"%s\", __print_symbolic(REC->a, { 1, \"S\" })"), "symbols are not bits");
	ok(!LETTERS("\"%s\", __print_flags(REC->a << 1, \"|\", { 1, \"S\" })"),
	   "bits that were moved are others");
	ok(!LETTERS("\"%s\", __print_flags(REC->a & REC->b, \"|\", { 1, \"S\" })"),
	   "a mask that differs from record to record is none");
	ok(LETTERS("\"%s %s\", __print_flags(REC->b, \"|\", { 1, \"X\" }), REC->a & 3 ? "
		   "__print_flags(REC->a & 3, \"|\", { 4, \"W\" }, { 2, \"D\" }) : \"r\", "
		   "unknown_function(REC->b)") && l.n == 1 && l.of[0].letter == 'D' &&
	   l.none == 'r',
	   "the right one of two tables, before an argument that cannot be parsed");
	is_u64(letters_of(&l, 6), 'D', "of 6 that is D");
	is_u64(letters_of(&l, 4), 'r', "and 4 is beyond the mask");
	is_u64(MARK("\"%s\", REC->a & 256 ? \"+\" : \"\""), 256, "a mark");
	is_u64(MARK("\"%s\", REC->a & 256 ? \"-\" : \"\""), 0, "another sign is no mark");
	is_u64(MARK("\"%s\", REC->b & 256 ? \"+\" : \"\""), 0, "nor is that of another field");
	is_u64(MARK("\"%s\", REC->a ? \"+\" : \"\""), 0, "all bits are no mark");
	is_u64(MARK("\"%s\", (REC->a & 256) != 0 ? \"+\" : \"\""), 256, "a mask and != 0");
	is_u64(MARK("\"%s\", (REC->a & 256) != 2 ? \"+\" : \"\""), 0, "another number is none");
	is_u64(MARK("\"%s\", (256 & REC->a) ? \"+\" : \"\""), 256, "the mask may stand first");
	trace_free(t);
}

/* ---------------------------------------------------------------- numbers */

static const char numbers[] =
	"u8 a8;8;1;0\ns8 b8;9;1;1\nu16 a16;10;2;0\ns16 b16;12;2;1\nu32 a32;16;4;0\n"
	"int b32;20;4;1\nu64 a64;24;8;0\ns64 b64;32;8;1\nchar text[8];40;8;1\nu16 v[4];48;8;0\n"
	"char rwbs[8];56;8;1\nu8 bytes[4];64;4;0\nchar one;68;1;1\n__data_loc char[] dyn;72;4;1\n"
	"__data_loc u32[] nums;76;4;0\n__rel_loc char[] rel;80;4;1\n__data_loc cpumask_t "
	"m;84;4;0\n";

static void put_numbers(struct trace *t)
{
	put(t, 8, 200, 1);
	put(t, 9, (uint64_t)-3, 1);
	put(t, 10, 60000, 2);
	put(t, 12, (uint64_t)-300, 2);
	put(t, 16, 4000000000u, 4);
	put(t, 20, (uint64_t)-70000, 4);
	put(t, 24, 0xfedcba9876543210, 8);
	put(t, 32, (uint64_t)-1, 8);
	put_str(t, 40, "text", 8);
	for (unsigned i = 0; i < 4; i++)
		put(t, 48 + 2 * i, 0x1230 + i, 2);
	put_str(t, 56, "WS", 8);
	memcpy(t->rec + 64, "\1\2\3\4", 4);
	t->rec[68] = 'c';
	put(t, 72, 6 << 16 | 88, 4);
	put_str(t, 88, "hello", 6);
	put(t, 76, 8 << 16 | 96, 4);
	put(t, 96, 0xaabbccdd, 4);
	put(t, 100, 7, 4);
	put(t, 80, 4 << 16 | 20, 4);
	put_str(t, 104, "rel", 4);
	put(t, 84, 0, 4);
	t->ev.size = 108;
}

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
#define DYN "dynamic:char n; size:8; "

/* A line, what it reads, what its source is said to be (NULL: it is refused). */
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
	{ U(12) "= a8", "200", "a8" }, { U(7) "= a8 clip", "72", "a8 (clipped to 7 bits)" },
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
		unsigned byte =
			__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 - i % size : i % size;

		snprintf(out + 2 * i, 3, "%02x", (unsigned)(values[i / size] >> 8 * byte & 0xff));
	}
	return out;
}

static const char several[] = "\"%s %s %s %s %s\", REC->a8 & 8 ? \"+\" : \"\", "
	"REC->b8 & 256 ? \"+\" : \"\", "
	"__print_flags(REC->a8, \"|\", { 1, \"S\" }, { 64, \"Z\" }), "
	"__print_symbolic(REC->a16, { 60000, \"big\" }, { 1, \"one\" }, { 60000, \"late\" }), "
	"__print_symbolic(REC->b16, { -300, \"minus\" })";

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

/* A record behind a longer one: nothing of that may be left. */
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
	static const struct { const char *rwbs; int rw;
	} all[] = {
		{ "R", 0 }, { "W", 1 }, { "RA", 0 }, { "WS", 1 }, { "WFS", 1 }, { "FF", 1 },
		{ "FWS", 1 }, { "FR", 0 }, { "FN", 0 }, { "N", 0 }, { "D", 1 }, { "DS", 1 },
		{ "F", 1 }, { "FWFSM", 1 }, { "ZR", 1 }, { "", 0 },
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
	static const struct { const char *uname, *name, *source;
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

	define(t, "event x::e\npurpose p\nfrom s:a | s:b\nfrom s:a | s:c\n" S(32) "\n"
	       "event x::w\npurpose p\nfrom s:b\nfrom s:c where n > 5 and n < 9\n"
	       S(32) "\nfield:u8 is_c; size:8; = from(s:c)\n");
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
	   stable_available(ev, t->c, &t->s, why, sizeof(why)) && stable_takes(ev, t->c, same) < 0,
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

/* ---------------------------------------------------------------- strings of all kinds */

static void test_old_strings(void)
{
	for (unsigned big = 0; big < 2; big++) {
		struct trace *t = trace_new(big, 4);
		const struct etype *type;
		struct stable_map *m;
		const struct event *ev;

		/* 2.6.29 to 2.6.31: an offset of 16 bits; and a text to the record's end. */
		type = raw(t, "s", "r", "__data_loc char[] name;8;2;0\nchar buf[];12;0;1\n",
			   "\"%s\", __get_str(name)");
		define_line(t,
			    DYN "= name\narray:char buf; size:8; count:4;\ndynamic:u8 raw; size:8; "
				"= buf\n");
		m = map_of(t, "x", "e", type);
		if (!ok(m, "old strings can be had")) {
			diag("%s", t->why);
			trace_free(t);
			continue;
		}
		put(t, 8, 16, 2);
		put_str(t, 12, "abc", 4);
		put_str(t, 16, "eth0", 5);
		t->ev.size = 21;
		ev = run(t, m);
		STR(ev, "n", "eth0", "a name by its offset");
		STR(ev, "buf", "abc", "a text to the end, up to its NUL");
		STR(ev, "raw", "616263006574683000", "all its bytes");
		put_str(t, 12, "0123456789abcdef", 16);
		put(t, 8, 20, 2);
		t->ev.size = 28;
		ev = run(t, m);
		STR(ev, "buf", "0123", "too long a text is cut to the promise");
		STR(ev, "n", "89abcdef", "a text that ends with its record");
		run(t, m);
		is_u64(nwarn, 1, "which is said once");
		is_u64(stable_map_cuts(m), 2, "and counted");
		has(notes, "x::e promises 4 items of buf, this record has 16: cut",
		    "with all there is to say");
		nwarn = 0;
		stable_map_free(m);
		trace_free(t);
	}
}

static void test_hostile(void)
{
	static const struct { uint32_t word; const char *what;
	} words[] = {
		{ 0xffffffff, "far outside" }, { 6 << 16 | 107, "one byte too far" },
		{ 1 << 16 | 500, "begins outside" }, { 108, "empty at the end" },
		{ 0, "all zero" }, { 100u << 16 | 8, "the whole record" },
	};
	struct trace *t = trace_new(false, 8);
	const struct etype *type = raw(t, "s", "r", numbers, several);
	struct stable_map *m;
	unsigned seed = 7;

	define_line(
		t, DYN
		"= dyn\narray:char c; size:8; count:4; = dyn\ndynamic:u64 v; size:64; = nums\n"
		"array:u32 w; size:32; count:2; = nums\ndynamic:char k; size:8; = \"constant\"\n"
		"dynamic:char r; size:8; = rel\nfield:u8 b; size:8; = rw(rwbs)\n");
	m = map_of(t, "x", "e", type);
	if (!m)
		bail("%s", t->why);
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct event *ev;

		put_numbers(t);
		put(t, 72, words[i].word, 4);
		ev = run(t, m);
		ok(i < 5 ? !strcmp(show(ev, "n"), "") : strlen(show(ev, "n")) > 0, "%s",
		   words[i].what);
		STR(ev, "r", "rel", "its neighbour is whole (else: one locator spoils them all)");
		STR(ev, "k", "constant", "so is a constant");
	}
	is_u64(ndamage, 2, "the first of each field is said");
	is_u64(t->notes.damage, 6, "and all are counted");
	has(notes,
	    "x.dat: offset 0x40: s:r: field dyn points outside of its record: taken as empty",
	    "with its place");
	for (unsigned i = 0; i < 50000; i++) {
		const struct event *ev;

		put_numbers(t);
		for (unsigned k = 0; k < 40; k++) {
			seed = seed * 1103515245 + 12345;
			t->rec[8 + (seed >> 8) % 100] = seed >> 20;
		}
		t->ev.size = type->fixed + (seed >> 9) % 100;
		ev = run(t, m);
		if (!strcmp(show(ev, "n"), "outside") || !strcmp(show(ev, "v"), "outside") ||
		    !strcmp(show(ev, "r"), "outside") || strcmp(show(ev, "k"), "constant"))
			return (void)ok(false, "record %u gives what cannot be read", i);
	}
	ok(true, "50,000 damaged records give records that are whole");
	stable_map_free(m);
	trace_free(t);
}

/* More dynamic data than 16 bits of offset can reach. */
static void test_long(void)
{
	struct trace *t = trace_new(false, 8);
	const struct etype *type = raw(t, "s", "r",
				       "__data_loc char[] a;8;4;1\n"
				       "__data_loc char[] b;12;4;1\n__data_loc u8[] c;16;4;0\n",
				       "\"\"");
	uint32_t size = 20 + 3 * 40000;
	uint8_t *big = malloc(size);
	struct stable_map *m;
	const struct event *ev;
	struct event raw_ev = t->ev;
	struct span s;

	define_line(t, "dynamic:char a; size:8;\ndynamic:char b; size:8;\ndynamic:u8 c; size:8;\n");
	m = map_of(t, "x", "e", type);
	memset(big, 'x', size);
	put(t, 8, 40000u << 16 | 20, 4);
	put(t, 12, 30000u << 16 | 30000, 4);
	put(t, 16, 100u << 16 | 20, 4);
	memcpy(big, t->rec, 20);
	raw_ev.data = big;
	raw_ev.size = size;
	ev = stable_map_event(m, &raw_ev);
	ok(field_span(field_find(ev->type, "a"), ev, &s) && s.len == 40001, "a long text is whole");
	ok(field_span(field_find(ev->type, "b"), ev, &s) && s.len == 65535 - 12 - 40001 &&
	   s.p[s.len - 1] == 0, "the next gets the room that is left, and its NUL");
	ok(field_span(field_find(ev->type, "c"), ev, &s) && s.len == 0, "the last one none");
	ok(ev->size == 65535 && nwarn == 2, "which is said");
	stable_map_free(m);
	free(big);
	trace_free(t);
}

/* Print formats that somebody made to hurt: the sanitizers are the judges, and time. */
static void test_hostile_formats(void)
{
	static const char print[] = "\"%s %s\", REC->a & (((0x1 | 0x2) + 1) << 1) ? __print_flags("
				    "REC->a & (4-1), \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
				    "REC->a & 4 ? \"+\" : \"\", "
				    "__print_symbolic(REC->a, { 1, \"one\" }, { 2, \"two\" })";
	unsigned seed = 3, found = 0;
	struct arena a = { 0 };
	char *deep = malloc(60000);
	struct trace *t;
	const struct etype *type;
	struct letters l;
	struct err e;
	unsigned n;

	for (unsigned i = 0; i < 20000; i++) {
		char text_[sizeof(print)];

		memcpy(text_, print, sizeof(print));
		for (unsigned k = 0; k < 1 + i % 4; k++) {
			seed = seed * 1103515245 + 12345;
			text_[(seed >> 8) % (sizeof(print) - 1)] =
				print[(seed >> 3) % (sizeof(print) - 1)];
		}
		t = trace_new(false, 8);
		type = raw(t, "s", "r", "long a;8;8;1\n", text_);
		if (etype_resolve(t->c, type, &e) == 0 && field_find(type, "a")) {
			found += letters_read(type, field_find(type, "a"), &l);
			found += mark_read(type, field_find(type, "a")) != 0;
			found += symbols_read(type, field_find(type, "a"), &a, &n) != NULL;
		}
		trace_free(t);
		if (i % 64 == 0)
			arena_fini(&a);
	}
	ok(found > 1000, "20,000 damaged print formats (%u tables found)", found);
	t = trace_new(false, 8);
	memset(deep, '(', 12000);
	snprintf(deep + 12000, 100, "REC->a");
	type = raw(t, "s", "r", "long a;8;8;1\n", deep);
	etype_resolve(t->c, type, &e);
	ok(!field_find(type, "a") || !mark_read(type, field_find(type, "a")),
	   "a nest of 12,000 parentheses");
	trace_free(t);
	free(deep);
	arena_fini(&a);
}

int main(void)
{
	test_switch();
	test_seed();
	test_symbols();
	test_letters();
	test_lines();
	test_leftovers();
	test_signs();
	test_clip();
	test_rw();
	test_syscalls();
	test_from();
	test_refused();
	test_old_strings();
	test_hostile();
	test_long();
	test_hostile_formats();
	return tap_done();
}
