/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_ONE_CLIENT_H
#define ZED_RECORD_NET_SERVER_ONE_CLIENT_H

#include "record/net/server/ledger.h"
#include "record/net/server/server.h"

/* One client of a server, from its handshake to its report. */
struct serve_opts {
	const struct server_opts *server;
	int control;	  /* the accepted connection, borrowed */
	const char *from; /* the client's address as text */
	int quit;	  /* ends when the server does */
	int lock;	  /* a file that the clients' processes lock in turn */
	int dir;	  /* the server's directory; -1: to_stdout */
	int out;	  /* to_stdout: where its stream goes; else -1 */
	struct ledger *ledger;
	unsigned place; /* this client's place in it */
};

enum serve_end {
	SERVE_DONE,    /* its data were taken, all or some */
	SERVE_REFUSED, /* nothing was taken */
	SERVE_FAILED,  /* the output failed */
};

/* Never fails: errors are reported. */
enum serve_end serve_client(const struct serve_opts *o);

/* "server: " and so on, as printf, to the server's SAY. */
void serve_say(const struct server_opts *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
