// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names: a made saved_cmdlines, and this process itself.  Without it tasks of a recording are
 * "<...>", or have the names of earlier tasks with the same pid.
 *
 * of: record/task_names.c
 */
#include "record/task_names.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

static void saved(const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/saved_cmdlines", root);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		diag("cannot write %s", path);
}

/* The line of PID in TEXT is "PID NAME"; NULL: there is none. */
static bool line_is(const char *text, pid_t pid, const char *name)
{
	char want[64], *all;
	bool there;

	if (name)
		snprintf(want, sizeof(want), "\n%d %s\n", (int)pid, name);
	else
		snprintf(want, sizeof(want), "\n%d ", (int)pid);
	if (asprintf(&all, "\n%s", text) < 0)
		return false;
	there = strstr(all, want);
	free(all);
	return there == (name != NULL);
}

static void count_name(void *arg, pid_t pid, const char *name)
{
	unsigned *n = arg;

	if (strcmp(name, "learned"))
		diag("%d %s", (int)pid, name);
	(*n)++;
}

/* A PID namespace: /proc has other tasks under these numbers. */
static void test_without_proc(void)
{
	struct names *n;
	const char *text;
	unsigned known = 0;
	char line[64];
	size_t len;

	snprintf(line, sizeof(line), "%d outside\n7 old\n8 of old\n", (int)getpid());
	saved(line);
	n = names_new(root, true, false);
	names_learn(n, 8, "learned", 7);
	names_each(n, count_name, &known);
	is_u64(known, 1, "only what was learned is sure (else: a new task gets an old name)");
	names_update(n, &text, &len);
	ok(line_is(text, getpid(), "outside") && line_is(text, 7, "old"),
	   "the kernel's list has the others (else: they are \"<...>\", or called as ours are)");
	ok(line_is(text, 8, NULL), "but not what is passed on with its time");
	saved("7 new\n8 newer\n");
	names_all(n, &text, &len);
	ok(line_is(text, 7, "new") && line_is(text, 8, "learned"),
	   "a change counts, unless its time is known (else: names are out of date)");
	names_free(n);
}

/* More tasks than any kernel has at a time, as a recorder sees in some days. */
static void test_many(void)
{
	enum { FIRST = 5000000, TASKS = 1200000 };
	struct names *n = names_new(root, true, true);
	const char *text;
	char last[32];
	size_t len;

	for (int i = 0; i < TASKS; i++) {
		snprintf(last, sizeof(last), "n%d", i);
		names_learn(n, FIRST + i, last, strlen(last));
	}
	names_all(n, &text, &len);
	ok(line_is(text, FIRST + TASKS - 1, last),
	   "a new task has a name after a million others (else: it is \"<...>\" from then on)");
	ok(line_is(text, getpid(), "one of us"), "a task that lives keeps its own");
	ok(line_is(text, FIRST, NULL) && len < 300000 * 20,
	   "those that have ended are forgotten (else: memory and each file grow with them)");
	names_free(n);
}

int main(void)
{
	const char *text;
	struct names *n;
	size_t len;
	pid_t dead;

	if (tap_emulated())
		return tap_skip("an emulator's own threads and names are in /proc");
	dead = fork();
	if (!dead)
		_exit(0);
	waitpid(dead, NULL, 0);
	tap_template(root, sizeof(root), "/tmp", "names");
	if (!mkdtemp(root))
		return 1;
	test_without_proc();
	prctl(PR_SET_NAME, "one of us");
	{
		char line[64];

		snprintf(line, sizeof(line), "%d stale\n%d of old\n", (int)dead, (int)getpid());
		saved(line);
	}
	n = names_new(root, false, true);
	names_update(n, &text, &len);
	ok(len == strlen(text), "the length is that of the text (else: lines are cut off)");
	ok(line_is(text, getpid(), "one of us"),
	   "a task that lives has its own name (else: it is \"<...>\" until it is switched to)");
	ok(line_is(text, dead, NULL),
	   "what the kernel remembers of before is not taken (else: a new task gets an old name)");

	names_update(n, &text, &len);
	ok(!len, "nothing new, no lines (else: a live stream repeats all names every second)");
	{
		char line[160];

		snprintf(line, sizeof(line),
			 "%d stale\n%d exec ed\n4194000 fresh one\n0 zero\nx\n"
			 "4194001 <...>\n4194002 sixteen bytes and more",
			 (int)dead, (int)getpid());
		saved(line);
	}
	names_update(n, &text, &len);
	ok(line_is(text, getpid(), "exec ed") && line_is(text, 4194000, "fresh one"),
	   "a changed line is news (else: a task that execs keeps its shell's name)");
	ok(line_is(text, dead, NULL) && line_is(text, 4194001, NULL) && line_is(text, 0, NULL),
	   "an unchanged one, a lost name and the idle task are none");
	ok(line_is(text, 4194002, "sixteen bytes a"),
	   "a name has fifteen bytes, as in the kernel (else: a reader's buffer decides)");
	ok(strstr(text, "\n4194000 ") < strstr(text, "\n4194002 "), "lines are sorted by task");
	{
		char line[200];

		prctl(PR_SET_NAME, "two\nlines");
		snprintf(line, sizeof(line),
			 "4194003 a\nb\n\n4194004 plain\n4194005 \n"
			 "4194006 c\n4194007 d\n4194006 c\nof nine\n");
		saved(line);
	}
	names_update(n, &text, &len);
	ok(line_is(text, 4194003, "a\nb\n") && line_is(text, 4194004, "plain"),
	   "a line without a number goes on with the name before it (else: the name is cut)");
	ok(line_is(text, 4194006, "c\nof nine") && line_is(text, 4194007, "d"),
	   "of two names of a task the last counts");
	ok(strstr(text, "4194003 ") > strstr(text, "4194007 ") && strstr(text, "4194003 "),
	   "names with newlines stand last (else: trace-cmd knows none of those behind)");
	prctl(PR_SET_NAME, "x\n4194004 y");
	names_all(n, &text, &len);
	ok(line_is(text, getpid(), "x?4194004 y") && line_is(text, 4194004, "plain"),
	   "no name makes a line of another task (else: anybody renames anybody)");
	prctl(PR_SET_NAME, "two\nlines");
	names_all(n, &text, &len);
	ok(line_is(text, getpid(), "two\nlines"), "a name with a newline comes from /proc whole");
	prctl(PR_SET_NAME, "one of us");
	test_many();
	names_all(n, &text, &len);
	ok(line_is(text, 4194000, "fresh one") &&
		   line_is(text, 1, NULL) == (getpid() == 1 || access("/proc/1/comm", R_OK) != 0),
	   "in the end all are told (else: a trace.dat has the last "
	   "second's only)");
	names_free(n);
	{
		char path[128];

		snprintf(path, sizeof(path), "%s/saved_cmdlines", root);
		unlink(path);
		n = names_new(root, false, true);
		names_update(n, &text, &len);
		ok(line_is(text, getpid(), "one of us"),
		   "without the kernel's list the living remain");
		names_free(n);
		rmdir(root);
	}
	return tap_done();
}
