/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_CLIENT_PRIV_H
#define ZED_RECORD_NET_CLIENT_PRIV_H

#include "record/net/client.h"

struct pollfd;

#define CLIENT_TAKE_MS 30000 /* a server that takes nothing for so long hangs */
#define CLIENT_LOOK_MS 100   /* how often a server that ended is looked for */
#define CLIENT_END_MS 20000  /* at the end: for a server of ours to take the rest */

/*
 * A client that is connected.  client.c makes the connection, and sends to a server with a
 * connection for each CPU; client_stream.c sends all on one, to a server of ours.
 */
struct client {
	struct output base; /* must be first */
	char host[300];	    /* as the user named it */
	int control;
	struct wire_reader in;
	int *data; /* by CPU; -1: none */
	unsigned ndata;
	uint32_t page_size, page_head; /* of a sub-buffer (struct meta) */
	bool zed;		       /* the server is one of ours */
	bool one;		       /* ... which takes everything on the control connection */
	uint64_t looked;	       /* ms: when the connections were looked at */
	uint64_t spoke;		       /* ms: when the server was told that we live ... */
	uint32_t speak_ms;	       /* ... which it wants so often; 0: it does not */
	struct pollfd *polls;	       /* the data connections, for look_at_server() */
	bool broken;		       /* nothing more can be sent */
	bool watched;		       /* names are sent with their times */
	struct output *stream;	       /* ONE: what writes to the connection */
	uint64_t stored;      /* ONE: bytes of the stream that the server has acknowledged */
	bool packs;	      /* ONE: the stream is packed */
	bool tells_time;      /* ONE: the server answers frames TIME ... */
	int clock_id;	      /* ... and so we read the trace clock; -1: we cannot */
	uint64_t asked;	      /* what the last one had; 0: it is answered */
	uint64_t trip, ahead; /* of the best answer: ns there and back, server's time less ours */
	uint64_t next_time;   /* ms: when to ask again */
};

/* Waits of so many ms, which a signal cuts short. */
struct tcp_wait client_patience(const struct client *c, unsigned ms);

/* Does M tell why the server ends the run?  Then client_say_why() makes it the error E; -1. */
bool client_is_why(const struct wire_msg *m);
int client_say_why(const struct wire_msg *m, struct err *e);

/*
 * The connection failed: E gets who, how much was sent, and what the server said last, if it
 * says why.  -1.
 */
int client_failed(struct client *c, struct err *e);

/* Has a message of the server the number that only our streams have?  Then it is taken in. */
bool client_hears(struct client *c, const struct wire_msg *m);

/* What the server has said so far.  0; WIRE_END: it has ended; -1 with E: so it has, and why. */
int client_hear(struct client *c, struct err *e);

/*
 * Compare the trace clock, CLOCK by name, with the server's, and tell that in the stream, which has
 * begun and has no pages yet, and wait until the server has that in its place among the streams
 * of others; and compare them again now and then.  0, or as output_ops.
 */
int client_time_begin(struct client *c, const char *clock, struct err *e);
int client_time_again(struct client *c, struct err *e);
void client_time_heard(struct client *c, const struct wire_msg *m);

/* output_ops.close. */
void client_close(struct output *o);

/* Make C, which has one connection, the output that sends a zed stream on it.  -1 with E. */
int client_stream_begin(struct client *c, struct err *e);

#endif
