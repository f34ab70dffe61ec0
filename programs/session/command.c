// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command: the process of the words after "--".  It starts when tracing is on, and its exit status
 * becomes ours.
 */
#include "programs/session/command.h"

#include "base/io.h"
#include "programs/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 1.0 /* seconds for a command to end after the signal that ended us */
#define LOOK_MS 50   /* between two looks whether it has ended, where nothing reports it */

/* What the child reads: GO, or MARK with two texts, each with its NUL. */
enum { GO = 'g', MARK = 'm' };

/* 0: PATH can be executed; else the errno. */
static int look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EACCES;
	return io_may(path, X_OK) ? 0 : errno;
}

static int look_along_path(const char *name)
{
	const char *path = getenv("PATH");
	int why = ENOENT;

	if (!path || !*path)
		path = "/bin:/usr/bin";
	for (;;) {
		size_t len = strcspn(path, ":");
		char file[PATH_MAX];
		int n, err;

		n = snprintf(file, sizeof(file), "%.*s%s%s", (int)(len < PATH_MAX ? len : 0), path,
			     len ? "/" : "", name);
		err = n < 0 || (size_t)n >= sizeof(file) ? ENAMETOOLONG : look_at(file);
		if (!err)
			return 0;
		if (err == EACCES)
			why = err;
		if (!path[len])
			return why;
		path += len + 1;
	}
}

static int not_run(const char *name, int why, struct err *e)
{
	if (why == ENOENT && !strchr(name, '/')) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: command not found", name);
		return COMMAND_NOT_FOUND;
	}
	err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: cannot be executed: %s", name, strerror(why));
	return why == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN;
}

int command_check(const char *name, struct err *e)
{
	int why = !*name ? ENOENT : strchr(name, '/') ? look_at(name) : look_along_path(name);

	return why ? not_run(name, why, e) : 0;
}

/* The next byte of the pipe GO; our parent's end is ours. */
static char read_byte(int go)
{
	ssize_t n;
	char c;

	do
		n = read(go, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(COMMAND_NOT_RUN);
	return c;
}

static void read_text(int go, char *buf, size_t size)
{
	size_t n = 0;

	do {
		if (n == size)
			_exit(COMMAND_NOT_RUN);
		buf[n] = read_byte(go);
	} while (buf[n++]);
}

/* If it cannot be written, our parent does not find it. */
static void write_mark(int go)
{
	char marker[PATH_MAX], text[256];
	ssize_t n;
	int fd;

	read_text(go, marker, sizeof(marker));
	read_text(go, text, sizeof(text));
	fd = open(marker, O_WRONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : write(fd, text, strlen(text));
	(void)n;
	if (fd >= 0)
		close(fd);
}

/* In the child: wait for the go-ahead, then become the command. */
static void become(int go, int failed, char *const *argv, bool to_stderr)
{
	ssize_t n;
	int why;

	while (read_byte(go) == MARK)
		write_mark(go);
	if (to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	why = errno;
	n = write(failed, &why, sizeof(why));
	(void)n;
	_exit(why == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN);
}

int command_fork(struct command *c, char *const *argv, bool to_stderr, struct err *e)
{
	int go[2], failed[2];

	memset(c, 0, sizeof(*c));
	if (pipe2(go, O_CLOEXEC) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot make a pipe");
		close(go[0]);
		close(go[1]);
		return -1;
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(failed[0]);
		become(go[0], failed[1], argv, to_stderr);
	}
	if (c->pid < 0)
		err_sys(e, ERR_NO_OFF, "cannot start %s", argv[0]);
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	c->fd = c->pid > 0 ? (int)syscall(SYS_pidfd_open, c->pid, 0) : -1;
	if (c->pid > 0)
		return 0;
	c->pid = 0;
	close(c->go);
	close(c->failed);
	return -1;
}

void command_mark(void *arg, const char *marker, const char *text)
{
	static const char word = MARK;
	const struct command *c = arg;

	if (c->go >= 0 && io_write(c->go, &word, 1) && io_write(c->go, marker, strlen(marker) + 1))
		io_write(c->go, text, strlen(text) + 1);
}

void command_go(struct command *c)
{
	static const char word = GO;
	ssize_t n;

	if (c->go < 0)
		return;
	do
		n = write(c->go, &word, 1);
	while (n < 0 && errno == EINTR);
	close(c->go);
	c->go = -1;
}

bool command_over(struct command *c)
{
	pid_t got;

	if (!c->ended) {
		got = waitpid(c->pid, &c->status, WNOHANG);
		c->ended = got == c->pid || (got < 0 && errno != EINTR);
	}
	return c->ended;
}

int command_fds(const struct command *c, struct pollfd *fds, int room, int *ms)
{
	if (c->fd >= 0 && room > 0) {
		*fds = (struct pollfd){ .fd = c->fd, .events = POLLIN };
		return 1;
	}
	if (*ms > LOOK_MS)
		*ms = LOOK_MS;
	return 0;
}

bool command_wait(struct command *c, const volatile int *stop, double grace)
{
	const struct timespec step = { .tv_nsec = 10000000 };
	double left = grace;

	while (!command_over(c)) {
		if (*stop) {
			if (left <= 0)
				return false;
			left -= 0.01;
		}
		nanosleep(&step, NULL);
	}
	return true;
}

int command_status(struct command *c, const char *name, struct err *e)
{
	int why = 0;

	if (c->failed >= 0 && read(c->failed, &why, sizeof(why)) == sizeof(why))
		return not_run(name, why, e);
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}

int command_begin(struct command *c, struct cli *cli, bool to_stderr)
{
	struct err e;
	int rc = command_check(cli->words.command[0], &e);

	if (!rc && command_fork(c, cli->words.command, to_stderr, &e) < 0)
		rc = CLI_USAGE;
	if (rc)
		cli_say_err(cli, &e);
	return rc;
}

int command_end(struct command *c, struct cli *cli, int status)
{
	struct err e = { .kind = ERR_NONE };
	int of_command;

	if (c->go >= 0) {
		if (status)
			return status;
		cli_say(cli, "%s was not run: the reader of the recording has ended",
			cli->words.command[0]);
		return CLI_USAGE;
	}
	if (!command_wait(c, &cli_stop, PATIENCE)) {
		cli_say(cli, "%s (process %d) goes on", cli->words.command[0], (int)c->pid);
		return status;
	}
	of_command = command_status(c, cli->words.command[0], &e);
	if (e.kind != ERR_NONE)
		cli_say_err(cli, &e);
	return of_command ? of_command : status;
}

void command_drop(struct command *c)
{
	if (!c->pid)
		return;
	if (c->go >= 0) {
		close(c->go);
		c->go = -1;
		while (!c->ended && waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
			;
		c->ended = true;
	}
	if (c->failed >= 0)
		close(c->failed);
	if (c->fd >= 0)
		close(c->fd);
	c->failed = c->fd = -1;
	c->pid = 0;
}
