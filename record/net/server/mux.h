/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_MUX_H
#define ZED_RECORD_NET_SERVER_MUX_H

#include "base/err.h"
#include "record/net/server/ledger.h"

#include <poll.h>

/*
 * Many zed streams into one: the processes of clients write theirs to pipes, and what comes out of
 * these goes to one descriptor as a carrier (docs/zed-stream.pod), in the order in which it came.
 * The contents are not parsed, so what one stream holds cannot affect another.  If the reader takes
 * nothing, the pipes fill up, and in the end the clients wait.
 */
struct mux;

/* A place may be reused before the stream of its last client has been written to its end. */
#define MUX_LANES (2 * LEDGER_PLACES)

/* OUT is borrowed.  NULL with E. */
struct mux *mux_new(int out, struct err *e);
void mux_free(struct mux *m);

/*
 * Add a stream, whose client has the address FROM.  Returns the write end of its pipe, for the
 * process that writes it; to be closed here once that process has it.  -1 with E.
 */
int mux_open(struct mux *m, const char *from, struct err *e);

/* In the process of a client: close the read ends. */
void mux_child(struct mux *m);

/* Fill P, of MUX_LANES + 1 entries, for poll(); returns their number. */
unsigned mux_polls(const struct mux *m, struct pollfd *p);

/* Move what is there and can be written, without waiting.  False: OUT accepts no more. */
bool mux_move(struct mux *m);

/* Why OUT accepts no more, as errno; 0: it does, or its reader has gone. */
int mux_error(const struct mux *m);

/* Streams that have not ended, or whose end has not been written. */
bool mux_busy(const struct mux *m);

/*
 * All have ended: write the end of the carrier, whose reader has MS to take the rest.  False: it
 * did not take it.
 */
bool mux_end(struct mux *m, unsigned ms);

#endif
