// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sd_notify: reports the state of a service to its manager, by one datagram each.
 */
#include "base/sd_notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The address that PATH names; "@NAME" is an abstract one.  Returns its length; 0: it is none. */
static socklen_t address_of(const char *path, struct sockaddr_un *a)
{
	size_t len = path ? strlen(path) : 0;

	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (len < 2 || len >= sizeof(a->sun_path) || (*path != '/' && *path != '@'))
		return 0;
	memcpy(a->sun_path, path, len);
	if (*path == '@')
		a->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (*path == '/'));
}

bool sd_notify_send(const char *state)
{
	struct sockaddr_un a;
	socklen_t size = address_of(getenv("NOTIFY_SOCKET"), &a);
	size_t len = strlen(state);
	ssize_t sent;
	int fd;

	if (!size)
		return false;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	do
		sent = sendto(fd, state, len, MSG_NOSIGNAL, (struct sockaddr *)&a, size);
	while (sent < 0 && errno == EINTR);
	close(fd);
	return sent == (ssize_t)len;
}

/* The number in variable NAME; 0: there is none. */
static uint64_t number_in(const char *name)
{
	const char *text = getenv(name);
	char *end;
	uint64_t n;

	if (!text || strspn(text, "0123456789") != strlen(text))
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	return errno ? 0 : n;
}

uint64_t sd_notify_watchdog(void)
{
	uint64_t usec = number_in("WATCHDOG_USEC");

	/* A command that the service started inherits the variables. */
	if (getenv("WATCHDOG_PID") && number_in("WATCHDOG_PID") != (uint64_t)getpid())
		return 0;
	return usec <= UINT64_MAX / 1000 ? usec * 1000 : 0;
}
