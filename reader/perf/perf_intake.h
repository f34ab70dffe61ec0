/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_PERF_INTAKE_H
#define ZED_READER_PERF_PERF_INTAKE_H

#include "base/input.h"
#include "trace/stream.h"

/*
 * The records of one file, or of a pipe that must not block, one after another.  Compressed ones
 * are unpacked on the way (format.md 12.6); only the bounds of each are checked here.
 */

/* Numbers of records that this layer has to know. */
enum { RECORD_COMPRESSED = 81, RECORD_COMPRESSED2 = 83 };

#define RECORD_HEAD_LEN 8
#define RECORD_MAX 65535

struct record {
	uint32_t type;
	uint16_t misc, size;
	uint64_t off;	  /* in the file: of itself, or of the packed record it came from */
	const uint8_t *p; /* all of it, its head included; 8-byte aligned only by chance */
	bool unpacked;
};

/* Bytes that have been read and not used: those at p + pos, len - pos of them. */
struct bytes_left {
	uint8_t *p;
	size_t pos, len;
};

struct intake {
	const struct input *in; /* borrowed */
	bool big_endian;
	bool wait;		 /* block until a whole record or the end is there */
	size_t room, plain_room; /* bytes of raw.p and plain.p */
	int window;		 /* log2 of the bytes that unpacking may look back */
	uint64_t *memory; /* what the unpackers of all files may still take; NULL: no limit */
	uint64_t off;	  /* of raw.p[raw.pos] in the file */
	uint64_t next;	  /* of the byte to be read next ... */
	uint64_t end;	  /* ... and where they end; UINT64_MAX: with the file */
	struct bytes_left raw, plain;
	struct unpacker *unpacker; /* one stream for the whole file; NULL: none yet */
	const uint8_t *packed;	   /* what the packed record at hand still has */
	size_t packed_len;
	uint64_t packed_off;	/* of that record */
	uint64_t packed_pieces; /* of a COMPRESSED2 that was too large: bytes after its first */
	uint64_t packed_bytes, plain_bytes, plain_records; /* so far */
	bool more;	 /* there was no room for all that the unpacker has */
	bool packed_bad; /* nothing of its stream can be unpacked any more */
	bool ended;
	bool cut; /* the input ended within a record */
};

/*
 * Read IN from OFF up to END, or its end if that comes first (UINT64_MAX: up to that).
 */
void intake_init(struct intake *t, const struct input *in, bool big_endian, uint64_t off,
		 uint64_t end);

/*
 * T is one of N that are read at once: its buffers become as small as can be, and unpacking takes
 * from *MEMORY bytes that all have.  Before the first record.
 */
void intake_share(struct intake *t, unsigned n, uint64_t *memory);
void intake_fini(struct intake *t);

/*
 * The next record, borrowed until the next call.  PULL_WAIT: the pipe has no more now.  PULL_ERR:
 * something cannot be read; the next call continues after it, or says PULL_EOF.
 */
enum pull intake_next(struct intake *t, struct record *out, struct err *e);

/*
 * LEN bytes that follow the record just given, without being part of it, into BUF; NULL: pass
 * over them.  Waits for a pipe.  -1 with E: they are not all there.
 */
int intake_behind(struct intake *t, uint8_t *buf, uint64_t len, struct err *e);

#endif
