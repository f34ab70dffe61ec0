/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_MESSAGE_LINES_H
#define ZED_PROGRAMS_ZEDPERL_MCP_MESSAGE_LINES_H

#include "base/outbuf.h"

/* The lines of a descriptor, each of at most LINE_MOST bytes; what is longer is passed over. */
#define LINE_MOST (1u << 20)

struct lines {
	int fd;
	struct outbuf text; /* what was read and is not taken yet */
	size_t from;	    /* the first byte of that */
	bool skips;	    /* in the middle of a line that is too long */
	bool ended;	    /* nothing more comes */
};

enum line_got {
	LINE_NONE,     /* no complete one is there */
	LINE_TAKEN,    /* *LINE has *LEN bytes, until the next call of either function */
	LINE_TOO_LONG, /* one was passed over */
};

/* Read once what is there, at its end or with an error nothing. */
void lines_read(struct lines *l);
enum line_got lines_next(struct lines *l, const char **line, size_t *len);
void lines_fini(struct lines *l);

#endif
