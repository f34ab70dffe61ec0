// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroups: cgroups of tasks with their times, as bytes and as tasks have them, and the files of
 * /proc that they come from.  Without it an event is counted for the wrong container: that of its
 * task at the end, or of another task with its number.
 *
 * of: trace/cgroups kernel/cgroup_files.c
 */
#include "base/mem.h"
#include "kernel/cgroup_files.h"
#include "t/lib/c/tap.h"
#include "trace/cgroups/cgroup_path.h"
#include "trace/cgroups/cgroup_table.h"
#include "trace/cgroups/cgroups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cgroup_record in(uint64_t ts, int32_t pid, const char *path)
{
	return (struct cgroup_record){
		.ts = ts, .pid = pid, .len = (uint16_t)strlen(path), .path = path
	};
}

static void put(struct cgroup_log_buf *b, uint64_t ts, int32_t pid, const char *path)
{
	struct cgroup_record r = in(ts, pid, path);

	cgroup_log_put(b, &r);
}

static void put_like(struct cgroup_log_buf *b, uint64_t ts, int32_t pid, int32_t like)
{
	cgroup_log_put(b, &(struct cgroup_record){ .ts = ts, .pid = pid, .like = like });
}

static void test_bytes(void)
{
	static const uint8_t want[] = { 8, 7, 6, 5, 4, 3,   2,	 1, 0x78, 0x56, 0x34, 0x12, 0,
					0, 0, 0, 2, 0, '/', 'a', 9, 0,	  0,	0,    0,    0,
					0, 0, 5, 0, 0, 0,   4,	 0, 0,	  0,	0,    0 };
	struct cgroup_log_buf b = { 0 };
	struct cgroup_record r;
	size_t at = 0, len;
	char *path = mem_alloc(CGROUP_PATH_MAX + 1u);
	uint8_t *sorted;

	put(&b, 0x0102030405060708, 0x12345678, "/a");
	put_like(&b, 9, 5, 4);
	ok(b.len == sizeof(want) && !memcmp(b.p, want, sizeof(want)),
	   "records have the bytes that the header tells (else: other readers cannot read them)");
	for (len = 0; len < 20 && !cgroup_log_whole(b.p, len); len++)
		;
	is_u64(len, 20, "no record that is cut is read (else: bytes after it are)");
	ok(cgroup_log_next(b.p, b.len, &at, &r) && r.ts == 0x0102030405060708 &&
		   r.pid == 0x12345678 && !r.like && r.len == 2 && !memcmp(r.path, "/a", 2),
	   "a path");
	ok(cgroup_log_next(b.p, b.len, &at, &r) && r.ts == 9 && r.pid == 5 && r.like == 4 &&
		   !r.len && at == b.len,
	   "a task that is like another");
	for (unsigned i = 0; i < 5; i++) {
		static const struct {
			unsigned at;
			uint8_t byte;
			const char *what;
		} bad[] = { { 18, 'x', "a path that does not begin with a slash" },
			    { 19, 0, "a NUL in a path" },
			    { 11, 0x80, "a negative task" },
			    { 15, 0x80, "a negative other task" },
			    { 12, 1, "both a path and another task" } };
		uint8_t was = b.p[bad[i].at];

		b.p[bad[i].at] = bad[i].byte;
		ok(!cgroup_log_whole(b.p, b.len), "%s: invalid", bad[i].what);
		b.p[bad[i].at] = was;
	}
	memset(path, 'p', CGROUP_PATH_MAX + 1u);
	path[0] = '/';
	b.len = 0;
	cgroup_log_put(&b,
		       &(struct cgroup_record){ .pid = 1, .len = CGROUP_PATH_MAX, .path = path });
	cgroup_log_put(&b, &(struct cgroup_record){
				   .pid = 1, .len = CGROUP_PATH_MAX + 1u, .path = path });
	is_u64(cgroup_log_whole(b.p, b.len), 2 * CGROUP_LOG_HEAD + CGROUP_PATH_MAX,
	       "the longest path of a kernel, and no longer one (else: 64 KiB for each task)");
	b.len = 0;
	put(&b, 30, 3, "/late");
	put(&b, 10, 1, "/first");
	put_like(&b, 30, 4, 3);
	put(&b, 0, 2, "/ever");
	sorted = cgroup_log_sort(b.p, b.len, &len);
	is_u64(len, b.len, "sorting loses nothing");
	at = 0;
	for (unsigned i = 0; i < 4; i++) {
		static const int pids[] = { 2, 1, 3, 4 };

		ok(cgroup_log_next(sorted, len, &at, &r) && r.pid == pids[i],
		   "number %u by time (else: a task is like another before that is anywhere)", i);
	}
	free(sorted);
	free(path);
	free(b.p);
}

