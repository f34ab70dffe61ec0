// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * procs: reads from /proc the names, threads and start times of processes, and finds out who reads
 * a pipe.
 */
#include "kernel/procs.h"

#include "base/ascii.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read a short file of /proc into BUF; false: it cannot be read. */
static bool short_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* NAME as a number; 0: it is not one. */
static pid_t number(const char *name)
{
	char *end;
	long n = strtol(name, &end, 10);

	return ascii_digit(*name) && !*end && n <= INT32_MAX ? (pid_t)n : 0;
}

/* Fields of /proc/PID/stat, by their numbers in proc(5). */
enum { STAT_STATE = 3, STAT_PARENT = 4, STAT_FLAGS = 9, STAT_THREADS = 20, STAT_START = 22 };

#define FLAG_EXITING 0x4 /* the kernel's PF_EXITING */

/* Read PID's stat into TEXT; returns where its fields begin, NULL: there is no such process. */
static const char *stat_fields(pid_t pid, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!short_text(path, text, size))
		return NULL;
	/* The name, in parentheses, may hold anything; what follows is fields 3 and on. */
	return strrchr(text, ')');
}

/* Field N of those from P on; "" if there are fewer. */
static const char *stat_field(const char *p, int n)
{
	for (int field = STAT_STATE - 1; p && field < n; field++) {
		p = strchr(p, ' ');
		if (p)
			p++;
	}
	return p ? p : "";
}

pid_t procs_self(void)
{
	char text[32] = "";
	pid_t pid;

	if (readlink("/proc/self", text, sizeof(text) - 1) < 0)
		return getpid();
	pid = number(text);
	return pid ? pid : getpid();
}

pid_t procs_parent(void)
{
	char text[1024];
	const char *fields = stat_fields(procs_self(), text, sizeof(text));

	return fields ? (pid_t)strtol(stat_field(fields, STAT_PARENT), NULL, 10) : getppid();
}

uint64_t procs_start(pid_t pid)
{
	char text[1024];

	return strtoull(stat_field(stat_fields(pid, text, sizeof(text)), STAT_START), NULL, 10);
}

/* Does PID have a SIGKILL pending that it has not died of yet? */
static bool is_killed(pid_t pid)
{
	static const char *const masks[] = { "\nSigPnd:", "\nShdPnd:" };
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (!short_text(path, text, sizeof(text)))
		return false;
	for (unsigned i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		const char *p = strstr(text, masks[i]);

		if (p && strtoull(p + strlen(masks[i]), NULL, 16) & 1ull << (SIGKILL - 1))
			return true;
	}
	return false;
}

enum procs_life procs_life(pid_t pid, uint64_t start)
{
	char text[1024];
	const char *fields = stat_fields(pid, text, sizeof(text));
	char state = *stat_field(fields, STAT_STATE);

	if (!fields || strtoull(stat_field(fields, STAT_START), NULL, 10) != start)
		return PROCS_GONE;
	/* A process whose first thread has ended is shown as a zombie while others still run. */
	if (state == 'X' ||
	    (state == 'Z' && strtoul(stat_field(fields, STAT_THREADS), NULL, 10) <= 1))
		return PROCS_GONE;
	if (strtoul(stat_field(fields, STAT_FLAGS), NULL, 10) & FLAG_EXITING && state != 'Z')
		return PROCS_ENDING;
	return is_killed(pid) ? PROCS_ENDING : PROCS_LIVES;
}

bool procs_comm(pid_t pid, char buf[16])
{
	char path[64], text[64];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (!short_text(path, text, sizeof(text)))
		return false;
	/* The last newline is /proc's; any other belongs to the name. */
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	/*
	 * /proc shows a kernel worker together with what it works on, "kworker/0:1-events"; its
	 * name, which is what recordings have, ends before that.  Rescuers, "kworker/R-NAME", have
	 * no such suffix.
	 */
	if (!strncmp(text, "kworker/", 8) && strncmp(text, "kworker/R-", 10))
		text[strcspn(text, "-+")] = '\0';
	snprintf(buf, 16, "%.15s", text);
	return true;
}

