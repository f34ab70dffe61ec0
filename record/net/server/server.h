/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_SERVER_H
#define ZED_RECORD_NET_SERVER_SERVER_H

#include "base/err.h"
#include "record/net/token.h"
#include "record/net/wire.h"

/*
 * The receiving half (zedtrace -l) of trace-cmd's protocol V3 over TCP.  Each client is served by a
 * process of its own, with bounded memory, time and disk, and leaves
 * DIR/ADDRESS-YYYY-MM-DD-HH:MM:SS/trace.dat ("-2", "-3" after it for more in the same second).
 * Runs until *STOP is set; then the connected clients get a moment to end, and their files are
 * finished.
 */
#define SERVER_HOST_CPUS 2
#define SERVER_ALL_CPUS 4

struct server_opts {
	const char *addr;   /* NULL: loopback; "0.0.0.0", "::" (both IPs), a name */
	const char *port;   /* NULL: WIRE_PORT; "0": any free one, which SAY reports */
	const char *dir;    /* NULL: the current directory */
	const char *user;   /* the user that root becomes once it listens; NULL: it stays root */
	uint64_t max_size;  /* bytes that one client may fill, metadata included; 0: no limit */
	uint64_t max_total; /* bytes that all recordings in DIR may fill; 0: no limit */
	uint64_t idle_ms;   /* how long a client may be silent; 0: no limit */
	unsigned max_cpus;  /* of one client (0: WIRE_MAX_CPUS); of one host SERVER_HOST_CPUS
				   times as many, of all together SERVER_ALL_CPUS times */
	const struct token *token; /* that clients have to know; NULL: none */
	bool to_stdout; /* -o -: the streams of all clients as one, a carrier; the server ends
				   when there were some, and the last one has ended ... */
	bool stay;	/* ... but continues with this */
	const volatile int *stop;
	/*
	 * "server: connection from ..."; called in this process and in those of the clients.  A
	 * report is given in one call, with newlines between its lines, so that two do not mix:
	 * write it at once.
	 */
	void (*say)(void *arg, const char *line);
	void *arg;
	struct notes *notes;
};

/* 0: it was stopped (or its single stream has ended); -1 with E: it cannot listen. */
int server_run(const struct server_opts *o, struct err *e);

#endif
