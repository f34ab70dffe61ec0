/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_BYTE_OUT_H
#define ZED_RECORD_FILE_BYTE_OUT_H

#include "record/output.h"

#include <sys/uio.h>

/*
 * Bytes to a descriptor whose reader may be slow, stall or exit: written as room becomes available,
 * so that a signal (*STOP) is always noticed.  Small pieces are held, as each write wakes the
 * reader.
 *
 * Functions return 0, OUTPUT_GONE (the reader has ended), or -1 with E.
 */
struct byte_out {
	int fd;			  /* borrowed */
	const volatile int *stop; /* set by a signal; may be NULL */
	struct notes *notes;	  /* gets the reason of a wait; may be NULL */
	bool file;		  /* a regular file: writing never waits */
	bool pipe, tcp;		  /* the bytes that wait in it can be queried ... */
	bool socket;		  /* ... in a socket of another kind they cannot */
	bool no_splice;		  /* pages are copied */
	bool nowait;		  /* a write takes what there is room for, and does not block */
	bool broken;		  /* a write has failed: no more is written */
	bool stop_seen;
	bool stall_said;
	uint64_t moved;	 /* CLOCK_MONOTONIC ns: last progress of the reader, or stop was seen */
	uint8_t *held;	 /* BYTEOUT_HOLD bytes; ... */
	size_t held_len; /* ... number of them waiting to be written */
	uint64_t queued, written; /* bytes of the stream: with those held, and without */
	uint64_t patience;	  /* ns for which its reader may take nothing; 0: no limit */
	const uint64_t *reached;  /* how far the reader has come, by its own report; or NULL */
};

#define BYTEOUT_HOLD (64u << 10) /* bytes of small pieces */
#define BYTEOUT_PIPE (1u << 20)	 /* size to set for a pipe: allowed without privilege */

/* -1 with E: FD is not open. */
int byteout_init(struct byte_out *b, int fd, struct err *e);
void byteout_fini(struct byte_out *b);

/* Can LEN bytes be held? */
bool byteout_has_room(const struct byte_out *b, size_t len);

/* Hold LEN bytes; there must be room. */
void byteout_hold(struct byte_out *b, const void *p, size_t len);

/* Write what is held, then V: N pieces, at most 3. */
int byteout_put(struct byte_out *b, const struct iovec *v, int n, struct err *e);

/* Write what is held. */
int byteout_flush(struct byte_out *b, struct err *e);

/*
 * Move LEN bytes, or fewer, from PIPE without a copy, when nothing is held.  Returns how many; 0
 * with *RC as above: not possible here (RC 0), or failed.
 */
size_t byteout_splice(struct byte_out *b, int pipe, size_t len, int *rc, struct err *e);

/* Bytes that have been written, minus those that still wait for their reader. */
uint64_t byteout_read(const struct byte_out *b);

#endif
