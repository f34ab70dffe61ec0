/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_CLIENT_PRIV_H
#define ZED_RECORD_NET_CLIENT_PRIV_H

#include "record/added_formats.h"
#include "record/net/client.h"

struct pollfd;

#define CLIENT_TAKE_MS 30000 /* a server that takes nothing for this long hangs */
#define CLIENT_LOOK_MS 100   /* how often to check whether the server has ended */
#define CLIENT_END_MS 20000  /* at the end: for a server of ours to take the rest */

/* What it needs of the past, to continue after a connection has broken: client_again.c. */
struct client_again {
	struct client_opts opts;
	uint64_t since;	    /* ms: when the connection broke; 0: it has not, or is there again */
	uint64_t next;	    /* ms: the time of the next try ... */
	unsigned pause;	    /* ... and the pause after that, ms */
	unsigned last;	    /* tries after the end of the recording */
	uint64_t connected; /* ms: since when */
	bool final;	    /* do not: the server does not want us again, or all was sent */
	bool over;	    /* no more tries */
	struct err why;	    /* the last failure */
	struct meta meta;   /* a copy, as is CLOCK */
	char *clock;
	struct added_formats formats;
	struct client_cpu {
		uint64_t found; /* its events that the server has in streams that have ended ... */
		uint64_t part;	/* ... and in those since the last next() */
		uint64_t lost;	/* events lost before its next page, where that is to be marked */
	} * cpus;
	uint64_t bytes, own; /* of the streams that have ended, as struct output has them */
	uint64_t gap, lost;  /* events lost on the way: since the connection broke; before */
	uint8_t *page;	     /* a sub-buffer, to be marked */
};

/* How its trace clock is compared with the server's (client_time.c), if that answers TIME. */
struct client_clock {
	bool answers;	      /* it does */
	int id;		      /* the clock to read; -1: it cannot be read */
	uint64_t asked;	      /* number of the last question; 0: it has been answered */
	uint64_t trip, ahead; /* of the best answer: ns there and back, server's time minus ours */
	uint64_t next;	      /* ms: when to ask again */
};

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
	int32_t self;		       /* the same */
	bool zed;		       /* the server is one of ours */
	bool one;		       /* ... which takes everything on the control connection */
	uint64_t looked;	       /* ms: when the connections were last checked */
	uint64_t spoke;		       /* ms: when the last sign of life was sent ... */
	uint32_t speak_ms;	       /* ... and how often the server expects one; 0: never */
	struct pollfd *polls;	       /* the data connections, for look_at_server() */
	bool broken;		       /* nothing more can be sent */
	struct client_again again;
	bool watched;	       /* names are sent with their times */
	struct output *stream; /* ONE: what writes to the connection */
	uint64_t stored;       /* ONE: bytes of the stream that the server has acknowledged */
	bool packs;	       /* ONE: the stream is packed */
	struct client_clock clock;
};

/* A wait of this many ms, which a signal ends early. */
struct tcp_wait client_patience(const struct client *c, unsigned ms);

/* Is M the server's reason for ending the run?  client_say_why() makes it the error E; -1. */
bool client_is_why(const struct wire_msg *m);
int client_say_why(struct client *c, const struct wire_msg *m, struct err *e);

/* Connect to the server of O, and agree on how to send: as client_new(), whose C it is. */
int client_connect(struct client *c, const struct client_opts *o, struct err *e);

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

/*
 * The stream's writer has returned RC.  0: continue, perhaps away; -1 with E: the connection has
 * failed, for good.
 */
int client_answer(struct client *c, int rc, struct err *e);

/* ---- client_again.c ---- */

void client_again_init(struct client *c, const struct client_opts *o);
void client_again_begin(struct client *c, const struct meta *m);
void client_again_fini(struct client *c);

/* The connection has failed, for the reason WHY.  True: C is away now, and connects again. */
bool client_again_leave(struct client *c, const struct err *why);

/* output_ops.due and next. */
bool client_again_due(struct output *o, uint64_t time);
int client_again_next(struct output *o, const struct output_end *end, struct err *e);

/* Were events of CPU lost before what comes next?  Then that sub-buffer goes to the second one. */
bool client_again_marks(const struct client *c, int cpu);
int client_again_page(struct client *c, int cpu, const uint8_t *p, uint32_t used,
		      uint32_t page_size, struct err *e);

/* The sub-buffer P of CPU is not sent: what was lost before it is to be marked in a later one. */
void client_again_missed(struct client *c, int cpu, const uint8_t *p);

/* Room for a sub-buffer. */
uint8_t *client_again_room(struct client *c);

/* output_ops.close. */
void client_close(struct output *o);

/* Make C, which has one connection, the output that sends a zed stream on it.  -1 with E. */
int client_stream_begin(struct client *c, struct err *e);

#endif
