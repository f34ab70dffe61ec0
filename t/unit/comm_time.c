// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_time: names with their times, as bytes and in the machine.  Without it a task that lived for
 * a millisecond has no name, and one that changed its name has the wrong one for half of its life.
 *
 * of: trace/comms/comm_log.c trace/comms/comm_history.c trace/machine.c
 */
#include "base/mem.h"
#include "trace/comms/comm_log.h"
#include "trace/comms/comm_history.h"
#include "trace/machine.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

static void put(struct comm_log_buf *b, uint64_t ts, int32_t pid, const char *name)
{
	comm_log_put(b, ts, pid, name, strlen(name));
}

static void test_bytes(void)
{
	static const uint8_t want[] = { 8,    7,    6,	  5,	4, 3,	2,    1,
					0x78, 0x56, 0x34, 0x12, 3, 'a', '\n', 'c' };
	struct comm_log_buf b = { 0 };
	struct comm_record r;
	size_t at = 0, len, lines_len;
	uint8_t *sorted;
	char *lines, long_name[300];

	put(&b, 0x0102030405060708, 0x12345678, "a\nc");
	ok(b.len == sizeof(want) && !memcmp(b.p, want, sizeof(want)),
	   "a record has the bytes that the header tells (else: nobody else can read them)");
	for (len = 0; len < b.len; len++) {
		at = 0;
		if (comm_log_next(b.p, len, &at, &r))
			break;
	}
	is_u64(len, b.len, "no record that is cut is read (else: bytes behind it are)");
	at = 0;
	ok(comm_log_next(b.p, b.len, &at, &r) && r.ts == 0x0102030405060708 &&
		   r.pid == 0x12345678 && r.len == 3 && !memcmp(r.name, "a\nc", 3) && at == b.len,
	   "a whole one is");
	b.p[14] = '\0';
	at = 0;
	ok(!comm_log_next(b.p, b.len, &at, &r) && at == 0, "a name with a NUL is none");
	b.len = 0;
	put(&b, 30, 3, "late");
	put(&b, 10, 1, "first");
	put(&b, 30, 4, "later");
	put(&b, 0, 2, "ever\x1b[m\nx");
	memset(long_name, 'x', sizeof(long_name));
	comm_log_put(&b, 20, 5, long_name, sizeof(long_name));
	sorted = comm_log_sort(b.p, b.len, &len);
	is_u64(len, b.len, "sorting loses nothing");
	at = 0;
	for (unsigned i = 0; i < 5; i++) {
		static const int pids[] = { 2, 1, 5, 3, 4 };

		ok(comm_log_next(sorted, len, &at, &r) && r.pid == pids[i],
		   "number %u by time (else: a name comes after its events)", i);
	}
	lines = comm_log_lines(sorted, len - 20, &lines_len);
	ok(!strncmp(lines, "2 ever\x1b[m?x\n1 first\n5 xxx", 25) && lines[lines_len - 1] == '\n',
	   "as lines: one each, whatever is in a name (else: one name costs others)");
	free(lines);
	free(sorted);
	free(b.p);
}

static int text(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	struct comm_log_buf *b = arg;

	*p = (const char *)b->p;
	*len = which == TEXT_CMDLINES ? b->len : 0;
	return 0;
}

static uint64_t doubled(void *arg, uint64_t stamp)
{
	return 2 * stamp;
}

static void test_log(void)
{
	static const struct machine_ops ops = { .text = text, .shown = doubled };
	static const char lines[] = "7 seven at the end\n8 eight\0" COMM_LOG_MAGIC;
	struct comm_log_buf b = { .len = sizeof(lines) - 1 };
	struct machine s;

	b.p = mem_grow(NULL, &b.cap, b.len, 1);
	memcpy(b.p, lines, b.len);
	put(&b, 0, 7, "seven");
	put(&b, 10, 7, "seven\n8 evil");
	put(&b, 10, 9, "nine");
	put(&b, 15, 7, "seven at the end");
	machine_init(&s, &ops, &b, NULL);
	is_str(machine_comm(&s, 7), "seven", "what held since ever holds at the start");
	is_str(machine_comm(&s, 9), "<...>", "a task that is yet to come has no name");
	machine_go_on(&s, 19);
	is_str(machine_comm(&s, 7), "seven", "nothing changes before its time");
	machine_go_on(&s, 20);
	is_str(machine_comm(&s, 7), "seven\n8 evil",
	       "at its time it does, by the times that are shown");
	is_str(machine_comm(&s, 8), "eight", "a name with a newline is nobody else's");
	is_str(machine_comm(&s, 9), "nine", "two of one time");
	machine_saw_comm(&s, 9, "event", 5, SAW_NOW);
	is_str(machine_comm(&s, 9), "nine", "events know no better than who watched");
	machine_go_on(&s, 1000);
	is_str(machine_comm(&s, 7), "seven at the end", "the last one");
	is_str(machine_comm_untimed(&s, 9), "<...>",
	       "who reads the text alone sees the text alone");
	ok(!machine_is_told(&s), "and so does -f report");
	machine_fini(&s);
	free(b.p);
}

