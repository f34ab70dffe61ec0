/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_RELAY_RELAY_H
#define ZED_READER_CTF_RELAY_RELAY_H

#include "base/err.h"

#include <sys/types.h>

/*
 * A viewer of a relay daemon of LTTng (lttng-relayd), which passes the packets of a live session on
 * as they are recorded: its side of the protocol (lttng-tools: doc/live-reading-protocol.md,
 * src/bin/lttng-relayd/lttng-viewer-abi.hpp; version 2.4, which all later ones speak).  The viewer
 * asks, the daemon answers; it sends nothing by itself.  Whatever it sends is hostile: each number
 * is limited here.  A wait for an answer is limited, too (RELAY_WAIT_MS).
 */
#define RELAY_PORT 5344
#define RELAY_WAIT_MS 5000
#define RELAY_MAX_PACKET (64u << 20) /* bytes */

struct relay;

/* A stream of packets, or of metadata, of the trace TRACE. */
struct relay_stream {
	uint64_t id, trace;
	bool metadata;
};

/* Return false if it cannot be taken: that ends the call with E. */
typedef bool relay_take(void *arg, const struct relay_stream *s, struct err *e);

enum relay_status {
	RELAY_OK = 1,
	RELAY_RETRY,	/* there is none yet */
	RELAY_HUP,	/* ... and will not be: the stream has ended */
	RELAY_ERR,	/* ... as the daemon cannot read it */
	RELAY_INACTIVE, /* there is none up to `end` */
	RELAY_EOF,	/* as RELAY_HUP */
};

/* Of each answer about an index or a packet. */
struct relay_news {
	bool metadata; /* new metadata are needed to read it */
	bool streams;  /* the session has new streams */
};

/* Where a packet is, and when it begins and ends, by the trace's clock. */
struct relay_index {
	enum relay_status status;
	struct relay_news news;
	uint64_t off, size, end; /* bytes, bytes, cycles */
};

/* Does PATH name a session, or a relay daemon: lttng://..., net://...? */
bool relay_is_url(const char *path);

/*
 * Connect to lttng://HOST[:PORT]/host/HOSTNAME/SESSION (or net://), and find the session: the
 * daemon has one of that name for each domain.  NULL with E: if URL names no session, E lists those
 * that there are.  Once STOP (may be NULL) is set, no answer is waited for longer than TCP_STOP_MS.
 */
struct relay *relay_open(const char *url, const volatile int *stop, struct err *e);

/* Leave the session, and close the connection.  NULL is fine. */
void relay_close(struct relay *r);

/* Ask for its data from the beginning: calls TAKE for each stream.  -1 with E. */
int relay_attach(struct relay *r, relay_take *take, void *arg, struct err *e);

/* The streams that are new.  *ENDED: the session was destroyed.  -1 with E. */
int relay_new_streams(struct relay *r, relay_take *take, void *arg, bool *ended, struct err *e);

/* The next packet of stream ID into INDEX.  -1 with E. */
int relay_index(struct relay *r, uint64_t id, struct relay_index *index, struct err *e);

/*
 * The packet at OFF of stream ID: SIZE bytes, at most RELAY_MAX_PACKET, into *P, to be freed (NULL
 * unless the status is RELAY_OK).  Returns its status (RELAY_OK, RETRY, ERR or EOF); -1 with E.
 */
int relay_packet(struct relay *r, uint64_t id, uint64_t off, uint64_t size, uint8_t **p,
		 struct relay_news *news, struct err *e);

/*
 * Append the next metadata of stream ID to the *LEN bytes at *P (mem.h), at most MOST in all.  1;
 * 0: there are none now; -1 with E.
 */
int relay_metadata(struct relay *r, uint64_t id, uint8_t **p, size_t *len, size_t most,
		   struct err *e);

#endif
