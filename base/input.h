/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_INPUT_H
#define ZED_BASE_INPUT_H

#include "base/err.h"

#include <sys/types.h>

/*
 * A file that is read by position.  No file offset is shared and nothing is mapped: memory does not
 * grow with the file, and a file that shrinks meanwhile gives an error, not SIGBUS.
 *
 * What cannot be read by position (a pipe, a FIFO, a socket) is `piped`: its first bytes have been
 * taken into head[], and are all that input_read() and input_read_some() can see.  A streaming
 * reader begins with head[] and continues with fd; all others call input_spool() first.
 */
#define INPUT_HEAD 64

/*
 * Bytes that another reader supplies to an input, which is `piped`, after its head[].  The
 * descriptor of such an input is only waited for, and borrowed.
 */
struct input_fed {
	uint8_t *p;
	size_t at, have, cap; /* [at, have) wait to be read */
	size_t *waiting;      /* the sum over all inputs fed together; input_next() subtracts */
	bool ended;	      /* no more will come */
	bool live;	      /* data arrives as it is produced */
	/* Read more, for any of the inputs; false: nothing is available now. */
	bool (*refill)(struct input_fed *q);
};

/* Bytes in memory that an input reads. */
struct input_held {
	/* Up to LEN bytes at OFF into BUF; returns how many. */
	size_t (*read)(const struct input_held *h, void *buf, size_t len, uint64_t off);
	void (*close)(struct input_held *h);
};

struct input {
	char *path; /* for messages: as the user named it; "-" for standard input */
	int fd;
	uint64_t size; /* bytes when it was opened; piped: head_len */
	dev_t dev;
	ino_t ino;
	bool is_dir; /* a directory without a trace.dat: reads as an empty file */
	bool piped;
	unsigned head_len; /* piped; less than INPUT_HEAD: that is all */
	uint8_t head[INPUT_HEAD];
	struct input_fed *fed;	 /* borrowed; NULL: bytes are read from fd */
	struct input_held *held; /* owned: bytes are read from there, and fd is -1; or NULL */
	struct err *failed;	 /* the first failed read; kind ERR_NONE: none */
};

/*
 * Open PATH; "-" is standard input.  Where PATH is missing, PATH.dat is tried; a directory means
 * the trace.dat in it, or itself if it has none.  A pipe blocks until its first INPUT_HEAD bytes,
 * or its end, are there.  Returns 0, or -1 with E, whose text says what to do.
 */
int input_open(struct input *in, const char *path, struct err *e);

/*
 * The same, but a FIFO that no process opens for writing within MS milliseconds is an error; 0: no
 * limit.
 */
int input_open_within(struct input *in, const char *path, unsigned ms, struct err *e);
void input_close(struct input *in);

/* "DIR/NAME", to be freed; NAME alone if DIR is "". */
char *input_below(const char *dir, const char *name);

/*
 * Open the regular file NAME in the directory with the descriptor AT, whose path is DIR for
 * messages.  Links are not followed, as they could lead anywhere, and the other end of a FIFO is
 * not waited for.  0; 1: there is none; -1 with E.
 */
int input_open_below(struct input *in, int at, const char *dir, const char *name, struct err *e);

/*
 * Copy a pipe to its end into an unlinked temporary file under TMPDIR, and make that file IN's;
 * other inputs stay as they are.  -1 with E: IN is as it was, but what was read is gone.
 */
int input_spool(struct input *in, struct err *e);

/*
 * The same for text: the copy ends within the first line of more than LONGEST bytes, at most a
 * block after these.  1: there was such a line; 0: none, or IN is not a pipe.
 */
int input_spool_lines(struct input *in, size_t longest, struct err *e);

/*
 * Exactly LEN bytes at OFF into BUF; -1 with E when the file ends early (ERR_FORMAT) or cannot be
 * read.
 */
int input_read(const struct input *in, void *buf, size_t len, uint64_t off, struct err *e);

/* Up to LEN bytes at OFF; returns how many (0: the end), -1 with E. */
ssize_t input_read_some(const struct input *in, void *buf, size_t len, uint64_t off, struct err *e);

/*
 * Up to LEN of the next bytes, at OFF, where the last call ended: as input_read_some(), but a pipe
 * gives head[], then what arrives.  With WAIT it blocks until there is something; without,
 * INPUT_WAIT says that nothing is there now.
 */
#define INPUT_WAIT (-2)
ssize_t input_next(const struct input *in, void *buf, size_t len, uint64_t off, bool wait,
		   struct err *e);

/*
 * The next offset, OFF or after it, that is not in a hole: where the file may have bytes other
 * than 0.
 */
uint64_t input_behind_hole(const struct input *in, uint64_t off);

/*
 * Code that probes for a format takes a failed read as a "no".  The first such failure of IN, or of
 * a copy of it, is kept, and reported here as damage, unless N counts more damage than DAMAGE: then
 * that failure, or something worse, has been reported.
 */
void input_say_failed(const struct input *in, struct notes *n, uint64_t damage);

#endif
