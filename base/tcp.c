// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp: host names, addresses and sockets; sends and receives that cannot hang: each wait has a
 * timeout and checks the stop flag.
 */
#include "base/tcp.h"

#include "base/mono.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SLICE_MS 100 /* maximum delay until a stop flag is seen */
#define RETRY_MS 10  /* until a refused connect is retried */

uint64_t tcp_now(void)
{
	return mono_ns() / 1000000;
}

bool tcp_stopped(const struct tcp_wait *w)
{
	struct pollfd p = { .fd = w->quit, .events = POLLIN };

	if (w->stop && *w->stop)
		return true;
	return w->quit >= 0 && poll(&p, 1, 0) > 0;
}

int tcp_poll(int fd, short events, const struct tcp_wait *w, unsigned *left, struct err *e)
{
	uint64_t begin = tcp_now(), now = begin, end = begin + *left;
	bool stopped = false;
	int rc = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = events };
		int ms;

		if (!stopped && tcp_stopped(w)) {
			stopped = true;
			if (end > now + TCP_STOP_MS)
				end = now + TCP_STOP_MS;
		}
		ms = end > now ? (end - now < SLICE_MS ? (int)(end - now) : SLICE_MS) : 0;
		rc = poll(&p, 1, ms);
		if (rc > 0)
			rc = 1;
		if (rc < 0 && errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot wait for the network");
		now = tcp_now();
		if (rc > 0 || now >= end)
			break;
	}
	*left = now < begin + *left ? begin + *left - now : 0;
	return rc < 0 ? 0 : rc;
}

/* ---- names ---- */

int tcp_name(const char *name, unsigned port, char host[256], char service[32], struct err *e)
{
	const char *colon = strrchr(name, ':'), *end = name + strlen(name);

	snprintf(service, 32, "%u", port);
	if (*name == '[') {
		end = strchr(++name, ']');
		if (!end || (end[1] && end[1] != ':'))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "\"[%s\": an IPv6 address is written [ADDRESS]:PORT", name);
		colon = end[1] ? end + 1 : NULL;
	} else if (colon && strchr(name, ':') != colon) {
		colon = NULL; /* a bare IPv6 address */
	} else if (colon) {
		end = colon;
	}
	if (end == name || end - name > 255 || (colon && (!colon[1] || strlen(colon + 1) > 31)))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid address \"%s\": expected HOST[:PORT], for example "
			       "localhost:%u",
			       name, port);
	snprintf(host, 256, "%.*s", (int)(end - name), name);
	if (!colon)
		return 0;
	snprintf(service, 32, "%s", colon + 1);
	if (!service[strspn(service, "0123456789")] &&
	    (strtoul(service, NULL, 10) > 65535 || !strtoul(service, NULL, 10)))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "\"%s\": invalid port %s: expected 1 to 65535", name, service);
	return 0;
}

const char *tcp_text(const struct sockaddr_storage *a, char buf[64])
{
	char *p;

	if (getnameinfo((const struct sockaddr *)a, sizeof(*a), buf, 64, NULL, 0, NI_NUMERICHOST))
		snprintf(buf, 64, "unknown");
	p = strrchr(buf, ':');
	if (!strncmp(buf, "::ffff:", 7) && strchr(buf, '.'))
		memmove(buf, p + 1, strlen(p + 1) + 1);
	return buf;
}

unsigned tcp_port(const struct sockaddr_storage *a)
{
	return ntohs(a->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port :
						((const struct sockaddr_in *)a)->sin_port);
}

bool tcp_is_loopback(const struct sockaddr_storage *a)
{
	char text[64];

	tcp_text(a, text);
	return !strncmp(text, "127.", 4) || !strcmp(text, "::1");
}

const char *tcp_host(const struct sockaddr_storage *a, char buf[64])
{
	const uint8_t *v6 = ((const struct sockaddr_in6 *)a)->sin6_addr.s6_addr;

	tcp_text(a, buf);
	if (strchr(buf, ':') && !tcp_is_loopback(a))
		snprintf(buf, 64, "%02x%02x:%02x%02x:%02x%02x:%02x%02x::/64", v6[0], v6[1], v6[2],
			 v6[3], v6[4], v6[5], v6[6], v6[7]);
	return buf;
}

bool tcp_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	char ta[64], tb[64];

	return !strcmp(tcp_text(a, ta), tcp_text(b, tb));
}

static void set_port(struct sockaddr_storage *a, unsigned port)
{
	if (a->ss_family == AF_INET6)
		((struct sockaddr_in6 *)a)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)a)->sin_port = htons(port);
}

/* ---- connecting and listening ---- */

void tcp_keepalive(int fd)
{
	int one = 1, idle = 60, every = 10, times = 6, lost_ms = 120000;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &lost_ms, sizeof(lost_ms));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static int connect_one(const struct sockaddr *a, socklen_t len, const struct tcp_wait *w,
		       struct err *e)
{
	int fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), bad = 0, rc;
	socklen_t size = sizeof(bad);
	unsigned left = w->ms;

	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot create a socket");
	rc = connect(fd, a, len);
	if (rc < 0 && errno == EINPROGRESS) {
		rc = tcp_poll(fd, POLLOUT, w, &left, e);
		if (rc < 0) {
			close(fd);
			return -1;
		}
		if (rc == 0)
			bad = ETIMEDOUT;
		else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &bad, &size) < 0)
			bad = errno;
		errno = bad;
		rc = bad ? -1 : 0;
	}
	if (rc < 0) {
		err_sys(e, ERR_NO_OFF, "%s", "");
		close(fd);
		return -1;
	}
	tcp_keepalive(fd);
	return fd;
}

