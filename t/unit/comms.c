// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms: names with their times, as bytes and as tasks have them.  Without it a task that lived for
 * a millisecond has no name, and one that changed its name has the wrong one for half of its life.
 *
 * of: trace/comms
 */
#include "base/mem.h"
#include "trace/comms/comm_log.h"
#include "trace/comms/comms.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>
#include <string.h>

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

static const char *list(void *arg, size_t *len)
{
	struct comm_log_buf *b = arg;

	*len = b->len;
	return (const char *)b->p;
}

static void left_out(void *arg, unsigned bad, unsigned more)
{
	ok(0, "%u lines and %u names are left out", bad, more);
}

static uint64_t doubled(void *arg, uint64_t stamp)
{
	return 2 * stamp;
}

/* The names of a recording with the list LINES, of LEN bytes, which is in B: to be freed. */
static struct comms *comms_of(struct comm_log_buf *b, const char *lines, size_t len,
			      uint64_t (*shown)(void *arg, uint64_t stamp))
{
	struct comms_source from = { .list = list, .left_out = left_out, .shown = shown, .arg = b };

	*b = (struct comm_log_buf){ .len = len };
	b->p = mem_grow(NULL, &b->cap, len, 1);
	memcpy(b->p, lines, len);
	return comms_new(&from);
}

static void test_log(void)
{
	static const char lines[] = "7 seven at the end\n8 eight\0" COMM_LOG_MAGIC;
	struct comm_log_buf b;
	struct comms *c = comms_of(&b, lines, sizeof(lines) - 1, doubled);

	put(&b, 0, 7, "seven");
	put(&b, 10, 7, "seven\n8 evil");
	put(&b, 10, 9, "nine");
	put(&b, 15, 7, "seven at the end");
	is_str(comms_recorded_name(c, 7), "seven",
	       "what held since ever holds at the start (else: the first event has the last name)");
	is_str(comms_name(c, 9), "<...>", "a task that is yet to come has no name");
	comms_advance(c, 19);
	is_str(comms_name(c, 7), "seven", "nothing changes before its time");
	comms_advance(c, 20);
	is_str(comms_name(c, 7), "seven\n8 evil",
	       "at its time it does, by the times that are shown");
	is_str(comms_name(c, 8), "eight", "a name with a newline is nobody else's");
	is_str(comms_name(c, 9), "nine", "two of one time");
	ok(!comms_needs(c, COMM_EVENT_RENAME), "events are not read");
	comms_event(c, COMM_EVENT_NEW, 9, "event", 5);
	is_str(comms_name(c, 9), "nine", "... as they know no better than who watched");
	comms_advance(c, 1000);
	is_str(comms_name(c, 7), "seven at the end", "the last one");
	is_str(comms_listed_name(c, 9), "<...>", "who reads the list alone sees the list alone");
	ok(!comms_are_streamed(c) && comms_may_change(c), "and so does -f report");
	comms_free(c);
	free(b.p);
}

static void test_set(void)
{
	struct comm_log_buf b;
	struct comms *c = comms_of(&b, "1 one\n", 6, NULL), *other = comms_share(c);
	char name[300];

	comms_expect_all(c);
	comms_set(c, 300, 1, "C", 1);
	comms_set(c, 100, 1, "A", 1);
	comms_set(c, 200, 1, "B", 1);
	comms_set(c, 200, 1, "B, later", 8);
	is_str(comms_name(c, 1), "one", "a name of a later time is not that of now");
	for (unsigned i = 0; i < 5; i++) {
		static const char *const want[] = { "one", "A", "A", "B, later", "C" };
		static const uint64_t at[] = { 99, 100, 199, 200, 5000 };

		comms_advance(c, at[i]);
		is_str(comms_name(c, 1), want[i], "each at its time, in whatever order they come");
	}
	comms_set(c, 400, 1, "D", 1);
	comms_advance(c, 5000);
	is_str(comms_name(c, 1), "D", "one that comes too late is taken at once");
	comms_learn(c, 1, "by a line", 9);
	is_str(comms_name(c, 1), "D", "a list without times does not replace it");
	memset(name, 'n', sizeof(name));
	for (int i = 0; i < 1100000; i++)
		comms_set(c, 10000 + i, i % 50 + 10, name, i % 300);
	comms_advance(c, 5001);
	ok(strcmp(comms_name(c, 10), "<...>"), "of what waits a million are kept, not more");
	comms_advance(c, UINT64_MAX);
	is_u64(strlen(comms_name(c, 10 + 49)), 1099999 % 300, "the last one of a task wins");
	for (int pid = 1000; pid < 1000 + 1100000; pid++)
		comms_set(c, 0, pid, name, 5);
	is_str(comms_name(c, 1000 + 1099999), "nnnnn", "of a million tasks the newest are known");
	is_str(comms_name(c, 1000), "<...>", "and the oldest give way");
	comms_free(c);
	is_str(comms_name(other, 1000 + 1099999), "nnnnn",
	       "names outlive the first of two users (else: a closed source frees another's)");
	comms_forget(other);
	is_str(comms_name(other, 1000 + 1099999), "<...>", "what was of other tasks is forgotten");
	is_str(comms_name(other, 1), "by a line", "... but for the list");
	comms_free(other);
	free(b.p);
}

static void test_events(void)
{
	struct comm_log_buf b;
	struct comms *c = comms_of(&b, "1 one\n", 6, NULL);

	ok(!comms_advance(c, 10), "no name was asked for");
	ok(!comms_needs(c, COMM_EVENT_SWITCH) && comms_needs(c, COMM_EVENT_EXEC),
	   "so that switches are not read (else: a run without names pays for them)");
	comms_event(c, COMM_EVENT_EXEC, 1, "perhaps", 7);
	comms_event(c, COMM_EVENT_EXEC, 2, "perhaps", 7);
	is_str(comms_name(c, 1), "one", "what may be wrong does not replace a listed name");
	is_str(comms_name(c, 2), "perhaps", "but is better than none");
	comms_event(c, COMM_EVENT_EXEC, 2, "per", 3);
	is_str(comms_name(c, 2), "per", "a beginning of the old name is another name");
	ok(comms_advance(c, 10), "a name was asked for (else: switches teach nothing)");
	ok(comms_needs(c, COMM_EVENT_SWITCH), "... which are read now");
	ok(comms_event(c, COMM_EVENT_RENAME, 1, "renamed", 7) && !comms_needs(c, COMM_EVENT_SWITCH),
	   "but not from the first change of a name on, which has an event of its own");
	is_str(comms_name(c, 1), "one", "at that event it is still the old one");
	comms_advance(c, 10);
	is_str(comms_name(c, 1), "renamed", "the new one after it, at the same time even");
	comms_event(c, COMM_EVENT_NEW, 1, "new", 3);
	is_str(comms_name(c, 1), "new", "a number that is used again has a new name at once");
	comms_event(c, COMM_EVENT_NEW, 0, "swapper", 7);
	is_str(comms_name(c, 0), "<idle>", "but for 0");
	ok(!comms_advance(c, 11) && !comms_are_streamed(c),
	   "that was said once; -f report is as ever");
	comms_replay(c, 1, "kept");
	is_str(comms_name(c, 1), "kept", "an event that was kept has the name of its time");
	is_str(comms_name(c, 2), "per", "... its task alone");
	comms_replay(c, 0, NULL);
	is_str(comms_name(c, 1), "new", "... and no longer than it is given");
	comms_free(c);
	free(b.p);
}

int main(void)
{
	test_bytes();
	test_log();
	test_set();
	test_events();
	return tap_done();
}
