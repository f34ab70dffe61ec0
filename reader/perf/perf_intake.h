/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_PERF_INTAKE_H
#define ZED_READER_PERF_PERF_INTAKE_H

#include "base/input.h"
#include "trace/stream.h"

/*
 * The records of one file, or of a pipe that must not block, in order.  Compressed ones are
 * unpacked on the way (format.md 12.6); only their bounds are checked here.
 */

/* Record types that this layer has to know. */
enum { RECORD_COMPRESSED = 81, RECORD_COMPRESSED2 = 83 };

#define RECORD_HEAD_LEN 8
#define RECORD_MAX 65535

struct record {
	uint32_t type;
	uint16_t misc, size;
	uint64_t off;	  /* file offset of itself, or of its packed record */
	const uint8_t *p; /* all of it, including its header; alignment not guaranteed */
	bool unpacked;
};

/* Bytes read but not used: len - pos of them, at p + pos. */
struct bytes_left {
	uint8_t *p;
	size_t pos, len;
};

struct intake {
	const struct input *in; /* borrowed */
	bool big_endian;
	bool wait;		 /* block until a complete record or the end is available */
	size_t room, plain_room; /* bytes of raw.p and plain.p */
	int window;		 /* log2 of the maximum zstd window */
	uint64_t *memory;	 /* bytes left for the unpackers of all files; NULL: no limit */
	uint64_t off;		 /* of raw.p[raw.pos] in the file */
	uint64_t next;		 /* of the next byte to read ... */
	uint64_t end;		 /* ... and of the end; UINT64_MAX: the file's end */
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

/* Read IN from OFF to END or to its end, whichever is first (UINT64_MAX: to its end). */
void intake_init(struct intake *t, const struct input *in, bool big_endian, uint64_t off,
		 uint64_t end);

/*
 * T is one of N that are read at once: makes its buffers as small as possible, and lets unpacking
 * use the shared *MEMORY bytes.  Call before the first record.
 */
void intake_share(struct intake *t, unsigned n, uint64_t *memory);
void intake_fini(struct intake *t);

/*
 * The next record, borrowed until the next call.  PULL_WAIT: nothing more in the pipe now.
 * PULL_ERR: something cannot be read; the next call continues after it, or returns PULL_EOF.
 */
enum pull intake_next(struct intake *t, struct record *out, struct err *e);

/*
 * Read LEN bytes that follow the last returned record, without being part of it, into BUF; NULL:
 * skip them.  Waits for a pipe.  -1 with E: not all present.
 */
int intake_behind(struct intake *t, uint8_t *buf, uint64_t len, struct err *e);

#endif