int tcp_connect(const char *host, const char *service, const struct tcp_wait *w, struct err *e)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM }, *all;
	int rc = getaddrinfo(host, service, &hints, &all), fd = -1;

	if (rc == EAI_SERVICE)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s: invalid port \"%s\": expected 1 to 65535, or a name from "
			       "/etc/services",
			       host, service);
	if (rc)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s, port %s: %s (is the name right?)",
			       host, service,
			       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	for (struct addrinfo *a = all; a && fd < 0; a = a->ai_next)
		fd = connect_one(a->ai_addr, a->ai_addrlen, w, e);
	freeaddrinfo(all);
	if (fd >= 0)
		return fd;
	if (e->sys == ECONNREFUSED) {
		err_set(e, ERR_SYS, ERR_NO_OFF, "%s: no server listens on port %s", host, service);
		e->sys = ECONNREFUSED;
		return -1;
	}
	if (e->sys == ETIMEDOUT)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "%s: port %s does not answer (a firewall in between?)", host,
			       service);
	return err_within(e, "%s: cannot connect to port %s", host, service);
}

int tcp_connect_beside(int fd, unsigned port, const struct tcp_wait *w, struct err *e)
{
	uint64_t end = tcp_now() + TCP_LATE_MS;
	struct sockaddr_storage a = { 0 };
	socklen_t len = sizeof(a);

	if (getpeername(fd, (struct sockaddr *)&a, &len) < 0)
		return err_sys(e, ERR_NO_OFF, "the server closed the connection");
	set_port(&a, port);
	do
		fd = connect_one((struct sockaddr *)&a, len, w, e);
	while (fd < 0 && e->sys == ECONNREFUSED && tcp_now() < end && !tcp_stopped(w) &&
	       poll(NULL, 0, RETRY_MS) == 0);
	if (fd < 0)
		return err_within(e, "cannot connect to its data port %u (a firewall in between?)",
				  port);
	return fd;
}

int tcp_listen(const struct sockaddr *a, socklen_t len, int backlog, struct err *e)
{
	int fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1,
	    v6 = 1;

	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot create a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->sa_family == AF_INET6) {
		/* "::" is every address, IPv4's too. */
		v6 = memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr, &in6addr_any,
			    sizeof(in6addr_any)) &&
		     !IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)a)->sin6_addr);
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6, sizeof(v6));
	}
	if (bind(fd, a, len) < 0 || listen(fd, backlog) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot listen");
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- bytes ---- */

static int sent_none(struct err *e, const struct tcp_wait *w)
{
	if (tcp_stopped(w))
		return err_set(e, ERR_SYS, ERR_NO_OFF, "the peer accepts no data");
	return err_set(e, ERR_SYS, ERR_NO_OFF, "the peer has accepted no data for %u seconds",
		       w->ms / 1000);
}

int tcp_send(int fd, const void *p, size_t len, const struct tcp_wait *w, struct err *e)
{
	unsigned left = w->ms;
	int rc;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n > 0) {
			p = (const char *)p + n;
			len -= n;
			left = w->ms;
		} else if (n < 0 && errno == EAGAIN) {
			rc = tcp_poll(fd, POLLOUT, w, &left, e);
			if (rc <= 0)
				return rc < 0 ? -1 : sent_none(e, w);
		} else if (n < 0 && errno != EINTR) {
			return err_sys(e, ERR_NO_OFF, "cannot send");
		}
	}
	return 0;
}

ssize_t tcp_recv(int fd, void *p, size_t len, const struct tcp_wait *w, struct err *e)
{
	unsigned left = w->ms;
	size_t done = 0;
	int rc;

	while (done < len) {
		ssize_t n = recv(fd, (char *)p + done, len - done, 0);

		if (n == 0)
			break;
		if (n > 0) {
			done += n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return err_sys(e, ERR_NO_OFF, "cannot receive");
		rc = tcp_poll(fd, POLLIN, w, &left, e);
		if (rc < 0)
			return -1;
		if (rc == 0)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       tcp_stopped(w) ? "stopped" : "no answer for %u seconds",
				       w->ms / 1000);
	}
	return done;
}

int tcp_splice(int fd, int pipe, size_t len, const struct tcp_wait *w, struct err *e)
{
	unsigned left = w->ms;
	int rc;

	while (len) {
		ssize_t n = splice(pipe, NULL, fd, NULL, len, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n == 0)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       "the pipe of pages is empty too early");
		if (n > 0) {
			len -= n;
			left = w->ms;
		} else if (errno == EAGAIN) {
			rc = tcp_poll(fd, POLLOUT, w, &left, e);
			if (rc <= 0)
				return rc < 0 ? -1 : sent_none(e, w);
		} else if (errno != EINTR) {
			return err_sys(e, ERR_NO_OFF, "cannot send");
		}
	}
	return 0;
}

int tcp_drain(int fd, const struct tcp_wait *w, struct err *e)
{
	struct timespec nap = { .tv_nsec = 2000000 };
	uint64_t last = tcp_now();
	int was = -1, left;

	while (ioctl(fd, SIOCOUTQ, &left) == 0 && left > 0) {
		struct pollfd p = { .fd = fd }; /* no events requested: errors are reported */
		uint64_t now = tcp_now();

		if (poll(&p, 1, 0) > 0)
			return err_set(e, ERR_SYS, ERR_NO_OFF, "the peer reset the connection");

		if (left != was)
			last = now;
		was = left;
		if (now - last > w->ms || (tcp_stopped(w) && now - last > TCP_STOP_MS))
			return sent_none(e, w);
		nanosleep(&nap, NULL);
	}
	return 0;
}
