/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_FRAME_CACHE_H
#define ZED_TRACE_FRAME_CACHE_H

#include "base/outbuf.h"
#include "trace/chain_frame.h"

/*
 * Frames that have names, by their addresses, with what their user has made of them: the stacks of
 * a profile have the same ones again and again.  Zero-initialise.
 */
struct cached_frame {
	struct chain_frame frame;
	/* The user's.  They are empty and 0 when the frame is a new one. */
	struct outbuf text;
	uint64_t number, scope; /* a number of it, and what that is a number in */
};

struct frame_cache {
	struct frame_set *sets; /* NULL: nothing was asked for */
	struct cached_frame *frames;
	struct cached_frame other; /* the last one that is not kept */
	const struct event *ev;
	uint64_t generations[2]; /* of what EV's program, and the kernel, has mapped */
};

/* The addresses that are asked for next are those of EV, which is borrowed. */
void frame_cache_event(struct frame_cache *c, const struct event *ev);

/* What chain_resolve() finds; valid until the next call. */
struct cached_frame *frame_cache_at(struct frame_cache *c, uint64_t address, bool kernel);

void frame_cache_fini(struct frame_cache *c);

#endif
