// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server: accepts connections, gives each client a process of its own, and supervises them: limits
 * their number and ends those that stay too long.
 */
#include "record/net/server/server.h"

#include "record/net/server/ledger.h"
#include "record/net/server/mux.h"
#include "record/net/server/quota.h"
#include "record/net/server/rate.h"
#include "record/net/server/confine.h"
#include "record/net/server/one_client.h"
#include "record/net/server/client_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
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

#define MAX_LISTENERS 8
#define MAX_OF_HOST 16 /* clients from one address: so that one host cannot keep all others out */
#define BACKLOG 64
#define PORT_TRIES 16 /* port 0: to find one that is free on all addresses */
#define TICK_MS 100
#define LAST_MS 5000	  /* for the reader of streams to take the rest */
#define GRACE_MS 10000	  /* for clients to finish their files when the server ends */
#define SCAN_MS 10000	  /* how often the contents of DIR are counted again ... */
#define FULL_SCAN_MS 500  /* ... and if it is full when a client comes */
#define LEAST (64u << 10) /* bytes that must be left of the total to let a client in */
#define SAY_MS 60000	  /* how often the same trouble is reported */
#define PRESSED_MS 5000	  /* a client silent for less never loses its place */
#define ROOM_MS 5000	  /* how long a new client waits for the place of one that shall end */

struct server {
	const struct server_opts *o;
	int listeners[MAX_LISTENERS];
	unsigned nlisteners;
	struct ledger *ledger;
	struct rate rate;
	pid_t pids[LEDGER_PLACES]; /* 0: that place is free */
	char from[LEDGER_PLACES][64];
	unsigned nchildren;
	int dir;     /* -1: to_stdout */
	int quit[2]; /* clients' processes see it close when the server ends */
	int lock;
	uint64_t scanned; /* ms: when DIR was last counted */
	uint64_t said;	  /* ms: when it was last reported that no connection can be accepted */
	uint64_t room;	  /* ms: until when to wait for a place; 0: not waiting */
	bool open;	  /* other machines can connect */
	struct mux *mux;  /* to_stdout: the streams; NULL: they go to files */
	bool served;	  /* to_stdout: there has been a stream */
};

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
}

/* ---- listening ---- */

/* A listener for each of ALL; port 0: that of the first is *PORT for all. */
static int listen_each(struct server *s, const struct addrinfo *all, unsigned *port, struct err *e)
{
	int rc = 0;

	for (const struct addrinfo *a = all; a && rc == 0 && s->nlisteners < MAX_LISTENERS;
	     a = a->ai_next) {
		struct sockaddr_storage at = { 0 };
		socklen_t len = sizeof(at);
		int fd;

		memcpy(&at, a->ai_addr, a->ai_addrlen);
		/* Port "0": that of the first address for all. */
		if (*port && at.ss_family == AF_INET6)
			((struct sockaddr_in6 *)&at)->sin6_port = htons(*port);
		else if (*port)
			((struct sockaddr_in *)&at)->sin_port = htons(*port);
		fd = tcp_listen((struct sockaddr *)&at, a->ai_addrlen, BACKLOG, e);
		if (fd < 0) {
			/* A machine without IPv6 is no reason to fail. */
			if (e->sys == EADDRINUSE || e->sys == EACCES)
				rc = -1;
			continue;
		}
		s->listeners[s->nlisteners++] = fd;
		s->open |= !tcp_is_loopback(&at);
		if (!*port && getsockname(fd, (struct sockaddr *)&at, &len) == 0)
			*port = tcp_port(&at);
	}
	return rc;
}