/* ---- the table ---- */

static void apply(struct cgroup_table *t, int32_t pid, const char *path)
{
	struct cgroup_record r = in(0, pid, path);

	cgroup_table_apply(t, &r);
}

static void apply_like(struct cgroup_table *t, int32_t pid, int32_t like)
{
	cgroup_table_apply(t, &(struct cgroup_record){ .pid = pid, .like = like });
}

static bool is_even(void *arg, int32_t pid)
{
	return pid % 2 == 0;
}

static void test_table(void)
{
	struct cgroup_table *t = cgroup_table_new(), *copy = cgroup_table_new();
	struct cgroup_log_buf log = { 0 };
	struct cgroup_record r;
	size_t at = 0;
	char path[32];

	apply(t, 1, "/a");
	apply(t, 2, "/a/b");
	apply_like(t, 3, 2);
	apply_like(t, 4, 99);
	is_str(cgroup_table_path(t, 3), "/a/b", "a new task is where its parent is");
	ok(!cgroup_table_path(t, 4) && !cgroup_table_path(t, 99),
	   "like one that is nowhere: unknown (else: it has the cgroup of some other task)");
	apply(t, 2, "/c");
	is_str(cgroup_table_path(t, 3), "/a/b", "a child stays where its parent was");
	is_str(cgroup_table_path(t, 2), "/c", "... when that is moved");
	apply_like(t, 3, 3);
	is_str(cgroup_table_path(t, 3), "/a/b", "like itself: as it was");
	apply(t, 3, "");
	ok(!cgroup_table_path(t, 3), "unknown from now on (else: it is where it was no more)");
	apply(t, 5, "/c");
	cgroup_table_log(t, &log);
	is_u64(log.len, 3 * CGROUP_LOG_HEAD + 4,
	       "as a log: each path once, unknown ones not at all");
	while (cgroup_log_next(log.p, log.len, &at, &r))
		cgroup_table_apply(copy, &r);
	is_str(cgroup_table_path(copy, 5), "/c", "... and all tasks are in it");
	is_str(cgroup_table_path(copy, 1), "/a", "... each with its own");
	cgroup_table_prune(t, is_even, NULL);
	ok(!cgroup_table_path(t, 1) && !cgroup_table_path(t, 5) &&
		   !strcmp(cgroup_table_path(t, 2), "/c") && cgroup_table_count(t) == 2,
	   "tasks that are forgotten are, and no others (else: those that live have none)");
	for (int i = 0; i < 3000; i++) {
		snprintf(path, sizeof(path), "/run-%d.scope", i);
		apply(t, 10, path);
	}
	is_str(cgroup_table_path(t, 10), "/run-2999.scope",
	       "thousands of paths, one after another");
	for (int i = 0; i < (int)CGROUP_TABLE_MAX + 10; i++)
		apply_like(t, 1000 + i, 2);
	is_u64(cgroup_table_count(t), CGROUP_TABLE_MAX, "of a million tasks the newest are kept");
	is_str(cgroup_table_path(t, 1000 + (int)CGROUP_TABLE_MAX - 3), "/c",
	       "... also one that is like the one that gives way to it");
	cgroup_table_free(t);
	cgroup_table_free(copy);
	free(log.p);
}

/* ---- at a time ---- */

static const uint8_t *given(void *arg, size_t *len)
{
	struct cgroup_log_buf *b = arg;

	*len = b->len;
	return b->p;
}

static uint64_t doubled(void *arg, uint64_t stamp)
{
	return 2 * stamp;
}

static struct cgroups *cgroups_of(struct cgroup_log_buf *b,
				  uint64_t (*shown)(void *arg, uint64_t stamp))
{
	return cgroups_new(&(struct cgroups_source){ .log = given, .shown = shown, .arg = b });
}

