/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_BLOCKS_H
#define ZED_READER_LTT_BLOCKS_H

#include "reader/ltt/trace.h"

/* ---- its bytes ---- */

/*
 * A part of a tracefile in memory, so that declared block sizes cost no memory.  It grows only
 * while one event needs more, and shrinks after it.  Zero-initialise all but `in`.
 */
#define LTT_WINDOW (128u << 10) /* bytes; an event with a stated size has less than 64 KiB */

struct ltt_window {
	const struct input *in;
	uint8_t *p;
	size_t cap, len;
	uint64_t at; /* offset of p in the file */
};

/*
 * The bytes from OFF to OFF + LEN; does not read past END.  Valid until the next call.  NULL with
 * E.  OFF + LEN <= END.
 */
const uint8_t *ltt_window_get(struct ltt_window *w, uint64_t off, size_t len, uint64_t end,
			      struct err *e);

/*
 * Open the payload at OFF, which ends at or before END, as ltt_layout_open() does, which determines
 * its length.  -1 with E (off: in the file).
 */
int ltt_window_open(struct ltt_window *w, uint64_t off, uint64_t end, const struct ltt_layout *l,
		    struct ltt_record *r, size_t *used, struct err *e);

void ltt_window_fini(struct ltt_window *w);

/* ---- its blocks ---- */

/*
 * The walk over a tracefile's blocks, shared by both generations: open one, read its events,
 * continue with the next.  Each generation has its own blocks and events.
 */
enum ltt_step {
	STEP_EVENT, /* an event, in base.ev */
	STEP_NEXT,  /* unwanted event: continue after it */
	STEP_END,   /* end of the block */
	STEP_BAD,   /* the event cannot be read: continue after it */
	STEP_BREAK, /* the block cannot be read on */
};

struct ltt_reading;

struct ltt_blocks_ops {
	/* PULL_OK: the block at r->block is open; PULL_EOF: there is none; PULL_ERR with E. */
	enum pull (*open)(struct ltt_reading *r, struct err *e);
	/* The next event of the block.  STEP_BAD and STEP_BREAK with E. */
	enum ltt_step (*event)(struct ltt_reading *r, struct err *e);
	/* r->time in ns. */
	uint64_t (*time)(const struct ltt_reading *r);
};

struct ltt_reading {
	struct stream base; /* must be first */
	const struct ltt_blocks_ops *ops;
	struct ltt *t;
	struct ltt_file *f;
	struct ltt_window w;
	struct ltt_record rec;
	uint64_t block, block_size; /* offset of the current or next block; bytes */
	bool open;		    /* a block is being read */
	bool loose;		    /* its end is not known: read while its events are valid */
	bool unwanted_so_far;	    /* no event of it was wanted so far */
	uint64_t pos, end;	    /* offsets: of the next event, and after the last */
	uint64_t time;		    /* cycles, or microseconds since the block's begin */
	uint64_t seq;
	/* Of 0.4 to 0.7. */
	unsigned step; /* headers and payloads begin at multiples of it, in the block */
	unsigned head; /* bytes of an event's header */
	uint64_t begin_ns;
	/* Of generation 1. */
	struct ltt_clock clock; /* of the block */
};

/* A stream of F's blocks of BLOCK_SIZE bytes; the rest of it is zero. */
struct ltt_reading *ltt_blocks_new(const struct ltt_blocks_ops *ops, struct ltt *t,
				   struct ltt_file *f, uint64_t block_size);

/* Leave the block, skipping the rest of it. */
void ltt_blocks_leave(struct ltt_reading *r);

#endif