static void end_listening(struct server *s)
{
	for (unsigned i = 0; i < s->nlisteners; i++)
		close(s->listeners[i]);
	s->nlisteners = 0;
}

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
	if (rc == EAI_SERVICE)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid port \"%s\": expected 1 to 65535, or a name from "
			       "/etc/services",
			       port);
	if (rc)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "cannot listen on %s, port %s: %s",
			       s->o->addr ? s->o->addr : "loopback", port,
			       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	/* The port that is free for one address may not be so for another. */
	for (unsigned i = 0; i < PORT_TRIES; i++) {
		end_listening(s);
		any = 0;
		rc = listen_each(s, all, &any, e);
		if (rc == 0 || strcmp(port, "0") || e->sys != EADDRINUSE)
			break;
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

/* In the process of a client: close what only the server needs. */
static void become_child(struct server *s)
{
	struct rlimit files;

	signal(SIGINT, SIG_IGN); /* the server says when to end */
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	end_listening(s);
	close(s->quit[1]);
	if (s->mux)
		mux_child(s->mux);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

/* The client of FD gets only the reason, which is also logged. */
static void turn_away(struct server *s, int fd, const char *from, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void turn_away(struct server *s, int fd, const char *from, const char *fmt, ...)
{
	char why[WIRE_MAX_WHY], line[WIRE_MAX_WHY + 16];
	va_list ap;
	int len;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	serve_say(s->o, "server: %s: dropped: %s", from, why);
	len = snprintf(line, sizeof(line), WIRE_BUSY ": %s\n", why);
	/* A new connection has room for that.  A client that does not read gets no reason. */
	if (send(fd, line, len, MSG_DONTWAIT | MSG_NOSIGNAL) == len)
		shutdown(fd, SHUT_WR);
}

static void fork_client(struct server *s, int fd, const char *from, const char *host)
{
	int place, out = -1;
	struct err e;
	pid_t pid;

	if (s->mux) {
		out = mux_open(s->mux, from, &e);
		if (out < 0) {
			turn_away(s, fd, from, "%s", e.msg);
			return;
		}
	}
	place = ledger_enter(s->ledger, host, tcp_now());
	pid = place < 0 ? -1 : fork();
	if (pid == 0) {
		struct serve_opts o = { .server = s->o,
					.control = fd,
					.from = from,
					.dir = s->dir,
					.out = out,
					.quit = s->quit[0],
					.lock = s->lock,
					.ledger = s->ledger,
					.place = place };

		become_child(s);
		_exit(serve_client(&o));
	}
	if (out >= 0)
		close(out);
	if (pid < 0) {
		turn_away(s, fd, from, "cannot create a process: %s", strerror(errno));
		if (place >= 0)
			ledger_leave(s->ledger, place);
		return;
	}
	s->pids[place] = pid;
	snprintf(s->from[place], sizeof(s->from[0]), "%s", from);
	s->nchildren++;
}

/* Count the contents of DIR again, unless that was done within MS: some may have been removed. */
static void count_kept(struct server *s, unsigned ms)
{
	uint64_t now = tcp_now();

	if (!s->ledger->max_total || (s->scanned && now - s->scanned < ms))
		return;
	s->ledger->kept = servedir_bytes(s->dir, s->ledger);
	s->scanned = now;
}

/* Is too little space left for one more client? */
static bool is_full(struct server *s)
{
	if (!s->ledger->max_total)
		return false;
	if (ledger_total(s->ledger) + LEAST > s->ledger->max_total)
		count_kept(s, FULL_SCAN_MS);
	return ledger_total(s->ledger) + LEAST > s->ledger->max_total;
}

/*
 * All places are taken (of HOST; NULL: of all): the client that has been silent longest loses its
 * place, if it was silent for at least a hundredth of the limit.
 */
static bool make_room(struct server *s, const char *host)
{
	uint64_t enough = s->o->idle_ms / 100, now = tcp_now(), heard;
	int place = ledger_silent(s->ledger, host);

	if (!s->o->idle_ms || place < 0)
		return false;
	if (enough < PRESSED_MS)
		enough = PRESSED_MS;
	heard = s->ledger->places[place].heard;
	if (heard > now || now - heard < enough)
		return false;
	s->ledger->places[place].leave = true;
	return true;
}

static void take_client(struct server *s, int listener)
{
	struct sockaddr_storage a = { 0 };
	socklen_t len = sizeof(a);
	char from[64], host[64], size[32];
	enum rate_is often;
	unsigned same = 0;
	int fd = accept4(listener, (struct sockaddr *)&a, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		/* Out of descriptors, for example: do not spin. */
		if (!s->said || tcp_now() - s->said > SAY_MS)
			serve_say(s->o, "server: cannot accept a connection: %s: it has to wait",
				  strerror(errno));
		s->said = tcp_now();
		nap();
		return;
	}
	tcp_text(&a, from);
	tcp_host(&a, host);
	often = rate_count(&s->rate, host, tcp_now());
	if (often != RATE_FINE) {
		if (often == RATE_FIRST_TOO_MANY)
			serve_say(s->o,
				  "server: %s: more than %u connections in a minute: further ones "
				  "are closed without a message",
				  from, RATE_MAX);
		close(fd);
		return;
	}
	for (unsigned i = 0; i < LEDGER_PLACES; i++)
		same += s->pids[i] && !strcmp(s->ledger->places[i].host, host);
	serve_say(s->o, "server: connection from %s", from);
	if (same >= MAX_OF_HOST) {
		make_room(s, host);
		turn_away(s, fd, from, "it already has %u connection%s", same, plural(same));
	} else if (s->nchildren == LEDGER_PLACES) {
		turn_away(s, fd, from, "all %u places are taken", LEDGER_PLACES);
	} else if (is_full(s)) {
		turn_away(s, fd, from,
			  "the recordings fill the limit of %s for all of them (--max-total)",
			  quota_text(s->ledger->max_total, size));
	} else {
		fork_client(s, fd, from, host);
	}
	close(fd);
}

/* May a client that connects be accepted?  False: all places are taken, it has to wait a moment. */
static bool may_accept(struct server *s)
{
	uint64_t now = tcp_now();

	if (s->nchildren < LEDGER_PLACES) {
		s->room = 0;
		return true;
	}
	if (!s->room && make_room(s, NULL))
		s->room = now + ROOM_MS;
	return now >= s->room;
}

/* Clean up after a client whose process was killed by a signal, or failed. */
static void say_crash(struct server *s, unsigned place, int status)
{
	const char *dir = s->ledger->places[place].dir, *base = s->o->dir ? s->o->dir : ".";
	char name[LEDGER_NAME], file[LEDGER_NAME + 16], how[64];

	/* A process that failed may have written anything there. */
	snprintf(name, sizeof(name), "%.*s", (int)strnlen(dir, LEDGER_NAME - 1), dir);
	if (strchr(name, '/') || *name == '.')
		*name = '\0';
	snprintf(file, sizeof(file), "%s/trace.dat", name);
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM))
		snprintf(how, sizeof(how), "its process ran too long");
	else if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "its process was killed by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "its process exited with status %d",
			 WEXITSTATUS(status));
	if (!*name || s->dir < 0)
		serve_say(s->o, "server: %s: %s", s->from[place], how);
	else if (faccessat(s->dir, file, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		serve_say(s->o, "server: %s: %s: everything received is in %s/%s", s->from[place],
			  how, base, file);
	else if (unlinkat(s->dir, name, AT_REMOVEDIR) < 0 && errno == ENOTEMPTY)
		serve_say(s->o,
			  "server: %s: %s: everything received is kept: run zedtrace "
			  "--recover %s/%s.zed",
			  s->from[place], how, base, file);
	else
		serve_say(s->o, "server: %s: %s: nothing of it is kept", s->from[place], how);
}

static void reap(struct server *s)
{
	for (unsigned i = 0; i < LEDGER_PLACES; i++) {
		int status = 0;
		pid_t pid;

		if (!s->pids[i])
			continue;
		pid = waitpid(s->pids[i], &status, WNOHANG);
		if (pid == 0 || (pid < 0 && errno == EINTR))
			continue;
		if (pid > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) > SERVE_FAILED))
			say_crash(s, i, status);
		if (pid > 0 && s->o->to_stdout &&
		    (!WIFEXITED(status) || WEXITSTATUS(status) != SERVE_REFUSED))
			s->served = true;
		s->pids[i] = 0;
		s->nchildren--;
		ledger_leave(s->ledger, i);
	}
}

