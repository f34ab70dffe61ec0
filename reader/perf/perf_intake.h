/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_PERF_INTAKE_H
#define ZED_READER_PERF_PERF_INTAKE_H

#include "base/input.h"
#include "trace/stream.h"
#include "reader/perf/record.h"

/*
 * The records of one file, or of a pipe that must not block, in order.  Compressed ones are
 * unpacked on the way (format.md 12.6); only their bounds are checked here.
 */

/* Bytes read but not used: len - pos of them, from pos on. */
struct bytes_left {
	struct intake_block *block; /* NULL: none yet */
	size_t pos, len;
};

struct intake {
	const struct input *in; /* borrowed */
	bool big_endian;
	bool wait;		      /* block until a complete record or the end is available */
	struct intake_blocks *blocks; /* borrowed */
	size_t room, plain_room;      /* bytes used of a block of raw, and of plain */
	int window;		      /* log2 of the maximum zstd window */
	uint64_t *memory; /* bytes left for the unpackers of all files; NULL: no limit */
	uint64_t off;	  /* of raw.pos in the file */
	uint64_t next;	  /* of the next byte to read ... */
	uint64_t end;	  /* ... and of the end; UINT64_MAX: the file's end */
	struct bytes_left raw, plain;
	struct unpacker *unpacker; /* one stream for the whole file; NULL: none yet */
	const uint8_t *packed;	   /* the rest of the current packed record */
	size_t packed_len;
	uint64_t packed_off;	/* of that record */
	uint64_t packed_pieces; /* of a too large COMPRESSED2: bytes after its first piece */
	uint64_t packed_bytes, plain_bytes, plain_records; /* so far */
	bool more;	 /* the unpacker has more output than there was room for */
	bool packed_bad; /* the rest of its stream cannot be unpacked */
	bool ended;
	bool cut; /* the input ended within a record */
};

/* Read IN into BLOCKS, from OFF to END or its end, whichever is first (UINT64_MAX: to its end). */
void intake_init(struct intake *t, const struct input *in, struct intake_blocks *blocks,
		 bool big_endian, uint64_t off, uint64_t end);

/*
 * T is one of N that are read at once: makes its blocks as small as possible, and lets unpacking
 * use the shared *MEMORY bytes.  Call before the first record.
 */
void intake_share(struct intake *t, unsigned n, uint64_t *memory);
void intake_fini(struct intake *t);

/*
 * The next record, borrowed until the next call, and longer if its block gets another user.
 * PULL_WAIT: nothing more in the pipe now.  PULL_ERR: something cannot be read; the next call
 * continues after it, or returns PULL_EOF.
 */
enum pull intake_next(struct intake *t, struct record *out, struct err *e);

/*
 * Read LEN bytes that follow the last returned record, without being part of it, into BUF; NULL:
 * skip them.  Waits for a pipe.  -1 with E: not all present.
 */
int intake_behind(struct intake *t, uint8_t *buf, uint64_t len, struct err *e);

#endif
