// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec_queue: a program is run for each file, as a script here writes down.  Without it an upload
 * that fails is not noticed, two run at once, or a recorder waits for one that hangs.
 *
 * of: base/exec_queue.c
 */
#include "base/exec_queue.h"
#include "base/mono.h"
#include "t/lib/c/tmpdir.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LONG (60ull * 1000000000) /* ns: no test waits for its end */

static char heard[16384];

static void hear(void *arg, enum note_level level, const char *text)
{
	size_t n = strlen(heard);

	snprintf(heard + n, sizeof(heard) - n, "%s%s\n", level == NOTE_DAMAGE ? "" : "? ", text);
}

static struct notes notes = { .say = hear };

static void put_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, mode);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bail("%s", at(name));
	close(fd);
}

static const char *log_text(void)
{
	static char text[16384];
	int fd = open(at("log"), O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* Wait until the log has TEXT. */
static bool logged(const char *text)
{
	uint64_t end = mono_ns() + LONG;

	while (!strstr(log_text(), text) && mono_ns() < end)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	return strstr(log_text(), text);
}

static struct exec_queue *begin(const char *program)
{
	struct exec_queue *q;
	struct err e;

	unlink(at("log"));
	unlink(at("go"));
	heard[0] = '\0';
	notes.damage = 0;
	q = execqueue_new(program, &notes, &e);
	if (!q)
		bail("%s", e.msg);
	return q;
}

static void put(struct exec_queue *q, const char *name)
{
	put_file(name, "x", 0600);
	execqueue_put(q, at(name));
}

static void test_runs(const char *program)
{
	static const char *const names[] = { "b", "a  c; echo $HOME *", "d" };
	struct exec_queue *q = begin(program);
	char want[2048] = "";

	for (unsigned i = 0; i < 3; i++) {
		size_t n = strlen(want);

		put(q, names[i]);
		snprintf(want + n, sizeof(want) - n, "begin %s\nend %s\n", at(names[i]),
			 at(names[i]));
	}
	execqueue_end(q, LONG);
	is_str(log_text(), want,
	       "each file, in order, one at a time, its name as it is (else: a shell reads it)");
	is_str(heard, "", "and nothing is reported");
	for (unsigned i = 0; i < 3; i++)
		unlink(at(names[i]));
}

static void test_failures(const char *program)
{
	struct exec_queue *q = begin(program);

	put(q, "fail");
	put(q, "kill");
	execqueue_put(q, at("missing"));
	put(q, "good");
	ok(logged("/good\n"), "the last of them runs");
	is_u64(execqueue_failed(q), 3,
	       "failures are counted (else: --status shows a recorder as sound "
	       "whose files go nowhere)");
	execqueue_end(q, LONG);
	ok(strstr(heard, "fail: failed with exit status 3\n"),
	   "a failure is reported (else: files that were not uploaded are removed)");
	ok(strstr(heard, "kill: killed by signal 9 ("), "... and a signal");
	ok(strstr(heard, "missing: not run, as the file was removed before its turn\n"),
	   "... and a file that has gone");
	is_u64(notes.damage, 3, "three of them (else: the exit status is 0)");
	ok(strstr(log_text(), "end ") && strstr(log_text(), "/good\n"), "the others are run");
	q = begin(at("no-such-program"));
	execqueue_put(q, at("good"));
	execqueue_end(q, LONG);
	ok(strstr(heard, "cannot be executed: No such file"), "a program that cannot be executed");
	unlink(at("fail"));
	unlink(at("kill"));
	unlink(at("good"));
}

static void test_bounds(const char *program)
{
	struct exec_queue *q = begin(program);
	uint64_t before;

	put(q, "hold");
	ok(logged("begin "), "a program that hangs");
	put_file("f", "x", 0600);
	for (unsigned i = 0; i < EXECQUEUE_MOST; i++)
		execqueue_put(q, at("f"));
	is_str(heard, "", "as many files as may wait");
	execqueue_put(q, at("f"));
	is_u64(execqueue_failed(q), 1, "it is counted for --status");
	ok(strstr(heard, "f: not run, as 64 files wait for it already\n"),
	   "one more is reported (else: memory grows for days)");
	put_file("go", "", 0600);
	execqueue_end(q, LONG);
	is_u64(notes.damage, 1, "the others were run");
	q = begin(program);
	put(q, "hold");
	put(q, "f");
	logged("begin ");
	before = mono_ns();
	execqueue_end(q, 100000000);
	ok(mono_ns() - before < LONG / 2, "one that hangs at the end is not waited for");
	ok(strstr(heard, "hold: still running after 0.1 s (process "), "... which is reported");
	ok(strstr(heard, "f: not run, as the recorder ends\n"), "... as are those that waited");
	put_file("go", "", 0600);
	ok(logged("end "), "... and it is left running");
	unlink(at("hold"));
	unlink(at("f"));
	unlink(at("go"));
}

static void test_surroundings(const char *program)
{
	struct exec_queue *q;
	const char *said;
	pid_t group;

	signal(SIGPIPE, SIG_IGN);
	q = begin(program);
	put(q, "stat");
	execqueue_end(q, LONG);
	said = strstr(log_text(), "group ");
	group = said ? atoi(said + 6) : 0;
	ok(group > 1 && group != getpgrp(),
	   "it has a process group of its own (else: Ctrl-C ends an upload half-way)");
	ok(strstr(log_text(), "input 0\n"), "its input is empty (else: it takes the terminal's)");
	said = strstr(log_text(), "ignored ");
	/* Two of those above are the C library's own. */
	ok(said && !(strtoull(said + 8, NULL, 16) & 0x7fffffff), "no signal is ignored");
	ok(strstr(log_text(), " blocked 0000000000000000\n"), "none is blocked");
	unlink(at("stat"));
}

int main(void)
{
	char program[512];

	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_DFL);
	make_dir("/tmp", "exec");
	setenv("DIR", dir, 1);
	put_file("program",
		 "#!/bin/sh\n"
		 "echo \"begin $1\" >>$DIR/log\n"
		 "case $1 in\n"
		 "*/fail) exit 3 ;;\n"
		 "*/kill) kill -9 $$ ;;\n"
		 "*/hold) while [ ! -e $DIR/go ]; do sleep 0.01; done ;;\n"
		 "*/stat)\n"
		 "	read -r a b c d group rest </proc/$$/stat\n"
		 "	ignored=$(sed -n 's/^SigIgn:.//p' /proc/self/status)\n"
		 "	blocked=$(sed -n 's/^SigBlk:.//p' /proc/self/status)\n"
		 "	echo \"group $group\" >>$DIR/log\n"
		 "	echo \"input $(wc -c | tr -d ' ')\" >>$DIR/log\n"
		 "	echo \"ignored $ignored blocked $blocked\" >>$DIR/log ;;\n"
		 "esac\n"
		 "echo \"end $1\" >>$DIR/log\n",
		 0700);
	snprintf(program, sizeof(program), "%s", at("program"));
	test_runs(program);
	test_failures(program);
	test_bounds(program);
	test_surroundings(program);
	unlink(program);
	unlink(at("log"));
	remove_dir();
	return tap_done();
}