/* Wait a moment, and pass on what the streams of clients have meanwhile. */
static void wait_for_children(struct server *s)
{
	struct pollfd p[MUX_LANES + 1];

	if (s->mux && mux_move(s->mux))
		poll(p, mux_polls(s->mux, p), 5);
	else
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

/* The end: the clients' processes finish their files. */
static void end_children(struct server *s)
{
	uint64_t end = tcp_now() + GRACE_MS;

	close(s->quit[1]);
	s->quit[1] = -1;
	while (s->nchildren && tcp_now() < end) {
		reap(s);
		if (s->nchildren)
			wait_for_children(s);
	}
	for (unsigned i = 0; i < LEDGER_PLACES; i++)
		if (s->pids[i])
			kill(s->pids[i], SIGKILL);
	while (s->nchildren) {
		reap(s);
		if (s->nchildren)
			wait_for_children(s);
	}
	if (s->mux && !mux_end(s->mux, LAST_MS))
		note_say(s->o->notes, NOTE_DAMAGE,
			 "server: the reader of the stream did not read the rest within %u s: the "
			 "stream has no end mark",
			 LAST_MS / 1000);
}

/* The stream could not be written. */
static void say_unwritten(const struct server *s)
{
	struct err e;

	errno = mux_error(s->mux);
	if (!errno)
		return;
	err_sys(&e, ERR_NO_OFF, "server: cannot write the stream to standard output");
	note_err(s->o->notes, NOTE_DAMAGE, &e);
}

/* ---- start ---- */

/*
 * Ports are opened as the user who started us; nothing is received before root privileges are
 * dropped.
 */
static int give_up_root(const struct server *s, struct err *e)
{
	struct runas who;

	if (!s->o->user) {
		if (s->open && geteuid() == 0)
			serve_say(s->o, "server: serving other machines as root: with --user NAME "
					"it drops root once it listens");
		return 0;
	}
	TRY(runas_find(&who, s->o->user, e));
	return runas_become(&who, s->o->user, e);
}

static int prepare(struct server *s, struct err *e)
{
	TRY(listen_all(s, e));
	TRY(give_up_root(s, e));
	if (!s->o->to_stdout) {
		s->dir = servedir_open(s->o->dir ? s->o->dir : ".", s->o->notes, e);
		if (s->dir < 0)
			return -1;
	} else {
		s->mux = mux_new(STDOUT_FILENO, e);
		if (!s->mux)
			return -1;
	}
	s->lock = memfd_create("zed-server-lock", MFD_CLOEXEC);
	s->ledger = ledger_new();
	if (s->lock < 0 || !s->ledger || pipe2(s->quit, O_CLOEXEC) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot start");
	s->ledger->max_total = s->o->to_stdout ? 0 : s->o->max_total;
	return 0;
}

static void wait_for_work(struct server *s)
{
	struct pollfd p[MAX_LISTENERS + MUX_LANES + 1];
	unsigned n = s->nlisteners, of_mux;
	int rc;

	for (unsigned i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = s->listeners[i], .events = POLLIN };
	of_mux = s->mux ? mux_polls(s->mux, p + n) : 0;
	/* A child's exit or a stop between two checks is seen at the next tick. */
	rc = poll(p, n + of_mux, TICK_MS);
	if (rc < 0 && errno != EINTR)
		nap();
	if (rc <= 0)
		return;
	if (s->mux && (p[n].revents & POLLERR || !mux_move(s->mux)))
		s->ledger->unread = true;
	for (unsigned i = 0; i < n; i++)
		if (p[i].revents && may_accept(s))
			take_client(s, s->listeners[i]);
	/* A client that has to wait keeps its listener readable: do not spin. */
	if (s->room)
		nap();
}

/* Have all streams ended? */
static bool is_over(const struct server *s)
{
	return s->ledger->unread ||
	       (s->served && !s->o->stay && !s->nchildren && !mux_busy(s->mux));
}

int server_run(const struct server_opts *o, struct err *e)
{
	struct server s = { .o = o, .quit = { -1, -1 }, .lock = -1, .dir = -1 };
	int rc = prepare(&s, e);

	if (rc == 0) {
		count_kept(&s, 0);
		serve_say(o, "server: waiting for connections...");
	}
	while (rc == 0 && !*o->stop && !is_over(&s)) {
		wait_for_work(&s);
		reap(&s);
		count_kept(&s, SCAN_MS);
	}
	if (s.quit[1] >= 0)
		end_children(&s);
	if (s.mux)
		say_unwritten(&s);
	end_listening(&s);
	for (unsigned i = 0; i < 2; i++)
		if (s.quit[i] >= 0)
			close(s.quit[i]);
	if (s.lock >= 0)
		close(s.lock);
	if (s.dir >= 0)
		close(s.dir);
	mux_free(s.mux);
	ledger_free(s.ledger);
	return rc;
}
