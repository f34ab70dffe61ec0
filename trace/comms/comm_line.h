/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMM_LINE_H
#define ZED_TRACE_COMMS_COMM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Command names as text, in the kernel's own form (saved_cmdlines: "%d %s\n").  A name may hold
 * newlines, which the kernel writes as they are, so a line that does not begin with a number and a
 * space continues the name before it.  As the kernel's names have at most 15 bytes, no more than
 * that are joined: a longer line, or one without a name before it, is bad and skipped.  A name such
 * as "a\n34 x" looks like two names: its second line counts as the name of task 34, unless a later
 * line has another.
 */
#define COMM_LEN 15  /* bytes of a kernel's name */
#define COMM_MAX 255 /* of a name on a single line, from any writer; longer ones are cut */

struct comm_lines {
	const char *p, *end; /* the unread text: set by the caller */
	unsigned bad;	     /* lines that were skipped */
};

struct comm_line {
	int32_t pid;
	const char *name; /* within the text, not terminated */
	size_t len;
};

/* The next name; false: there is none.  A NUL ends a name; the rest of the line is ignored. */
bool comm_lines_next(struct comm_lines *l, struct comm_line *out);

/*
 * Write the line of NAME, of LEN bytes, to BUF, which has COMM_LINE_MAX bytes; returns its length
 * including the newline.  A newline in the name that would begin another task's line becomes "?",
 * so that the text is read back correctly.
 */
#define COMM_LINE_MAX (COMM_MAX + 16)
size_t comm_line_put(char *buf, int32_t pid, const char *name, size_t len);

#endif
