/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_CLIENT_PRIV_H
#define ZED_RECORD_NET_CLIENT_PRIV_H

#include "record/net/client.h"

struct pollfd;

#define CLIENT_TAKE_MS 30000 /* a server that takes nothing for this long hangs */
#define CLIENT_LOOK_MS 100   /* how often to check whether the server has ended */
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
	uint64_t looked;	       /* ms: when the connections were last checked */
	uint64_t spoke;		       /* ms: when the last sign of life was sent ... */
	uint32_t speak_ms;	       /* ... and how often the server expects one; 0: never */
	struct pollfd *polls;	       /* the data connections, for look_at_server() */
	bool broken;		       /* nothing more can be sent */
	bool watched;		       /* names are sent with their times */
	struct output *stream;	       /* ONE: what writes to the connection */
	uint64_t stored;      /* ONE: bytes of the stream that the server has acknowledged */
	bool packs;	      /* ONE: the stream is packed */
	bool tells_time;      /* ONE: the server answers TIME frames ... */
	int clock_id;	      /* ... and the clock to read for them; -1: it cannot be read */
	uint64_t asked;	      /* number of the last one; 0: it has been answered */
	uint64_t trip, ahead; /* of the best answer: ns there and back, server's time minus ours */
	uint64_t next_time;   /* ms: when to ask again */
};

/* A wait of this many ms, which a signal ends early. */
struct tcp_wait client_patience(const struct client *c, unsigned ms);

/* Is M the server's reason for ending the run?  client_say_why() makes it the error E; -1. */
bool client_is_why(const struct wire_msg *m);
int client_say_why(const struct wire_msg *m, struct err *e);

/*
 * The connection failed: E gets the server, how much was sent, and the server's reason, if it sent
 * one.  -1.
 */
int client_failed(struct client *c, struct err *e);

/* Is it a message that only our streams have, by its number?  Then it is handled. */
bool client_hears(struct client *c, const struct wire_msg *m);

/*
 * Read what the server has sent so far.  0; WIRE_END: it has ended; -1 with E: ended, with a
 * reason.
 */
int client_hear(struct client *c, struct err *e);

/*
 * Compare the trace clock, named CLOCK, with the server's, write the result to the stream, which
 * has begun and has no pages yet, and wait until the server has put that in its place among the
 * other streams; the second function repeats the comparison now and then.  0, or as output_ops.
 */
int client_time_begin(struct client *c, const char *clock, struct err *e);
int client_time_again(struct client *c, struct err *e);
void client_time_heard(struct client *c, const struct wire_msg *m);

/* output_ops.close. */
void client_close(struct output *o);

/* Make C, which has one connection, the output that sends a zed stream on it.  -1 with E. */
int client_stream_begin(struct client *c, struct err *e);

#endif