static void test_told(void)
{
	static const struct machine_ops ops = { .text = text };
	struct comm_log_buf b = { .p = (uint8_t *)mem_strdup("1 one\n"), .len = 6 };
	char name[300];
	struct machine s, other;

	machine_init(&s, &ops, &b, NULL);
	machine_init(&other, &ops, &b, NULL);
	other.named = &s;
	machine_watch_comms(&s);
	machine_tell_comm(&s, 300, 1, "C", 1);
	machine_tell_comm(&s, 100, 1, "A", 1);
	machine_tell_comm(&s, 200, 1, "B", 1);
	machine_tell_comm(&s, 200, 1, "B, later", 8);
	is_str(machine_comm(&s, 1), "one", "what is told for later is not now");
	for (unsigned i = 0; i < 5; i++) {
		static const char *const want[] = { "one", "A", "A", "B, later", "C" };
		static const uint64_t at[] = { 99, 100, 199, 200, 5000 };

		machine_go_on(&s, at[i]);
		is_str(machine_comm(&other, 1), want[i],
		       "each at its time, in whatever order told");
	}
	machine_tell_comm(&s, 400, 1, "D", 1);
	machine_go_on(&s, 5000);
	is_str(machine_comm(&s, 1), "D", "one that comes too late is taken at once");
	machine_learn_comm(&s, 1, "by a line", 9);
	is_str(machine_comm(&s, 1), "D", "a list without times does not replace it");
	memset(name, 'n', sizeof(name));
	for (int i = 0; i < 1100000; i++)
		machine_tell_comm(&s, 10000 + i, i % 50 + 10, name, i % 300);
	machine_go_on(&s, 5001);
	ok(strcmp(machine_comm(&s, 10), "<...>"), "of what waits a million are kept, not more");
	machine_go_on(&s, UINT64_MAX);
	is_u64(strlen(machine_comm(&s, 10 + 49)), 1099999 % 300, "the last one of a task wins");
	for (int pid = 1000; pid < 1000 + 1100000; pid++)
		machine_tell_comm(&s, 0, pid, name, 5);
	is_str(machine_comm(&s, 1000 + 1099999), "nnnnn",
	       "of a million tasks the newest are known");
	is_str(machine_comm(&s, 1000), "<...>", "and the oldest give way");
	machine_fini(&s);
	machine_fini(&other);
	free(b.p);
}

static void test_saw(void)
{
	static const struct machine_ops ops = { .text = text };
	struct comm_log_buf b = { .p = (uint8_t *)mem_strdup("1 one\n"), .len = 6 };
	struct machine s;

	machine_init(&s, &ops, &b, NULL);
	ok(!machine_go_on(&s, 10), "nobody has asked");
	machine_saw_comm(&s, 1, "renamed", 7, SAW_AFTER);
	is_str(machine_comm(&s, 1), "one", "of a change of names: at that event still the old one");
	ok(machine_go_on(&s, 10), "somebody has asked (else: switches teach nothing)");
	is_str(machine_comm(&s, 1), "renamed", "the new one behind it, at the same time even");
	machine_saw_comm(&s, 1, "perhaps", 7, SAW_UNLESS_LISTED);
	machine_saw_comm(&s, 2, "perhaps", 7, SAW_UNLESS_LISTED);
	is_str(machine_comm(&s, 1), "renamed", "what may be wrong does not replace a name");
	is_str(machine_comm(&s, 2), "perhaps", "but is better than none");
	machine_saw_comm(&s, 2, "per", 3, SAW_UNLESS_LISTED);
	is_str(machine_comm(&s, 2), "per", "a beginning of the old name is another name");
	ok(!machine_go_on(&s, 11) && !machine_is_told(&s),
	   "that was said once; -f report is as ever");
	machine_fini(&s);
	free(b.p);
}

int main(void)
{
	test_bytes();
	test_log();
	test_told();
	test_saw();
	return tap_done();
}
