/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_DELIVERED_H
#define ZED_RECORD_DELIVERED_H

#include "base/err.h"

#include <stdint.h>

/*
 * How many events of each CPU the reader of a stream of bytes gets if that stream ends before
 * everything written has been read: what waits in a pipe or a socket is tracked in pieces (a frame,
 * a sub-buffer), which count only if complete.
 */
struct delivered_piece {
	uint64_t end; /* bytes of the stream up to the end of this piece */
	int cpu;
	unsigned events;
};

struct delivered { /* zeroed to begin with */
	uint64_t *events;
	struct delivered_piece *v; /* in the order of END */
	size_t first, n, events_cap, cap;
};

/* The EVENTS of a piece of CPU (from 0) are in the stream's first END bytes. */
void delivered_add(struct delivered *t, int cpu, unsigned events, uint64_t end);

/* The first READ bytes have been read: their pieces no longer need to be tracked. */
void delivered_forget(struct delivered *t, uint64_t read);

/* No more than the first READ bytes will ever be read: later pieces no longer count. */
void delivered_settle(struct delivered *t, uint64_t read);

uint64_t delivered_events(const struct delivered *t, int cpu);

/* Of CPU, the events in pieces that are not within the first READ bytes. */
uint64_t delivered_missing(const struct delivered *t, int cpu, uint64_t read);
void delivered_fini(struct delivered *t);

#endif
