/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_FRAMES_H
#define ZED_READER_ZEDSTREAM_FRAMES_H

#include "base/input.h"
#include "trace/stream.h"

/*
 * The frames of a zed stream in order, from a file or a pipe.  Only their bounds are checked here;
 * the caller interprets them.
 */
struct frame {
	uint32_t kind, len;
	uint32_t size; /* bytes of payload in the stream: differs from LEN if packed */
	uint64_t off;  /* of its header in the stream */
	uint8_t *p;    /* LEN bytes, or frame_reader.only; the caller of frame_next() frees it */
};

struct frame_reader {
	const struct input *in; /* borrowed */
	bool wait;		/* block until a complete frame or the end is available */
	uint32_t max;		/* maximum payload of this stream */
	uint32_t only;		/* file: maximum bytes of a payload to read; 0: all */
	uint64_t whole;		/* offset after the last complete frame */
	uint64_t off;		/* of the next byte to read */
	uint8_t head[8];	/* of the frame being read ... */
	unsigned head_have;
	struct frame cur;	   /* ... whose payload is being read if p is set ... */
	uint32_t have;		   /* ... bytes of it so far */
	struct unpacker *unpacker; /* for packed frames; made at the first one */
	bool ended;
};

/* Read the stream's head, blocking, and set wait.  -1 with E: not a readable stream. */
int frame_reader_init(struct frame_reader *r, const struct input *in, struct err *e);
void frame_reader_fini(struct frame_reader *r);

/*
 * The next frame; for a packed one (FRAME_PACKED) its contents, at its offset, or the packed frame
 * itself if it is damaged.  PULL_WAIT: nothing more in the pipe now (only if wait is not set).
 * PULL_ERR: the rest cannot be read; the next call returns PULL_EOF.  PULL_EOF within a frame is
 * not an error here: `whole` says how far the stream is complete.
 */
enum pull frame_next(struct frame_reader *r, struct frame *out, struct err *e);

/* For a frame of an unknown kind.  0: may be skipped; -1 with E: may not. */
int frame_pass(const struct frame *fr, struct err *e);

#endif
