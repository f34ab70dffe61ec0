/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_CUT_STORE_H
#define ZED_RECORD_CUT_STORE_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Bytes of many CPUs, which come in any order, in one unlinked file: a trace.dat needs those of
 * each CPU in one piece.
 */
struct store {
	int fd;
	uint64_t end;
};

/* The bytes of one CPU; zero-initialise. */
struct stored_row {
	uint8_t *buf; /* not written yet */
	size_t len, cap;
	struct stored_piece *pieces;
	size_t n, cap_pieces;
	uint64_t size;	/* of all */
	size_t piece;	/* row_read(): the current piece ... */
	uint64_t begin; /* ... and how many bytes precede it */
};

/* The file is made in the directory of PATH, as the result will be.  -1 with E. */
int store_open(struct store *s, const char *path, struct err *e);
void store_close(struct store *s);

/* Append LEN bytes to R; CAP bytes of it are written at once. */
int row_add(struct store *s, struct stored_row *r, const void *p, size_t len, size_t cap,
	    struct err *e);

/* Write the last of R's bytes to the file. */
int row_flush(struct store *s, struct stored_row *r, struct err *e);

/* Up to LEN bytes at AT of R, which is flushed; AT only grows.  0: its end. */
ssize_t row_read(const struct store *s, struct stored_row *r, void *buf, size_t len, uint64_t at,
		 struct err *e);
void row_fini(struct stored_row *r);

#endif
