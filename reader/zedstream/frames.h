/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_FRAMES_H
#define ZED_READER_ZEDSTREAM_FRAMES_H

#include "base/input.h"
#include "trace/stream.h"

/*
 * The frames of a zed stream, one after another, from a file or as they come out of a pipe.  Only
 * their bounds are checked here; what a frame means is up to the caller.
 */
struct frame {
	uint32_t kind, len;
	uint32_t size; /* bytes of payload in the stream: not LEN, where it was packed */
	uint64_t off;  /* of its head in the stream */
	uint8_t *p;    /* LEN bytes, or frame_reader.only; frame_next()'s caller frees them */
};

struct frame_reader {
	const struct input *in; /* borrowed */
	bool wait;		/* block until a whole frame or the end is there */
	uint32_t max;		/* longest payload that this stream may have */
	uint32_t only;		/* of a file: no more bytes of a payload are fetched; 0: all */
	uint64_t whole;		/* offset after the last whole frame */
	uint64_t off;		/* of the next byte to be fetched */
	uint8_t head[8];	/* of the frame being read ... */
	unsigned head_have;
	struct frame cur;	   /* ... whose payload is fetched if p is set ... */
	uint32_t have;		   /* ... so much of it */
	struct unpacker *unpacker; /* of packed frames, from the first one on */
	bool ended;
};

/* Read the stream's head, blocking, and set wait.  -1 with E: not a stream that can be read. */
int frame_reader_init(struct frame_reader *r, const struct input *in, struct err *e);
void frame_reader_fini(struct frame_reader *r);

/*
 * The next frame; of a packed one (FRAME_PACKED) what it has packed, at the packed one's offset, or
 * the frame as it is, if that is damaged.  PULL_WAIT: the pipe has no more now (only if wait is not
 * set).  PULL_ERR: what follows cannot be read; PULL_EOF comes after it.  PULL_EOF within a frame
 * is not an error here: `whole` tells how far the stream is sound.
 */
enum pull frame_next(struct frame_reader *r, struct frame *out, struct err *e);

/* For a frame of an unknown kind.  0: it may be skipped; -1 with E: it may not. */
int frame_pass(const struct frame *fr, struct err *e);

#endif
