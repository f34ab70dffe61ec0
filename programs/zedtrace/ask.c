// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask: --status and --snapshot: asks running recorders at their sockets.
 */
#include "base/ascii.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/mono.h"
#include "kernel/procs.h"
#include "programs/zedtrace/control_socket.h"
#include "programs/zedtrace/zedtrace.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define STATUS_MS 10000	   /* a recorder that is putting a file together at its end is slow */
#define SNAPSHOT_MS 120000 /* large buffers, a slow disk */

/* Connect FD to the recorder PID.  False: errno says why. */
static bool reach(int fd, const char *folder, pid_t pid)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int n = snprintf(a.sun_path, sizeof(a.sun_path), "%s/%d.sock", folder, (int)pid);

	errno = ENAMETOOLONG;
	return n > 0 && (size_t)n < sizeof(a.sun_path) &&
	       connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0;
}

/* ---- who can be asked ---- */

/* Did a killed recorder leave the socket of PID?  (One of another PID namespace listens.) */
static bool is_left(const char *folder, pid_t pid)
{
	int fd = procs_start(pid) ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool left = fd >= 0 && !reach(fd, folder, pid) && errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return left;
}

/* The process number in "123.sock"; 0: it is another name. */
static pid_t pid_in(const char *name)
{
	char digits[16];
	size_t len = strcspn(name, ".");
	int n;

	if (!len || len >= sizeof(digits) || strcmp(name + len, ".sock") != 0)
		return 0;
	snprintf(digits, sizeof(digits), "%.*s", (int)len, name);
	n = ascii_number(digits, INT_MAX);
	return n > 0 ? n : 0;
}

static int by_number(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

unsigned control_list(const char *folder, pid_t **pids)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	unsigned n = 0;
	size_t cap = 0;

	*pids = NULL;
	while (d && (entry = readdir(d))) {
		pid_t pid = pid_in(entry->d_name);

		if (!pid)
			continue;
		if (is_left(folder, pid)) {
			unlinkat(dirfd(d), entry->d_name, 0);
			continue;
		}
		*pids = mem_grow(*pids, &cap, n + 1u, sizeof(**pids));
		(*pids)[n++] = pid;
	}
	if (d)
		closedir(d);
	if (n)
		qsort(*pids, n, sizeof(**pids), by_number);
	return n;
}

/* ---- asking one ---- */

static int connect_to(const char *folder, pid_t pid, struct err *e)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot create a socket");
	if (reach(fd, folder, pid))
		return fd;
	if (errno == ENOENT || errno == ECONNREFUSED)
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"process %d is not a recorder that can be asked: those with --rotate, "
			"--flight or --config are",
			(int)pid);
	else
		err_sys(e, ERR_NO_OFF, "cannot ask process %d", (int)pid);
	close(fd);
	return -1;
}

/* All that FD gets up to its end, within MS.  False: too late, or it failed. */
static bool read_answer(int fd, char *text, size_t size, unsigned ms)
{
	uint64_t end = mono_ns() + ms * 1000000ull;
	size_t len = 0;

	while (len + 1 < size) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = mono_ns();
		ssize_t n;

		if (now >= end)
			return false;
		if (poll(&p, 1, (int)((end - now) / 1000000 + 1)) <= 0)
			continue;
		n = recv(fd, text + len, size - 1 - len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	text[len] = '\0';
	return len > 0;
}

char *control_ask(const char *folder, pid_t pid, enum control_request request, unsigned ms,
		  bool *ok, struct err *e)
{
	const char *word = CONTROL_WORDS[__builtin_ctz(request)];
	char text[CONTROL_ANSWER + 1], line[CONTROL_LINE];
	int fd = connect_to(folder, pid, e);
	bool got;

	if (fd < 0)
		return NULL;
	snprintf(line, sizeof(line), "%s\n", word);
	got = send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line) &&
	      read_answer(fd, text, sizeof(text), ms);
	close(fd);
	*ok = got && !strncmp(text, "ok\n", 3);
	if (*ok)
		return mem_strdup(text + 3);
	if (got && !strncmp(text, "failed\n", 7))
		return mem_strdup(text + 7);
	err_set(e, ERR_SYS, ERR_NO_OFF, "recorder %d did not answer: it is ending, or stuck",
		(int)pid);
	return NULL;
}

/* ---- the two modes ---- */

static void say_answer(const char *text)
{
	cli_puts(stdout, text);
	putchar('\n');
}

/* The exit status. */
static int ask_one(struct cli *c, const struct zedtrace *z, const char *folder, pid_t pid,
		   enum zedtrace_mode mode)
{
	enum control_request request = mode == SNAPSHOT	  ? CONTROL_SNAPSHOT :
				       z->unattended.json ? CONTROL_JSON :
							    CONTROL_STATUS;
	struct err e;
	char *text;
	bool ok;

	text = control_ask(folder, pid, request, mode == SNAPSHOT ? SNAPSHOT_MS : STATUS_MS, &ok,
			   &e);
	if (!text)
		cli_say_err(c, &e);
	else if (ok)
		say_answer(text);
	else
		cli_say(c, "recorder %d: %s", (int)pid, text);
	free(text);
	return text && ok ? CLI_OK : CLI_USAGE;
}

static int say_several(struct cli *c, const pid_t *pids, unsigned n)
{
	char list[200] = "";
	size_t len = 0;

	for (unsigned i = 0; i < n && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%d", i ? ", " : "",
					(int)pids[i]);
	return cli_usage(c, false, "%u recorders run: --snapshot=PID, one of %s", n, list);
}

/* One that is named. */
static int ask_named(struct cli *c, const struct zedtrace *z, const char *folder,
		     enum zedtrace_mode mode)
{
	const char *who = z->unattended.who;
	int pid = ascii_number(who, INT_MAX);

	if (pid <= 0)
		return cli_usage(c, false, "'%s' is not a process number", who);
	return ask_one(c, z, folder, pid, mode);
}

int zedtrace_ask(struct cli *c, struct zedtrace *z, enum zedtrace_mode mode)
{
	char folder[200];
	int status = CLI_OK;
	unsigned n;
	pid_t *pids;

	if (!control_folder(folder, sizeof(folder)))
		return cli_usage(c, false,
				 "XDG_RUNTIME_DIR is not set: root's recorders are asked by root");
	if (z->unattended.who)
		return cli_end_output(c, ask_named(c, z, folder, mode));
	n = control_list(folder, &pids);
	if (!n) {
		status = cli_usage(c, false,
				   "%s: no recorder runs that can be asked: those with --rotate, "
				   "--flight or --config, of this user",
				   folder);
	} else if (n > 1 && mode == SNAPSHOT) {
		status = say_several(c, pids, n);
	} else {
		for (unsigned i = 0; i < n; i++)
			if (ask_one(c, z, folder, pids[i], mode) != CLI_OK)
				status = CLI_USAGE;
	}
	free(pids);
	return cli_end_output(c, status);
}
