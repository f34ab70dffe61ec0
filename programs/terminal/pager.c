// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pager: shows long output on a terminal through less, or the user's pager, as git and man do.
 */
#include "programs/terminal/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Is there a program NAME in PATH? */
static bool is_installed(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	for (const char *p = path ? path : "/usr/bin:/bin"; p; p = *p ? p + 1 : NULL) {
		size_t len = strcspn(p, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)len, p, name);
		if (len && access(file, X_OK) == 0)
			return true;
		p += len;
		if (!*p)
			break;
	}
	return false;
}

/* The command; NULL: the user chose none, or there is none. */
static const char *pager_name(void)
{
	const char *name = getenv("ZED_PAGER");

	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = is_installed("less") ? "less" : "";
	return *name && strcmp(name, "cat") != 0 ? name : NULL;
}

static void run_pager(const char *name, const int fds[2])
{
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	/* Keep colours, quit at once if everything fits, and do not clear the screen. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", name, (char *)NULL);
	_exit(127);
}

pid_t pager_begin(void)
{
	const char *name = isatty(STDOUT_FILENO) ? pager_name() : NULL;
	int fds[2];
	pid_t pid;

	if (!name || pipe2(fds, O_CLOEXEC) < 0)
		return 0;
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_pager(name, fds);
	if (pid > 0) {
		dup2(fds[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(fds[1], STDERR_FILENO);
	}
	close(fds[0]);
	close(fds[1]);
	return pid > 0 ? pid : 0;
}

void pager_end(pid_t pager)
{
	if (!pager)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	/* From here on Ctrl-C is for the pager. */
	signal(SIGINT, SIG_IGN);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		continue;
}
