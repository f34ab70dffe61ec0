/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_TCP_H
#define ZED_BASE_TCP_H

#include "base/err.h"

#include <netdb.h>
#include <sys/types.h>

/*
 * TCP with a timeout for every wait.  All sockets are non-blocking and close-on-exec; nothing here
 * raises SIGPIPE.
 */
struct tcp_wait {
	unsigned ms;		  /* how long the peer may keep us waiting */
	const volatile int *stop; /* once it is set, TCP_STOP_MS at most.  May be NULL */
	int quit;		  /* -1, or a descriptor whose EOF means the same */
};

#define TCP_STOP_MS 2000
#define TCP_LATE_MS 3000

uint64_t tcp_now(void); /* ms of the monotonic clock */

/* Has STOP been set, or QUIT ended? */
bool tcp_stopped(const struct tcp_wait *w);

/*
 * Wait until FD has one of EVENTS (poll's).  1: it has; 0: timeout; -1 with E.  *LEFT (ms) is
 * reduced by the time waited.
 */
int tcp_poll(int fd, short events, const struct tcp_wait *w, unsigned *left, struct err *e);

/* "HOST", "HOST:PORT", "[V6]:PORT", "::1" into HOST and SERVICE (PORT where none is named). */
int tcp_name(const char *name, unsigned port, char host[256], char service[32], struct err *e);

/*
 * Connect to HOST; W->ms for each of its addresses.  Returns the socket, -1 with E, which names the
 * host and what to look at; with sys ECONNREFUSED the caller knows which server is missing.
 */
int tcp_connect(const char *host, const char *service, const struct tcp_wait *w, struct err *e);

/*
 * Connect to another port of the peer of FD.  A refused connect is retried for TCP_LATE_MS:
 * trace-cmd listen reports its ports before the processes that it starts for them listen.
 */
int tcp_connect_beside(int fd, unsigned port, const struct tcp_wait *w, struct err *e);

/* A listening socket on A (port 0: any). */
int tcp_listen(const struct sockaddr *a, socklen_t len, int backlog, struct err *e);

/* All LEN bytes; W->ms without any progress is too long. */
int tcp_send(int fd, const void *p, size_t len, const struct tcp_wait *w, struct err *e);

/* LEN bytes within W->ms; fewer if the peer closes early.  -1 with E. */
ssize_t tcp_recv(int fd, void *p, size_t len, const struct tcp_wait *w, struct err *e);

/* LEN bytes from PIPE to FD, without a copy. */
int tcp_splice(int fd, int pipe, size_t len, const struct tcp_wait *w, struct err *e);

/* Wait until the peer's machine has acknowledged everything sent. */
int tcp_drain(int fd, const struct tcp_wait *w, struct err *e);

/* Notice a peer that has gone (in about 2 minutes), and send small things at once. */
void tcp_keepalive(int fd);

/*
 * The address A as text: numbers only, an IPv4-mapped IPv6 address as IPv4.  Returns BUF.
 */
const char *tcp_text(const struct sockaddr_storage *a, char buf[64]);
unsigned tcp_port(const struct sockaddr_storage *a);
bool tcp_is_loopback(const struct sockaddr_storage *a);

/*
 * What identifies a host: its address, for IPv6 the /64, which belongs to one host.  Returns BUF.
 */
const char *tcp_host(const struct sockaddr_storage *a, char buf[64]);
bool tcp_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

#endif