static void each_thread(pid_t pid, void (*give)(void *arg, pid_t tid), void *arg)
{
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir)))
		if (number(d->d_name))
			give(arg, number(d->d_name));
	if (dir)
		closedir(dir);
}

struct each {
	void (*give)(void *arg, pid_t tid, const char *comm);
	void *arg;
};

static void each_name(void *arg, pid_t tid)
{
	struct each *e = arg;
	char comm[16];

	if (procs_comm(tid, comm))
		e->give(e->arg, tid, comm);
}

void procs_processes(bool (*give)(void *arg, pid_t pid), void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	bool more = true;

	while (dir && more && (d = readdir(dir)))
		if (number(d->d_name))
			more = give(arg, number(d->d_name));
	if (dir)
		closedir(dir);
}

struct each_task {
	void (*give)(void *arg, pid_t tid);
	void *arg;
};

static bool each_process(void *arg, pid_t pid)
{
	const struct each_task *t = arg;

	each_thread(pid, t->give, t->arg);
	return true;
}

void procs_tasks(void (*give)(void *arg, pid_t tid), void *arg)
{
	struct each_task t = { give, arg };

	procs_processes(each_process, &t);
}

void procs_each(void (*give)(void *arg, pid_t tid, const char *comm), void *arg)
{
	struct each e = { give, arg };

	procs_tasks(each_name, &e);
}

struct threads {
	pid_t *tids;
	unsigned n, max;
};

static void add_thread(void *arg, pid_t tid)
{
	struct threads *t = arg;

	if (t->n < t->max)
		t->tids[t->n++] = tid;
}

unsigned procs_threads(pid_t pid, pid_t *tids, unsigned max)
{
	struct threads t = { tids, 0, max };

	each_thread(pid, add_thread, &t);
	return t.n;
}

pid_t procs_process(pid_t tid)
{
	char path[64], text[4096], *line;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (!short_text(path, text, sizeof(text)) || !(line = strstr(text, "\nTgid:\t")))
		return 0;
	return (pid_t)strtol(line + 7, NULL, 10);
}

pid_t procs_inner(pid_t tid)
{
	char path[64], text[4096], *line, *last;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (!short_text(path, text, sizeof(text)) || !(line = strstr(text, "\nNSpid:")))
		return 0;
	line[1 + strcspn(line + 1, "\n")] = '\0';
	last = strrchr(line, '\t');
	return last ? number(last + 1) : 0;
}

/* Was descriptor NAME of PID opened for reading? */
static bool is_read(pid_t pid, const char *name)
{
	char path[320], text[512];
	const char *flags;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid, name);
	if (!short_text(path, text, sizeof(text)) || !(flags = strstr(text, "flags:")))
		return false;
	return (strtol(flags + 6, NULL, 8) & O_ACCMODE) != O_WRONLY;
}

/*
 * Stat the target of NAME in DIR, without asking a file server, which may be dead; is it a pipe?
 */
static bool look_at(int dir, const char *name, int flags, struct statx *st)
{
	return statx(dir, name, flags | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, st) == 0 &&
	       S_ISFIFO(st->stx_mode);
}

static bool has_pipe(pid_t pid, const struct statx *pipe)
{
	char path[64];
	struct dirent *d;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && !found && (d = readdir(dir))) {
		struct statx st;

		found = d->d_name[0] != '.' && look_at(dirfd(dir), d->d_name, 0, &st) &&
			st.stx_ino == pipe->stx_ino && st.stx_dev_major == pipe->stx_dev_major &&
			st.stx_dev_minor == pipe->stx_dev_minor && is_read(pid, d->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

unsigned procs_pipe_readers(int fd, pid_t *pids, unsigned max)
{
	pid_t self = procs_self();
	struct statx st;
	struct dirent *d;
	unsigned n = 0;
	DIR *dir;

	if (fd < 0 || !look_at(fd, "", AT_EMPTY_PATH, &st))
		return 0;
	dir = opendir("/proc");
	while (dir && n < max && (d = readdir(dir))) {
		pid_t pid = number(d->d_name);

		if (pid && pid != self && has_pipe(pid, &st))
			pids[n++] = pid;
	}
	if (dir)
		closedir(dir);
	return n;
}
