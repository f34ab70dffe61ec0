/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INPUT_H
#define ZED_INPUT_H

#include "err.h"

#include <sys/types.h>

/*
 * A file that is read by position.  Nothing shares a file offset, nothing is mapped: memory does
 * not grow with the file, and a file that shrinks meanwhile gives an error, not a signal.
 */
struct input {
	char *path;		/* for messages: as the user named it; "-" for standard input */
	int fd;
	uint64_t size;		/* bytes when it was opened */
	dev_t dev;
	ino_t ino;
};

/*
 * Open PATH.  "-" and anything that is not a regular file (a pipe, a FIFO) is copied to an unlinked
 * temporary file under TMPDIR.  Where PATH is missing, PATH.dat is tried; a directory stands for
 * the trace.dat in it.  Returns 0, or -1 with E, whose text says what to do.
 */
int input_open(struct input *in, const char *path, struct err *e);
void input_close(struct input *in);

/* Exactly LEN bytes at OFF into BUF; -1 with E when the file ends before (ERR_FORMAT) or cannot be
 * read. */
int input_read(const struct input *in, void *buf, size_t len, uint64_t off, struct err *e);

/* Up to LEN bytes at OFF; returns how many (0: the end), -1 with E. */
ssize_t input_read_some(const struct input *in, void *buf, size_t len, uint64_t off, struct err *e);

#endif
