// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window: sequential access to a file through one buffer: one large read serves many small pieces.
 */
#include "base/window.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW (256u << 10) /* bytes that are read at once */

ssize_t window_get(struct window *w, uint64_t off, size_t need, const uint8_t **p, struct err *e)
{
	size_t kept = 0;
	ssize_t n;

	if (off >= w->off && off - w->off <= w->len) {
		kept = w->len - (off - w->off);
		*p = w->buf + (off - w->off);
		if (kept >= need)
			return kept;
	}
	if (w->cap < need || !w->cap) {
		uint8_t *buf = mem_alloc(need > WINDOW ? need : WINDOW);

		if (kept)
			memcpy(buf, *p, kept);
		free(w->buf);
		w->buf = buf;
		w->cap = need > WINDOW ? need : WINDOW;
	} else if (kept) {
		memmove(w->buf, *p, kept);
	}
	w->off = off;
	w->len = kept;
	n = input_read_some(w->in, w->buf + kept, w->cap - kept, off + kept, e);
	if (n < 0)
		return -1;
	w->len += n;
	*p = w->buf;
	return w->len;
}

void window_fini(struct window *w)
{
	free(w->buf);
	*w = (struct window){ .in = NULL };
}
