/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_WIRE_H
#define ZED_RECORD_NET_WIRE_H

#include "base/bytes.h"
#include "base/tcp.h"

/*
 * Messages of trace-cmd's protocol V3 (format.md 8.2), both ways: 12 bytes of header {u32 bytes in
 * total, u32 command, u32 bytes of the fixed part}, the fixed part, data; numbers big endian.
 */
#define WIRE_PORT 12345 /* stock has no default; ours, on both sides */
#define WIRE_MAX 8192	/* bytes of a message */
#define WIRE_HEAD 12
#define WIRE_DATA (WIRE_MAX - WIRE_HEAD)
#define WIRE_MAX_CPUS ((WIRE_MAX - WIRE_HEAD - 4) / 6) /* CPUs whose ports fit into RINIT */

#define WIRE_BANNER "tracecmd" /* what a server sends first, without its NUL */
#define WIRE_V3 "V3"
#define WIRE_WANT_V3 "-1V3"   /* a V1 server takes this for a number of CPUs */
#define WIRE_MAGIC "766679\0" /* with the NULs: 8 bytes */
#define WIRE_OK "OK"

/*
 * Our clients and servers send more than stock does, where stock does not look: a server that has
 * no place sends WIRE_BUSY and a line in place of the banner, and its NOT_SUPP has the reason as
 * text in its data.
 */
#define WIRE_BUSY "zedtrace" /* then ": WHY\n", and the end */
#define WIRE_MAX_WHY 240     /* bytes of these texts */

enum wire_command {
	WIRE_CLOSE,
	WIRE_TINIT,
	WIRE_RINIT,
	WIRE_SEND_DATA,
	WIRE_FIN_DATA,
	WIRE_NOT_SUPP,

	/*
	 * Between our clients and servers only: if TINIT has the option "zed" and RINIT a fixed
	 * part of 12 bytes {u32 cpus, u32 WIRE_ZED, u32 ms: how often partly filled pages shall be
	 * sent}, these may come before CLOSE.  Stock ignores the option.  With 4 bytes more, {u32
	 * ms: how often the client says WIRE_ZED_ALIVE}, the server answers its CLOSE: with CLOSE
	 * if it has stored everything, else with NOT_SUPP and the reason.  With 4 bytes more, {u32
	 * WIRE_TAKES_NAMES}, a client may send an empty WIRE_ZED_NAMES before its FIN_DATA: it
	 * watches all names, and sends them while it records.
	 */
	WIRE_ZED = 0x5a454400,
	WIRE_ZED_COMMS, /* data: a piece of lines "PID COMM\n": all names known at the end */
	WIRE_ZED_STATS, /* fixed: u32 cpu; data: its per_cpu/cpuN/stats */
	WIRE_ZED_TOTAL, /* fixed: u64 events, u64 dropped, as the kernel counted them */
	WIRE_ZED_ALIVE, /* empty */
	/*
	 * fixed: u64 watermark, before which all names have been sent, 0: nothing new; data: names
	 * with their times (trace/comms/comm_log.h), whole ones
	 */
	WIRE_ZED_NAMES,
	/*
	 * From the server, if TINIT has the option "zed-stream", too, and RINIT, then without
	 * ports, has WIRE_ONE_STREAM: after RINIT the client sends a zed stream
	 * (docs/zed-stream.pod) on this connection, and nothing else.  Frames of it may be packed
	 * where RINIT has WIRE_TAKES_PACKED, too.  fixed: u64 bytes: all pages of the stream up to
	 * there are stored; a packed frame counts as long as what it has packed.  It is sent about
	 * ten times a second, and before the server's CLOSE or NOT_SUPP, which answers the stream's
	 * END, or comes instead of it.  As long as there are no pages, it is also sent when the
	 * server has nothing else to do; if the server puts several streams into one, what it
	 * acknowledges then precedes everything that others send from then on.
	 */
	WIRE_ZED_STORED,
	/*
	 * If RINIT has WIRE_TELLS_TIME, too: the answer to a frame TIME.  fixed: u64 copied from
	 * it, u64 ns of the server's CLOCK_MONOTONIC.
	 */
	WIRE_ZED_TIME,
	/*
	 * Before RINIT, if the server demands a token, and TINIT has the option "zed-token": a
	 * random number, fixed: TOKEN_NONCE bytes (token.h).  The client answers with
	 * WIRE_ZED_PROOF, fixed: its own number and its proof; if that is right, WIRE_ZED_PROOF
	 * comes back, fixed: the server's proof, and then RINIT.
	 */
	WIRE_ZED_NONCE,
	WIRE_ZED_PROOF,
	/*
	 * If TINIT has the option "zed-pace", too, and the streams of several clients are merged:
	 * fixed: u32 ms: how far apart the rounds of a client to which nothing happens may be, as
	 * events of others wait for them; 0: as it likes.
	 */
	WIRE_ZED_PACE,
};

#define WIRE_COME_AGAIN 1 /* fixed: u32 of a NOT_SUPP: the client may connect again */

#define WIRE_TAKES_NAMES 1 /* these bits are RINIT's fifth number */
#define WIRE_ONE_STREAM 2
#define WIRE_TELLS_TIME 4
#define WIRE_TAKES_PACKED 8

#define WIRE_MAX_COMMS (8u << 20) /* bytes of all names */

/* A message as it was received; FIXED and DATA point into the reader's buffer. */
struct wire_msg {
	unsigned command;
	const uint8_t *fixed, *data;
	uint32_t fixed_len, data_len;
};

/* Buffers what comes on a control connection. */
struct wire_reader {
	size_t have, used; /* bytes in buf; of them those of the message given last */
	uint8_t buf[WIRE_MAX];
};

/*
 * Take what FD has, without waiting.  1: a message is in M, valid until the next call; 0: not yet;
 * -1 with E: an invalid message or a failure; WIRE_END: the peer has closed.
 */
#define WIRE_END 2
int wire_take(struct wire_reader *r, int fd, struct wire_msg *m, struct err *e);

/* The same, but a whole message must come within W->ms; 0 or -1. */
int wire_recv(struct wire_reader *r, int fd, struct wire_msg *m, const struct tcp_wait *w,
	      struct err *e);

int wire_send(int fd, unsigned command, const void *fixed, uint32_t fixed_len, const void *data,
	      uint32_t data_len, const struct tcp_wait *w, struct err *e);

#endif
