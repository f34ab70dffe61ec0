// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report, command: made numbers against the lines of the closing report, and real processes against
 * what a shell says of them.  Without it the report counts wrongly, or a build's failure passes for
 * success because it was traced.
 *
 * of: programs/session programs/zedtrace/recording_report.c
 */
#include "programs/session/command.h"
#include "programs/zedtrace/recording_report.h"
#include "t/lib/c/tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char lines[2048];

static void take(void *arg, const char *text)
{
	size_t len = strlen(lines);

	snprintf(lines + len, sizeof(lines) - len, "%s\n", text);
}

static void test_report(void)
{
	/* The files of 2009 were 18432 and 39152 bytes, and were called 18 and 39 KiB. */
	struct recorder_cpu cpus[] = {
		{ .cpu = 0, .events = 100, .bytes = 18432 },
		{ .cpu = 3,
		  .events = 20,
		  .bytes = 39152,
		  .overrun = 5,
		  .commit_overrun = 2,
		  .dropped = 1 },
	};
	struct recorder_result res = { .cpus = cpus, .ncpus = 2, .events = 120, .bytes = 57584 };
	struct spool_result spool = { .kept_events = 90, .ringed_events = 30 };
	struct report r = { .channel = "trace", .result = &res, .spool = &spool, .excluded = "" };
	char name[64];

	report_write(&r, take, NULL);
	ok(!strcmp(lines, "Channel: trace\nCPU 0: 100 events, 18 KiB data\n"
			  "CPU 3: 20 events, 39 KiB data\n"
			  "Total: 120 events (dropped 0), 57 KiB data\n"),
	   "the shape of 2009, KiB rounded up (else: old scripts do not read it)");
	*lines = 0;
	res.dropped = 8;
	spool.limited = true;
	res.at_most = true;
	r.excluded = "zedtrace 12, zedperl 14";
	report_write(&r, take, NULL);
	has(lines,
	    "Total: 120 events (dropped 8), 57 KiB data\nDropped: overrun 5, commit "
	    "overrun 2, dropped events 1 (",
	    "which drops these were (else: nobody knows whether -b helps)");
	has(lines, "\nThe connection failed: the other side's report says how much of it arrived\n",
	    "and who knows how many of these came through (else: what was sent passes for kept)");
	has(lines, "\nLimit: the newest 90 events kept, 30 given up for --max-size\n",
	    "what the limit cost (else: the file seems to have lost events)");
	has(lines, "\nkept out of syscalls and raw_syscalls: zedtrace 12, zedperl 14\n",
	    "who is not in the picture (else: it is taken for idle)");

	ok(!strcmp(report_channel("-", name, sizeof(name)), "trace"), "a stream is channel trace");
	ok(!strcmp(report_channel(NULL, name, sizeof(name)), "trace"), "so is the default");
	ok(!strcmp(report_channel("/a.dat/b\n.dat", name, sizeof(name)), "b\\n"),
	   "a file by its name, without control bytes (else: it plays with the terminal)");
	ok(!strcmp(report_channel(".dat", name, sizeof(name)), ".dat"), "a name is never empty");
	ok(!strcmp(report_channel("abcdefgh.dat", name, 4), "abc"), "a long name is cut");
}

static volatile int stop;

/* Run ARGV as zedtrace does; its status, and the error's text in MSG. */
static int run(char *const *argv, bool to_stderr, char *msg, size_t size)
{
	struct command c;
	struct err e = { .kind = ERR_NONE };
	int status;

	snprintf(msg, size, "%s", "");
	if (command_fork(&c, argv, to_stderr, &e) < 0)
		return -1;
	command_go(&c);
	if (!command_wait(&c, &stop, 0))
		return -2;
	status = command_status(&c, argv[0], &e);
	if (e.kind != ERR_NONE)
		snprintf(msg, size, "%s", e.msg);
	command_drop(&c);
	return status;
}

static int shell(const char *script, bool to_stderr)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	char msg[800];

	return run(argv, to_stderr, msg, sizeof(msg));
}

static void test_command(const char *dir)
{
	char path[300], script[400], msg[800];
	char *const none[] = { path, NULL };
	char *const sleeper[] = { (char *)"sleep", (char *)"60", NULL };
	struct timespec t0, t1;
	struct command c;
	struct err e;
	FILE *f;
	int was;

	ok(shell("exit 0", false) == 0, "exit 0 is 0");
	ok(shell("exit 7", false) == 7, "its status is passed on (else: a failed build passes)");
	ok(shell("kill -9 $$", false) == 128 + SIGKILL,
	   "a signal is 128 and its number, as in a shell");
	snprintf(script, sizeof(script), "echo \"# out\"; [ %s/o -ef /dev/stdout ]", dir);
	snprintf(path, sizeof(path), "%s/o", dir);
	was = dup(STDERR_FILENO);
	ok(was >= 0 && freopen(path, "w", stderr) && shell(script, true) == 0,
	   "its output goes to standard error where ours is a stream (else: the stream is broken)");
	ok(shell(script, false) != 0, "and to standard output otherwise");
	dup2(was, STDERR_FILENO);
	close(was);
	unlink(path);

	/* Found when it was looked for, gone or no program when it is executed. */
	snprintf(path, sizeof(path), "%s/gone", dir);
	ok(run(none, false, msg, sizeof(msg)) == 127 && strstr(msg, "No such file"),
	   "a program that vanished is 127, with the reason");
	f = fopen(path, "w");
	/* cppcheck-suppress resourceLeak ; closed where it was opened */
	ok(f && fputs("\177ELFnothing", f) >= 0 && !fclose(f) && !chmod(path, 0644), "(a file)");
	ok(run(none, false, msg, sizeof(msg)) == 126 && strstr(msg, "Permission denied"),
	   "one that may not be executed is 126, with the reason");
	ok(command_check(path, &e) == 126, "and is found out beforehand");
	chmod(path, 0755);
	ok(command_check(path, &e) == 0, "one that may is let pass");
	unlink(path);
	ok(command_check("sh", &e) == 0, "a name is looked for along PATH");
	ok(command_check("", &e) == 127 && command_check("no-such-command", &e) == 127,
	   "and what is not there is 127");

	snprintf(script, sizeof(script), "touch %s/ran", dir);
	snprintf(path, sizeof(path), "%s/ran", dir);
	{
		char *argv[] = { (char *)"sh", (char *)"-c", script, NULL };

		ok(command_fork(&c, argv, false, &e) == 0 && !command_over(&c),
		   "it waits (else: its first events are missing)");
		command_drop(&c);
		ok(access(path, F_OK) < 0, "and without the word it never runs (else: unrecorded)");
	}

	clock_gettime(CLOCK_MONOTONIC, &t0);
	stop = 1;
	ok(command_fork(&c, sleeper, false, &e) == 0, "(a long command)");
	command_go(&c);
	ok(!command_wait(&c, &stop, 0.2), "after a signal it is not waited for without end");
	clock_gettime(CLOCK_MONOTONIC, &t1);
	ok(t1.tv_sec - t0.tv_sec < 10, "but a moment");
	kill(c.pid, SIGKILL);
	ok(command_wait(&c, &stop, 5) && command_status(&c, "sleep", &e) == 137, "(its end)");
	command_drop(&c);
}

int main(void)
{
	char dir[256];

	test_report();
	tap_template(dir, sizeof(dir), "/tmp", "report");
	if (!mkdtemp(dir))
		return 1;
	test_command(dir);
	rmdir(dir);
	return tap_done();
}
