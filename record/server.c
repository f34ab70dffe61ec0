// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server: turns connections into processes that serve one client each, and looks after them: how
 * many there are, and that none stays.
 */
#include "server.h"
#include "reader/mem.h"
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_LISTENERS	8
#define MAX_CLIENTS	64
#define MAX_OF_HOST	16	/* of them from one address: one host cannot keep all others out */
#define BACKLOG		64
#define TICK_MS		100
#define GRACE_MS	10000	/* for clients to finish their files when the server ends */

struct child {
	pid_t pid;
	char from[64];
};

struct server {
	const struct server_opts *o;
	int listeners[MAX_LISTENERS];
	unsigned nlisteners;
	struct child children[MAX_CLIENTS];
	unsigned nchildren;
	int quit[2];		/* the children's processes see its end */
	int lock;
	bool streamed;		/* to_stdout: the stream has been */
};

/* ---- listening ---- */

static int listen_all(struct server *s, struct err *e)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM }, *all;
	char def[16];
	const char *port = s->o->port ? s->o->port : def;
	unsigned any = 0;
	int rc;

	snprintf(def, sizeof(def), "%d", WIRE_PORT);
	/* Without an address and AI_PASSIVE this gives loopback. */
	rc = getaddrinfo(s->o->addr, port, &hints, &all);
	if (rc)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "cannot listen on %s, port %s: %s",
			       s->o->addr ? s->o->addr : "loopback", port,
			       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	rc = 0;
	for (struct addrinfo *a = all; a && rc == 0 && s->nlisteners < MAX_LISTENERS;
	     a = a->ai_next) {
		struct sockaddr_storage at = { 0 };
		socklen_t len = sizeof(at);
		int fd;

		memcpy(&at, a->ai_addr, a->ai_addrlen);
		/* Port "0": that of the first address for all. */
		if (any && at.ss_family == AF_INET6)
			((struct sockaddr_in6 *)&at)->sin6_port = htons(any);
		else if (any)
			((struct sockaddr_in *)&at)->sin_port = htons(any);
		fd = tcp_listen((struct sockaddr *)&at, a->ai_addrlen, BACKLOG, e);
		if (fd < 0) {
			/* A machine without IPv6 is no reason to fail. */
			if (e->sys == EADDRINUSE || e->sys == EACCES)
				rc = -1;
			continue;
		}
		s->listeners[s->nlisteners++] = fd;
		if (!any && getsockname(fd, (struct sockaddr *)&at, &len) == 0)
			any = tcp_port(&at);
	}
	freeaddrinfo(all);
	if (rc < 0 || !s->nlisteners)
		return err_within(e, "%s, port %s%s", s->o->addr ? s->o->addr : "loopback", port,
				  e->sys == EADDRINUSE ? " (another server there? choose with -p)" :
				  "");
	if (!strcmp(port, "0"))
		serve_say(s->o, "server: listening on port %u", any);
	return 0;
}

/* ---- clients ---- */

/* Everything of the server's own that a client's process has no use for. */
static void become_child(struct server *s)
{
	struct rlimit files;

	signal(SIGINT, SIG_IGN);	/* the server tells us when to end */
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < s->nlisteners; i++)
		close(s->listeners[i]);
	close(s->quit[1]);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static void serve(struct server *s, int fd, const char *from)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct serve_opts o = { .server = s->o, .control = fd, .from = from,
					.quit = s->quit[0], .lock = s->lock };

		become_child(s);
		_exit(serve_client(&o));
	}
	if (pid < 0) {
		serve_say(s->o, "server: %s: dropped: cannot make a process: %s", from,
			  strerror(errno));
		return;
	}
	s->children[s->nchildren].pid = pid;
	snprintf(s->children[s->nchildren].from, sizeof(s->children[0].from), "%s", from);
	s->nchildren++;
}

static void take_client(struct server *s, int listener)
{
	struct sockaddr_storage a = { 0 };
	socklen_t len = sizeof(a);
	char from[64];
	unsigned same = 0;
	int fd = accept4(listener, (struct sockaddr *)&a, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		struct timespec nap = { .tv_nsec = 50000000 };

		/* Out of descriptors, say: not a loop that spins. */
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			nanosleep(&nap, NULL);
		return;
	}
	tcp_text(&a, from);
	for (unsigned i = 0; i < s->nchildren; i++)
		same += !strcmp(s->children[i].from, from);
	serve_say(s->o, "server: connection from %s", from);
	if (s->o->to_stdout && s->nchildren)
		serve_say(s->o, "server: %s: dropped: busy with the stream of %s", from,
			  s->children[0].from);
	else if (same >= MAX_OF_HOST)
		serve_say(s->o, "server: %s: dropped: it has %u connections already", from, same);
	else
		serve(s, fd, from);
	close(fd);
}

