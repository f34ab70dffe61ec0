// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message_lines: the messages that come on standard input, in bounded memory.
 */
#include "programs/zedperl/mcp/message_lines.h"

#include <errno.h>
#include <unistd.h>

#define PIECE 65536

/* What was taken goes, and what is left moves to the front. */
static void move_up(struct lines *l)
{
	if (!l->from)
		return;
	l->text.len -= l->from;
	memmove(l->text.p, l->text.p + l->from, l->text.len);
	l->from = 0;
}

void lines_read(struct lines *l)
{
	ssize_t n;

	move_up(l);
	n = read(l->fd, out_room(&l->text, PIECE), PIECE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		l->text.len += (size_t)n;
	else
		l->ended = true;
}

enum line_got lines_next(struct lines *l, const char **line, size_t *len)
{
	size_t left = l->text.len - l->from;
	char *at = left ? l->text.p + l->from : NULL, *end = at ? memchr(at, '\n', left) : NULL;

	/* The last one may have no newline. */
	if (!end && l->ended && at)
		end = at + left;
	if (!at && l->ended && l->skips) {
		l->skips = false;
		return LINE_TOO_LONG;
	}
	*line = at;
	*len = end ? (size_t)(end - at) : left;
	if (end) {
		bool skips = l->skips || *len > LINE_MOST;

		l->from += *len + (*len < left);
		l->skips = false;
		return skips ? LINE_TOO_LONG : LINE_TAKEN;
	}
	if (left > LINE_MOST || l->skips) {
		l->skips = true;
		l->from = l->text.len;
	}
	return LINE_NONE;
}

void lines_fini(struct lines *l)
{
	outbuf_fini(&l->text);
}
