// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * states: letters, marks and names from the print formats of many kernels, in both byte orders and
 * word sizes.  Without it a state could be that of another kernel, and nobody would notice.
 *
 * of: stable
 */
#include "t/lib/c/stabletry.h"

/* clang-format off */
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
/* 4.14 itself stores the number of the state, 0 to 8, and describes bits. */
static const char k4_14_0[] = SW "REC->prev_state & (0x1000-1) ? __print_flags(REC->prev_state & "
	"(0x1000-1), \"|\", { 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, "
	"{ 0x10, \"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", "
	"REC->prev_state & 0x1000 ? \"+\" : \"\"" NEXT;
/* The mark alone does not make it that kernel: the letters are those of 4.13. */
static const char k4_13[] = SW "REC->prev_state & (0x1000-1) ? __print_flags(REC->prev_state & "
	"(0x1000-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, "
	"{ 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, "
	"{ 1024, \"N\" }) : \"R\", REC->prev_state & 0x1000 ? \"+\" : \"\"" NEXT;
/* The library loses the parenthesis here; the casts are what later kernels may have. */
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
	{ "4.14 itself", k4_14_0, { { 0, 'R' }, { 1, 'S' }, { 2, 'D' }, { 3, 'T' }, { 5, 'X' },
				    { 6, 'Z' }, { 8, 'I' }, { 0x1000, 'R' } }, 0x1000 },
	{ "4.14 itself, more", k4_14_0, { { 4, 't' }, { 7, 'P' }, { 0x1000, 'R' }, { 9, 'R' },
					  { 0x1001, 'R' }, { 0, 'R' }, { 256, 'R' }, { 8, 'I' } },
	  0x1000 },
	{ "4.13", k4_13, { { 0, 'R' }, { 1, 'S' }, { 3, 'S' }, { 8, 't' }, { 16, 'Z' }, { 6, 'D' },
			   { 0x1000, 'R' }, { 5, 'S' } }, 0x1000 },
	{ "an odd one", k_odd, { { 0, 'R' }, { 1, 'S' }, { 16, 'X' }, { 32, 'Z' }, { 0x400, 'R' },
				 { 0x121, 'S' }, { 0x200, 'R' }, { 0x410, 'X' } }, 0x300 },
};
/* clang-format on */

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
	put(t, 28, 121, 4);
	put_str(t, next, "sixteen bytes on", 16);
	put(t, next + 16, 4321, 4);
	put(t, next + 20, 99, 4);
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
			 !kernels[k].mark	 ? "undef" :
			 state & kernels[k].mark ? "+" :
						   "-");
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
		   ev->off == 0x40 && ev->from == &t->from,
	   "when and where are the record's");
	NUM(ev, "prev_prio", 121, "prev_prio");
	NUM(ev, "next_prio", 99, "next_prio");
	ok(!field_find(ev->type, "expected_prio") && !field_find(ev->type, "common_pid"),
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
	const struct etype *type =
		raw(t, "sched", "sched_switch",
		    "int common_lock_depth;8;4;1\nchar prev_comm[TASK_COMM_LEN];12;16;1\n"
		    "pid_t prev_pid;28;4;1\nint prev_prio;32;4;1\nlong prev_state;40;8;1\n"
		    "char next_comm[TASK_COMM_LEN];48;16;1\npid_t next_pid;64;4;1\n"
		    "int next_prio;68;4;1\n",
		    k2_6_36);
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
		   !strcmp(show(ev, "next_comm"), "kthreadd"),
	   "a record of seed 003's kernel");
	stable_map_free(m);
	trace_free(t);
}

static void test_symbols(void)
{
	struct trace *t = trace_new(true, 4);
	const struct etype *type =
		raw(t, "irq", "softirq_entry", "unsigned int vec;8;4;0\n",
		    "\"vec=%d [action=%s]\", REC->vec, __print_symbolic(REC->vec, "
		    "{ HI_SOFTIRQ, \"HI\" }, { TIMER_SOFTIRQ, \"TIMER\" }, "
		    "{ NET_TX_SOFTIRQ, \"NET_TX\" }, "
		    "{ BLOCK_SOFTIRQ, \"BLOCK\" }, { BLOCK_IOPOLL_SOFTIRQ, \"BLOCK_IOPOLL\" }, "
		    "{ RCU_SOFTIRQ, \"RCU\" })");
	static const struct {
		unsigned vec;
		const char *name;
	} all[] = {
		{ 0, "HI" },	{ 1, "TIMER" },	       { 2, "NET_TX" },
		{ 4, "BLOCK" }, { 5, "BLOCK_IOPOLL" }, { 9, "RCU" },
		{ 3, "3" },	{ 10, "10" },	       { 4294967295u, "4294967295" },
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

#define LETTERS(print) \
	(type = raw(t, "s", "l", "long a;8;8;1\nlong b;16;8;1\n", print), \
	 etype_resolve(t->c, type, &e), letters_read(type, field_find(type, "a"), &l))
#define MARK(print) \
	(type = raw(t, "s", "l", "long a;8;8;1\nlong b;16;8;1\n", print), \
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
		   "unknown_function(REC->b)") &&
		   l.n == 1 && l.of[0].letter == 'D' && l.none == 'r',
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

int main(void)
{
	test_switch();
	test_seed();
	test_symbols();
	test_letters();
	return tap_done();
}
