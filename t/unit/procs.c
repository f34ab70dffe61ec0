// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * procs: what /proc tells of processes and pipes that are made here.  Without it a tracing instance
 * is taken from a process that lives, or who reads a pipe is not kept out of the trace.
 *
 * of: kernel/procs.c
 */
#include "kernel/procs.h"
#include "t/lib/c/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *sleep_there(void *arg)
{
	int *go = arg;
	char c;

	prctl(PR_SET_NAME, "zed) 7 (x");
	if (write(go[1], "t", 1) != 1 || read(go[2], &c, 1) < 0)
		return NULL;
	return arg;
}

struct seen {
	pid_t self;
	unsigned named, all;
};

static void see(void *arg, pid_t tid, const char *comm)
{
	struct seen *s = arg;

	s->all++;
	s->named += !strcmp(comm, "zed) 7 (x");
	if (strlen(comm) > 15)
		diag("a long name: %s", comm);
}

static void test_procs(void)
{
	int out[2], in[2], go[3];
	pthread_t thread;
	struct seen s = { getpid(), 0, 0 };
	pid_t child, tids[8];
	uint64_t mine = procs_start(getpid()), start;
	char comm[16], c;
	double up = 0;
	FILE *f = fopen("/proc/uptime", "r");

	if (!f || fscanf(f, "%lf", &up) != 1)
		diag("no /proc/uptime");
	if (f)
		fclose(f);
	ok(mine && (double)mine <= up * sysconf(_SC_CLK_TCK) + 1 &&
		   (double)mine + 60 * sysconf(_SC_CLK_TCK) > up * sysconf(_SC_CLK_TCK),
	   "we began less than a minute ago (else: who owns an instance is not known)");
	if (pipe(out) || pipe(in))
		bail("no pipes");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "a) S 1 (b");
		if (write(out[1], "x", 1) != 1 || read(in[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	if (read(out[0], &c, 1) != 1)
		diag("no child");
	start = procs_start(child);
	ok(start >= mine && start <= mine + 60 * (uint64_t)sysconf(_SC_CLK_TCK),
	   "a name with parentheses and blanks shifts no field (%llu, %llu)",
	   (unsigned long long)mine, (unsigned long long)start);
	ok(procs_comm(child, comm) && !strcmp(comm, "a) S 1 (b"), "and is told");
	if (write(in[1], "x", 1) != 1)
		diag("no child");
	waitpid(child, NULL, 0);
	ok(procs_start(child) == 0 && !procs_comm(child, comm) &&
		   procs_threads(child, tids, 8) == 0,
	   "a process that has ended is none");

	go[0] = 0;
	go[1] = out[1];
	go[2] = in[0];
	is_u64(procs_threads(getpid(), tids, 8), 1, "a process of one task");
	pthread_create(&thread, NULL, sleep_there, go);
	if (read(out[0], &c, 1) != 1)
		diag("no thread");
	is_u64(procs_threads(getpid(), tids, 8), 2, "its threads count");
	ok(tids[0] != tids[1] && (tids[0] == getpid() || tids[1] == getpid()),
	   "each by its own number, the process's included");
	is_u64(procs_threads(getpid(), tids, 1), 1, "no more than there is room for");
	procs_each(see, &s);
	ok(s.named == 1 && s.all > 1,
	   "every thread of the system is told with its name, once (else: threads have no names)");
	if (write(in[1], "x", 1) != 1)
		diag("no thread");
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < 2; i++) {
		close(out[i]);
		close(in[i]);
	}
}

/* A child that holds FD alone until it is killed. */
static pid_t holder(int fd, int ready)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 3; i < 64; i++)
			if (i != fd && i != ready)
				close(i);
		if (write(ready, "x", 1) == 1)
			pause();
		_exit(0);
	}
	return pid;
}

static void test_readers(void)
{
	int p[2], ready[2], file, fifo, null = open("/dev/null", O_RDONLY);
	char path[256], fifo_path[300], c;
	pid_t reads, writes, named, pids[4] = { 0 };

	tap_template(path, sizeof(path), "/tmp", "procs");
	if (!mkdtemp(path))
		bail("no temporary directory");
	snprintf(fifo_path, sizeof(fifo_path), "%s/fifo", path);
	if (pipe(p) || pipe(ready) || mkfifo(fifo_path, 0600))
		bail("no pipes");
	fifo = open(fifo_path, O_RDWR);
	reads = holder(p[0], ready[1]);
	writes = holder(p[1], ready[1]);
	named = holder(fifo, ready[1]);
	for (unsigned i = 0; i < 3; i++)
		if (read(ready[0], &c, 1) != 1)
			diag("no child");
	is_u64(procs_pipe_readers(p[1], pids, 4), 1,
	       "one process reads the pipe: not who writes it, and not ourselves");
	is_u64(pids[0], reads, "the one that does (else: the wrong one is kept out)");
	is_u64(procs_pipe_readers(fifo, pids, 4), 1, "one reads a named pipe");
	is_u64(pids[0], named, "who has it open for both");
	is_u64(procs_pipe_readers(p[1], pids, 0), 0, "no more than there is room for");
	file = open("/proc/self/stat", O_RDONLY);
	ok(procs_pipe_readers(file, pids, 4) == 0 && procs_pipe_readers(null, pids, 4) == 0 &&
		   procs_pipe_readers(-1, pids, 4) == 0,
	   "what is no pipe has no readers");
	kill(reads, SIGKILL);
	kill(writes, SIGKILL);
	kill(named, SIGKILL);
	for (unsigned i = 0; i < 3; i++)
		wait(NULL);
	is_u64(procs_pipe_readers(p[1], pids, 4), 0, "a reader that has ended is none");
	close(file);
	close(fifo);
	close(null);
	for (unsigned i = 0; i < 2; i++) {
		close(p[i]);
		close(ready[i]);
	}
	if (unlink(fifo_path) < 0 || rmdir(path) < 0)
		diag("%s: %s", path, strerror(errno));
}

int main(void)
{
	if (tap_emulated())
		return tap_skip("an emulator's own threads and files are in /proc");
	test_procs();
	test_readers();
	return tap_done();
}
