/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_CLIENT_H
#define ZED_RECORD_NET_CLIENT_H

#include "record/net/token.h"
#include "record/net/wire.h"
#include "record/output.h"

/*
 * The sending half of trace-cmd's V3 protocol over TCP (format.md 8): to a zedtrace -l or a stock
 * trace-cmd listen.
 */
struct client_opts {
	const char *host; /* HOST[:PORT], [IPv6]:PORT; port: WIRE_PORT */
	const int *cpus;  /* CPUs that may have pages */
	unsigned ncpus;
	uint32_t page_size; /* sub-buffer, bytes */
	bool pack;	    /* pack with zstd, if the server accepts it */
	const struct token
		*token; /* to be proved to a server that demands it, and by it; or NULL */
	/*
	 * How long (ms) to connect again after a connection has broken; 0: not at all; UINT64_MAX:
	 * for ever.  Only to a server of ours.
	 */
	uint64_t again_ms;
	const volatile int *stop;		  /* set by a signal: ends long waits */
	void (*say)(void *arg, const char *line); /* "zed: connecting to HOST": to be shown.
							   May be NULL */
	void *arg;
};

/*
 * Connects at once, the data connections too.  What O points to is borrowed until the output is
 * closed.  NULL with E, which says what to do (refused, no such
 * host, a server of another version, one that hangs).
 */
struct output *client_new(const struct client_opts *o, struct err *e);

#endif
