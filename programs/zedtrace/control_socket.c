// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_socket: the socket at which a running recorder is asked; its clients are served by the
 * recorder's own loop.
 */
#include "programs/zedtrace/control_socket.h"

#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

const char *const CONTROL_WORDS[CONTROL_REQUESTS] = { "status", "json", "snapshot" };

struct control_client {
	int fd;		/* -1: this place is free */
	unsigned asked; /* its request; 0: its line is not complete */
	uint64_t until; /* for the line: CLOCK_MONOTONIC, ns */
	char line[CONTROL_LINE];
	size_t len;
};

struct control {
	int fd;
	struct sockaddr_un at;
	struct control_client v[CONTROL_CLIENTS];
};

bool control_folder(char *buf, size_t size)
{
	const char *named = getenv("RUNTIME_DIRECTORY"), *own = getenv("XDG_RUNTIME_DIR");
	int n;

	/* There may be several, with colons between. */
	if (named && *named == '/')
		n = snprintf(buf, size, "%.*s", (int)strcspn(named, ":"), named);
	else if (!geteuid())
		n = snprintf(buf, size, "/run/zedtrace");
	else if (own && *own == '/')
		n = snprintf(buf, size, "%s/zedtrace", own);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

/* ---- start and end ---- */

/* The address of process PID's socket.  False: its path is too long. */
static bool address(struct sockaddr_un *a, const char *folder, pid_t pid)
{
	int n;

	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(a->sun_path, sizeof(a->sun_path), "%s/%d.sock", folder, (int)pid);
	return n > 0 && (size_t)n < sizeof(a->sun_path);
}

static int listen_at(const char *folder, struct sockaddr_un *a, struct err *e)
{
	int fd;

	if (!address(a, folder, getpid()))
		return err_set(e, ERR_SYS, ERR_NO_OFF, "%s: the path of a socket in it is too long",
			       folder);
	if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		return err_sys(e, ERR_NO_OFF, "cannot create %s", folder);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot create a socket");
	/* Left by an earlier process of this number. */
	unlink(a->sun_path);
	/* The mode of the descriptor is that of the file from its first moment. */
	if (fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)a, sizeof(*a)) == 0 &&
	    listen(fd, CONTROL_CLIENTS) == 0)
		return fd;
	err_sys(e, ERR_NO_OFF, "cannot listen at %s", a->sun_path);
	close(fd);
	return -1;
}

struct control *control_open(struct notes *n)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct control *c;
	struct err e;
	pid_t *others;

	if (!control_folder(folder, sizeof(folder))) {
		note_say(n, NOTE_INFO,
			 "no folder for a socket (XDG_RUNTIME_DIR): --status does "
			 "not reach this recorder");
		return NULL;
	}
	/* Killed ones leave theirs. */
	control_list(folder, &others);
	free(others);
	c = mem_zalloc(sizeof(*c));
	for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
		c->v[i].fd = -1;
	c->fd = listen_at(folder, &c->at, &e);
	if (c->fd >= 0)
		return c;
	err_within(&e, "--status does not reach this recorder");
	note_err(n, NOTE_INFO, &e);
	free(c);
	return NULL;
}

static void drop(struct control_client *cl)
{
	if (cl->fd >= 0)
		close(cl->fd);
	*cl = (struct control_client){ .fd = -1 };
}

void control_close(struct control *c)
{
	if (!c)
		return;
	unlink(c->at.sun_path);
	for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
		drop(&c->v[i]);
	close(c->fd);
	free(c);
}

/* ---- clients ---- */

unsigned control_fds(const struct control *c, struct pollfd *fds, unsigned max)
{
	unsigned n = 0;
	bool room = false;

	for (unsigned i = 0; c && i < CONTROL_CLIENTS; i++) {
		room |= c->v[i].fd < 0;
		if (c->v[i].fd >= 0 && !c->v[i].asked && n < max)
			fds[n++] = (struct pollfd){ .fd = c->v[i].fd, .events = POLLIN };
	}
	if (c && room && n < max)
		fds[n++] = (struct pollfd){ .fd = c->fd, .events = POLLIN };
	return n;
}

/* One write: the socket's buffer has room for it.  A client that does not read loses it. */
static void answer(struct control_client *cl, bool ok, const char *text)
{
	char whole[CONTROL_ANSWER];
	int n = snprintf(whole, sizeof(whole), "%s\n%s", ok ? "ok" : "failed", text);
	size_t len = n < 0 ? 0 : (size_t)n < sizeof(whole) ? (size_t)n : sizeof(whole) - 1;

	if (send(cl->fd, whole, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		errno = 0;
	drop(cl);
}

static bool may_ask(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
	       (who.uid == 0 || who.uid == geteuid());
}

static void take_clients(struct control *c, uint64_t now)
{
	for (unsigned i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *cl = &c->v[i];

		if (cl->fd >= 0)
			continue;
		cl->fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (cl->fd < 0)
			return;
		cl->until = now + CONTROL_MS * 1000000ull;
		if (!may_ask(cl->fd))
			answer(cl, false, "only the recorder's user and root may ask");
	}
}

/* The request in a client's line; 0: it has none. */
static unsigned request_in(const char *line, size_t len)
{
	for (unsigned i = 0; i < CONTROL_REQUESTS; i++)
		if (strlen(CONTROL_WORDS[i]) == len && !memcmp(line, CONTROL_WORDS[i], len))
			return 1u << i;
	return 0;
}

static void read_line(struct control_client *cl, uint64_t now)
{
	ssize_t n = recv(cl->fd, cl->line + cl->len, sizeof(cl->line) - cl->len, MSG_DONTWAIT);
	const char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (now >= cl->until)
			drop(cl);
		return;
	}
	if (n <= 0) {
		drop(cl);
		return;
	}
	cl->len += (size_t)n;
	end = memchr(cl->line, '\n', cl->len);
	if (end)
		cl->asked = request_in(cl->line, (size_t)(end - cl->line));
	if (!cl->asked && (end || cl->len == sizeof(cl->line)))
		answer(cl, false, "this recorder does not know that request");
}

unsigned control_look(struct control *c, uint64_t now)
{
	unsigned came = 0;

	if (!c)
		return 0;
	take_clients(c, now);
	for (unsigned i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *cl = &c->v[i];

		if (cl->fd < 0 || cl->asked)
			continue;
		read_line(cl, now);
		came |= cl->asked;
	}
	return came;
}

void control_answer(struct control *c, enum control_request request, bool ok, const char *text)
{
	for (unsigned i = 0; c && i < CONTROL_CLIENTS; i++)
		if (c->v[i].fd >= 0 && c->v[i].asked == request)
			answer(&c->v[i], ok, text);
}