static void reap(struct server *s)
{
	for (unsigned i = 0; i < s->nchildren;) {
		struct child *c = &s->children[i];
		int status = 0;
		pid_t pid = waitpid(c->pid, &status, WNOHANG);

		if (pid == 0 || (pid < 0 && errno == EINTR)) {
			i++;
			continue;
		}
		if (pid > 0 && WIFSIGNALED(status))
			serve_say(s->o, "server: %s: its process ended by signal %d: \"zedtrace "
				  "--recover\" can make a file of what it left",
				  c->from, WTERMSIG(status));
		if (pid > 0 && s->o->to_stdout &&
		    (!WIFEXITED(status) || WEXITSTATUS(status) != SERVE_REFUSED))
			s->streamed = true;
		*c = s->children[--s->nchildren];
	}
}

/* The end: the clients' processes finish their files. */
static void end_children(struct server *s)
{
	struct timespec nap = { .tv_nsec = 5000000 };
	uint64_t end = tcp_now() + GRACE_MS;

	close(s->quit[1]);
	s->quit[1] = -1;
	while (s->nchildren && tcp_now() < end) {
		reap(s);
		if (s->nchildren)
			nanosleep(&nap, NULL);
	}
	for (unsigned i = 0; i < s->nchildren; i++)
		kill(s->children[i].pid, SIGKILL);
	while (s->nchildren) {
		reap(s);
		if (s->nchildren)
			nanosleep(&nap, NULL);
	}
}

static int check_dir(const struct server_opts *o, struct err *e)
{
	const char *dir = o->dir ? o->dir : ".";
	struct stat st;

	if (o->to_stdout)
		return 0;
	if (stat(dir, &st) < 0)
		err_sys(e, ERR_NO_OFF, "cannot keep recordings in it (make it with mkdir)");
	else if (!S_ISDIR(st.st_mode))
		err_set(e, ERR_USAGE, ERR_NO_OFF, "is no directory");
	else if (access(dir, W_OK | X_OK) < 0)
		err_sys(e, ERR_NO_OFF, "cannot keep recordings in it (choose another with -D)");
	else
		return 0;
	return err_path(e, dir);
}

int server_run(const struct server_opts *o, struct err *e)
{
	struct server s = { .o = o, .quit = { -1, -1 }, .lock = -1 };
	int rc = -1;

	if (check_dir(o, e) < 0 || listen_all(&s, e) < 0)
		goto out;
	s.lock = memfd_create("zed-server-lock", MFD_CLOEXEC);
	if (s.lock < 0 || pipe2(s.quit, O_CLOEXEC) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot begin");
		goto out;
	}
	serve_say(o, "server: waiting for connections...");
	while (!*o->stop && !s.streamed) {
		struct pollfd p[MAX_LISTENERS + 1];
		unsigned n = s.nchildren < MAX_CLIENTS ? s.nlisteners : 0;

		for (unsigned i = 0; i < n; i++)
			p[i] = (struct pollfd){ .fd = s.listeners[i], .events = POLLIN };
		/* Asked for nothing, poll() still tells of a pipe whose reader has ended. */
		p[n] = (struct pollfd){ .fd = o->to_stdout ? STDOUT_FILENO : -1 };
		/* Children and a stop that came between two looks are seen at the next tick. */
		if (poll(p, n + 1, TICK_MS) > 0) {
			s.streamed |= (p[n].revents & POLLERR) != 0;
			for (unsigned i = 0; i < n && s.nchildren < MAX_CLIENTS; i++)
				if (p[i].revents)
					take_client(&s, s.listeners[i]);
		}
		reap(&s);
	}
	end_children(&s);
	rc = 0;
out:
	for (unsigned i = 0; i < s.nlisteners; i++)
		close(s.listeners[i]);
	for (unsigned i = 0; i < 2; i++)
		if (s.quit[i] >= 0)
			close(s.quit[i]);
	if (s.lock >= 0)
		close(s.lock);
	return rc;
}
