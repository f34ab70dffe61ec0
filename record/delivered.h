/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_DELIVERED_H
#define ZED_RECORD_DELIVERED_H

#include "base/err.h"

#include <stdint.h>

/*
 * How many events of each CPU the reader of a stream of bytes gets, when that stream ends before
 * all that was written is read: what waits in a pipe or a socket is remembered in pieces (a frame,
 * a sub-buffer) which count only as wholes.
 */
struct taken_piece {
	uint64_t end; /* of the stream, with this piece: bytes */
	int cpu;
	unsigned events;
};

struct taken { /* zeroed to begin with */
	uint64_t *events;
	struct taken_piece *v; /* in the order of END */
	size_t first, n, events_cap, cap;
};

/* The EVENTS of a piece of CPU (from 0) are in the stream's first END bytes. */
void taken_add(struct taken *t, int cpu, unsigned events, uint64_t end);

/* The first READ bytes are read: their pieces need not be remembered any more. */
void taken_forget(struct taken *t, uint64_t read);

/* No more than the first READ bytes will ever be read: the pieces behind count no more. */
void taken_settle(struct taken *t, uint64_t read);

uint64_t taken_events(const struct taken *t, int cpu);
void taken_fini(struct taken *t);

#endif
