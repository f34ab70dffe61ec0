// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * browser: opens explore's page on a desktop without showing its address to other users.
 */
#include "programs/zedperl/explore/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_desktop(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return isatty(STDOUT_FILENO) && ((x && *x) || (wayland && *wayland));
}

/* A page, mode 0600, that leads to URL. */
static bool write_file(struct browser *b, const char *url)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	int fd, n;

	if (!dir || *dir != '/')
		dir = "/tmp";
	n = snprintf(b->file, sizeof(b->file), "%s/zedperl-explore-XXXXXX.html", dir);
	fd = n < (int)sizeof(b->file) ? mkostemps(b->file, 5, O_CLOEXEC) : -1;
	if (fd >= 0) {
		n = dprintf(fd,
			    "<!DOCTYPE html><meta charset=\"utf-8\"><meta name=\"referrer\" "
			    "content=\"no-referrer\"><meta http-equiv=\"refresh\" "
			    "content=\"0; url=%s\"><title>zedperl explore</title>\n",
			    url);
		if (close(fd) == 0 && n > 0)
			return true;
		unlink(b->file);
	}
	b->file[0] = '\0';
	return false;
}

/* As its own process, which is not waited for. */
static void start(const char *file)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		signal(SIGPIPE, SIG_DFL);
		if (fork() == 0 && setsid() >= 0 && null >= 0 && dup2(null, 0) >= 0 &&
		    dup2(null, 1) >= 0 && dup2(null, 2) >= 0)
			execlp("xdg-open", "xdg-open", file, (char *)NULL);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void browser_open(struct browser *b, const char *url)
{
	b->file[0] = '\0';
	if (is_desktop() && write_file(b, url))
		start(b->file);
}

void browser_close(struct browser *b)
{
	if (b->file[0])
		unlink(b->file);
	b->file[0] = '\0';
}
