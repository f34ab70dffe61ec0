/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_MUX_H
#define ZED_RECORD_NET_SERVER_MUX_H

#include "base/err.h"
#include "record/net/server/ledger.h"

#include <poll.h>

/*
 * Many zed streams into one: the processes of clients write theirs to pipes, and what comes out of
 * these goes to one descriptor as a carrier (docs/zed-stream.pod), in the order in which it came.
 * Nothing is looked into, so what one stream holds cannot touch another.  A reader that takes
 * nothing makes the pipes fill, and in the end the clients wait.
 */
struct mux;

/* A place may be taken anew before the stream of its last client has been written to its end. */
#define MUX_LANES (2 * LEDGER_PLACES)

/* OUT is borrowed.  NULL with E. */
struct mux *mux_new(int out, struct err *e);
void mux_free(struct mux *m);

/*
 * A stream more, whose client has the address FROM.  The end of its pipe for the process that
 * writes it, to be closed here once that has it; -1 with E.
 */
int mux_open(struct mux *m, const char *from, struct err *e);

/* In the process of a client: without the ends that are read. */
void mux_child(struct mux *m);

/* What to wait for, into P of MUX_LANES + 1; returns how many. */
unsigned mux_polls(const struct mux *m, struct pollfd *p);

/* Move what there is and can be written, without waiting.  False: OUT takes no more. */
bool mux_move(struct mux *m);

/* Why it takes no more, as errno; 0: it does, or it has no reader. */
int mux_error(const struct mux *m);

/* Streams that have not ended, or whose end has not been written. */
bool mux_busy(const struct mux *m);

/*
 * All have ended: the end of the carrier, for which its reader has MS to take the rest.  False: it
 * has not taken it.
 */
bool mux_end(struct mux *m, unsigned ms);

#endif
