// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader_process: starts zedsyms, with as little of this process in it as can be, and waits for it.
 */
#include "symbols/reader_process.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void give(posix_spawn_file_actions_t *files, int fd, int as, int flags)
{
	if (fd >= 0)
		posix_spawn_file_actions_adddup2(files, fd, as);
	else
		posix_spawn_file_actions_addopen(files, as, "/dev/null", flags, 0);
}

int reader_process_start(const struct reader_start *s, pid_t *pid, struct err *e)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int last = STDERR_FILENO, rc;
	sigset_t none;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	give(&files, s->out, STDOUT_FILENO, O_WRONLY);
	give(&files, s->in, STDIN_FILENO, O_RDONLY);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (s->file >= 0)
		posix_spawn_file_actions_adddup2(&files, s->file, ++last);
	posix_spawn_file_actions_addclosefrom_np(&files, last + 1);
	rc = posix_spawn(pid, s->path, &files, &attr, s->argv, s->env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (!rc)
		return 0;
	errno = rc;
	return err_sys(e, ERR_NO_OFF, "cannot start %s", s->path);
}

#define URLS_NAME "DEBUGINFOD_URLS="

char **reader_process_env(const char *urls)
{
	size_t n = 0, size = sizeof(URLS_NAME) + strlen(urls);
	char **env, *value = mem_alloc(size);

	while (environ[n])
		n++;
	env = mem_alloc((n + 2) * sizeof(char *));
	snprintf(value, size, "%s%s", URLS_NAME, urls);
	env[0] = value;
	n = 1;
	for (char **v = environ; *v; v++)
		if (strncmp(*v, URLS_NAME, sizeof(URLS_NAME) - 1) != 0)
			env[n++] = *v;
	env[n] = NULL;
	return env;
}

void reader_process_env_free(char **env)
{
	free(env[0]);
	free(env);
}

char *reader_process_digits(const uint8_t *id, size_t len, char buf[READER_DIGITS])
{
	*buf = '\0';
	for (size_t i = 0; i < len && i < READER_ID_MOST; i++)
		snprintf(buf + 2 * i, 3, "%02x", id[i]);
	return buf;
}

int reader_process_end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0; /* a script ignores SIGCHLD, or has waited for it */
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