static void test_log(void)
{
	struct cgroup_log_buf b = { 0 };
	struct cgroups *c = cgroups_of(&b, doubled);

	put(&b, 0, 7, "/start");
	put_like(&b, 10, 8, 7);
	put(&b, 15, 7, "/moved");
	is_str(cgroups_path(c, 0, 7), "/start", "what holds since ever");
	ok(!cgroups_path(c, 19, 8) && cgroups_unknown(c) == 1,
	   "a task that is yet to come has none, which is counted");
	is_str(cgroups_path(c, 20, 8), "/start", "from its time on, as it is shown");
	is_str(cgroups_path(c, 29, 7), "/start", "nothing changes before its time");
	is_str(cgroups_path(c, 30, 7), "/moved", "... and at its time it does");
	is_str(cgroups_path(c, 31, 8), "/start", "a child stays");
	is_str(cgroups_path(c, 31, 0), "/", "the idle tasks are in the root");
	ok(cgroups_known(c) && cgroups_unknown(c) == 1, "known");
	cgroups_free(c);
	b.len = 0;
	c = cgroups_of(&b, NULL);
	ok(!cgroups_path(c, 5, 0) && !cgroups_path(c, 5, 7) && !cgroups_known(c),
	   "a recording without cgroups has none, for no task");
	is_u64(cgroups_unknown(c), 2, "... which is counted (else: \"?\" has no reason)");
	cgroups_free(c);
	free(b.p);
}

static void test_add(void)
{
	struct cgroup_log_buf b = { 0 };
	struct cgroups *c = cgroups_of(&b, NULL), *other = cgroups_share(c);
	struct cgroup_record r = in(300, 1, "/C");

	cgroups_add(c, 0, &r);
	r = in(100, 1, "/A");
	cgroups_add(c, 0, &r);
	r = (struct cgroup_record){ .ts = 200, .pid = 2, .like = 1 };
	cgroups_add(c, 0, &r);
	ok(!cgroups_path(c, 99, 1) && cgroups_known(c), "what comes early waits for its time");
	is_str(cgroups_path(c, 100, 1), "/A", "each at its time, in whatever order they come");
	is_str(cgroups_path(c, 200, 2), "/A", "... a child too");
	is_str(cgroups_path(c, 5000, 1), "/C", "the last one");
	is_str(cgroups_path(c, 10, 1), "/C", "time does not go back");
	r = in(0, 3, "/now");
	cgroups_add(c, 5000, &r);
	is_str(cgroups_path(c, 5000, 3), "/now", "without a time: from now on");
	for (int i = 0; i < 300000; i++) {
		r = (struct cgroup_record){ .ts = 10000 + (uint64_t)i,
					    .pid = i % 50 + 10,
					    .like = 1 };
		cgroups_add(c, 5001, &r);
	}
	ok(cgroups_path(c, 5002, 10), "of what waits 262,144 are kept, not more");
	cgroups_free(c);
	is_str(cgroups_path(other, UINT64_MAX, 10), "/C",
	       "they outlive the first of two users (else: a closed source frees another's)");
	cgroups_free(other);
	free(b.p);
}

/* ---- files, and paths that users write ---- */

/* The path of HIERARCHY in TEXT, with the hierarchy's number after it. */
static const char *line_of(const char *text, int hierarchy)
{
	static char shown[64];
	size_t len = 0;
	int id = hierarchy;
	const char *path = cgroup_line(text, hierarchy, &id, &len);

	if (!path)
		return "none";
	snprintf(shown, sizeof(shown), "%.*s %d", (int)len, path, id);
	return shown;
}

static void test_files(void)
{
	static const char hybrid[] = "12:pids:/user\n4:cpu,cpuacct:/work\n1:name=systemd:/sys\n"
				     "0::/user.slice/a b\n";

	is_str(line_of(hybrid, 0), "/user.slice/a b 0", "the line of v2, blanks and all");
	is_str(line_of(hybrid, 4), "/work 4", "that of a hierarchy of v1");
	is_str(line_of(hybrid, -1), "/work 4",
	       "that of the cpu controller (else: cpuset's is taken)");
	is_str(line_of(hybrid, 3), "none", "one that is not there");
	is_str(line_of("0::/gone (deleted)\n", 0), "/gone 0", "a cgroup that was removed");
	is_str(line_of("0::/last line", 0), "/last line 0", "a line without an end");
	is_str(line_of("3:cpuset,cpuacct:/x\n\nwhat\n7\n8:\n0:", -1), "none",
	       "lines of another form, and controllers that are not cpu");
	is_u64(cgroup_path_len("/a/b//"), 4, "slashes at the end do not count");
	ok(cgroup_path_is_in("/a/b", "/a", 2) && cgroup_path_is_in("/a", "/a", 2),
	   "in it and below");
	ok(!cgroup_path_is_in("/ab", "/a", 2) && !cgroup_path_is_in("/", "/a", 2),
	   "not beside it (else: system.slice-2 is in system.slice)");
	ok(cgroup_path_is_in("/", "", 0) && cgroup_path_is_in("/a", "", 0) &&
		   !cgroup_path_is_in("?", "", 0),
	   "all that are known are in the root");
}

int main(void)
{
	test_bytes();
	test_table();
	test_log();
	test_add();
	test_files();
	return tap_done();
}
