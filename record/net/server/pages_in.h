/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_PAGES_IN_H
#define ZED_RECORD_NET_SERVER_PAGES_IN_H

#include "record/net/server/ledger.h"
#include "record/net/server/meta_check.h"
#include "record/net/server/quota.h"
#include "record/net/wire.h"
#include "record/output.h"

/*
 * The data connections of one client: a listening socket for each CPU, which takes one connection
 * and only from the client's own address; the bytes that come are cut into sub-buffers and given
 * to an output.
 */
#define PAGES_IN_MAX_MEMORY (64u << 20) /* bytes of unfinished sub-buffers, all CPUs together */

struct pages_in;

/* Open them on the address that the client of CONTROL connected to.  NULL with E. */
struct pages_in *pages_in_new(int control, unsigned ncpus, uint32_t page_size, struct err *e);
void pages_in_free(struct pages_in *in);

/* Their ports as RINIT has them, with NULs, into BUF of WIRE_DATA bytes; returns the length. */
uint32_t pages_in_ports(const struct pages_in *in, char *buf);

struct pages_in_run {
	int control;
	struct wire_reader *reader; /* of the control connection */
	struct output *out;
	int lane; /* the pipe that OUT writes to and the mux empties; -1: a file */
	const struct meta_check *meta_check; /* layout of the pages */
	struct quota *quota;		     /* for pages and names */
	uint64_t idle_ms;		     /* how long the client may be silent; 0: for ever */
	struct ledger_place *place;	     /* gets when the client was last heard; may end us */
	bool rounds;			     /* call OUT's round, and count events: a live stream */
	struct tcp_wait wait;		     /* stop, quit */
	uint64_t names_watermark;	     /* all names before this have come, if any are sent */
	unsigned ncpus;
	uint32_t page_size;
	struct pages_in_cpu {
		uint64_t bytes, events; /* events; only with ROUNDS */
	} * cpus;			/* NCPUS, zeroed by the caller; borrowed */

	/* Results: */
	bool closed;		  /* the client ended as it should */
	bool gone;		  /* the output's consumer has ended */
	bool stopped;		  /* was asked to end */
	const char *why;	  /* not closed: what happened; NULL: it hung up */
	unsigned halves;	  /* CPUs whose last sub-buffer is incomplete: left out */
	uint64_t events, dropped; /* with ROUNDS */
	uint64_t newest;	  /* with ROUNDS: time of the newest event */
	struct pages_in_told {	  /* by a zedtrace -h; others send nothing */
		char *comms;
		size_t comms_len, comms_cap;
		char **stats; /* one a CPU, or NULL */
		unsigned messages;
		bool total; /* these two were received: */
		uint64_t events, dropped;
	} told; /* freed by pages_in_told_fini() */
};

/* Run until the client closes, dies, or breaks the protocol.  -1 with E: the output failed. */
int pages_in_run(struct pages_in *in, struct pages_in_run *r, struct err *e);

/*
 * Take one whole sub-buffer of CPU, less than R->ncpus: P, R->page_size bytes.  0; 1: R->quota is
 * used up, or the output's consumer has ended (R->gone); -1 with E.
 */
int pages_in_take(struct pages_in_run *r, unsigned cpu, const uint8_t *p, struct err *e);

/* Is it to end, as nothing has been received up to NOW (ms)?  R->why says so. */
bool pages_in_silent(struct pages_in_run *r, uint64_t now);

/* Close all connections. */
void pages_in_shut(struct pages_in *in);

void pages_in_told_fini(struct pages_in_told *t, unsigned ncpus);

/* ---- between pages_in.c and control_in.c ---- */

/* The control connection of a client during pages_in_run(). */
struct control_in {
	uint64_t begin;	     /* ms: of the run */
	uint64_t heard;	     /* ms: when names or statistics last came; 0: never */
	unsigned odd, alive; /* invalid messages, and signs of life */
};

/*
 * Handle what the client has sent, into R, without waiting for more.  True: nothing more follows,
 * as it has ended (R->closed), hung up, sent something invalid (R->why), or reached its limit.
 */
bool control_take(struct control_in *c, struct pages_in_run *r);

#endif
