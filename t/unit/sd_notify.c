// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sd_notify: what a manager that listens gets, by a path and by an abstract name, and when it asks
 * for signs of life.  Without it a unit of Type=notify never becomes active, or its watchdog kills
 * a recorder that works.
 *
 * of: base/sd_notify.c
 */
#include "base/sd_notify.h"
#include "t/lib/c/tap.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	size_t len = strlen(path);

	memcpy(a.sun_path, path, len);
	if (*path == '@')
		a.sun_path[0] = '\0';
	if (bind(fd, (struct sockaddr *)&a,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		bail("no socket for the test");
	return fd;
}

/* What has arrived at FD; "" for nothing. */
static const char *got(int fd)
{
	static char text[200];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void test_at(const char *path, const char *what)
{
	int fd = listen_at(path);

	setenv("NOTIFY_SOCKET", path, 1);
	ok(sd_notify_send("READY=1\nSTATUS=x"), "sent to %s", what);
	is_str(got(fd), "READY=1\nSTATUS=x",
	       "and it is there, whole (else: the unit never starts)");
	close(fd);
	ok(!sd_notify_send("READY=1"), "nothing listens any more: false, and no signal");
}

static void test_watchdog(void)
{
	char pid[32];

	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
	is_u64(sd_notify_watchdog(), 0, "no watchdog");
	setenv("WATCHDOG_USEC", "1500000", 1);
	is_u64(sd_notify_watchdog(), 1500000000, "one of 1.5 s, in ns");
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	is_u64(sd_notify_watchdog(), 1500000000, "of this process");
	setenv("WATCHDOG_PID", "1", 1);
	is_u64(sd_notify_watchdog(), 0,
	       "of another one (else: a command answers for its recorder)");
	unsetenv("WATCHDOG_PID");
	setenv("WATCHDOG_USEC", "soon", 1);
	is_u64(sd_notify_watchdog(), 0, "what is not a number is none");
	setenv("WATCHDOG_USEC", "99999999999999999999", 1);
	is_u64(sd_notify_watchdog(), 0, "nor is one that does not fit");
}

int main(void)
{
	char dir[80], path[100], name[64], longer[300];

	tap_template(dir, sizeof(dir), "/tmp", "notify");
	if (!mkdtemp(dir))
		bail("no temporary directory");
	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(name, sizeof(name), "@zednotify.%d", (int)getpid());
	unsetenv("NOTIFY_SOCKET");
	ok(!sd_notify_send("READY=1"), "no manager: nothing is sent");
	test_at(path, "a path");
	test_at(name, "an abstract name");
	setenv("NOTIFY_SOCKET", "relative", 1);
	ok(!sd_notify_send("READY=1"), "a path that is not whole is not one");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	setenv("NOTIFY_SOCKET", longer, 1);
	ok(!sd_notify_send("READY=1"), "nor one that no address can hold (else: memory behind it)");
	test_watchdog();
	unlink(path);
	rmdir(dir);
	return tap_done();
}
