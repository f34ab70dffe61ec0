/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMM_LINE_H
#define ZED_TRACE_COMMS_COMM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Command names as text, in the kernel's own form (saved_cmdlines: "%d %s\n").  A name may hold
 * newlines, which the kernel writes as they are, so a line that does not begin with a number and a
 * space goes on with the name before it.  As the kernel's names have at most 15 bytes, no more than
 * that are put together: what is longer, or has no name before it, is a bad line and left out.  A
 * name such as "a\n34 x" cannot be told from two: there the second line counts as the name of task
 * 34, unless a line behind it says otherwise.
 */
#define COMM_LEN 15  /* bytes of a name of the kernel's */
#define COMM_MAX 255 /* of one on a single line, whoever wrote it; the rest is cut off */

struct comm_lines {
	const char *p, *end; /* what has not been read: set by the caller */
	unsigned bad;	     /* lines that were left out */
};

struct comm_line {
	int32_t pid;
	const char *name; /* within the text, without an end of its own */
	size_t len;
};

/* The next name; false: there is none.  A NUL ends a name, and what follows it is left out. */
bool comm_lines_next(struct comm_lines *l, struct comm_line *out);

/*
 * The line of NAME, of LEN bytes, into BUF, which has COMM_LINE_MAX bytes; returns its length, its
 * newline included.  A newline in a name that would begin a line of another task becomes "?", so
 * that the text is read as it was meant.
 */
#define COMM_LINE_MAX (COMM_MAX + 16)
size_t comm_line_put(char *buf, int32_t pid, const char *name, size_t len);

#endif
