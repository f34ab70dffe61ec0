// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_window: the bytes of a tracefile, event by event, with the memory of the longest event.
 */
#include "reader/ltt/event_window.h"

#include "base/mem.h"

#include <stdlib.h>

static int fill(struct ltt_window *w, uint64_t off, size_t len, uint64_t end, struct err *e)
{
	size_t cap = w->in->size < LTT_WINDOW ? w->in->size : LTT_WINDOW;

	if (cap < len)
		cap = len;
	if (cap != w->cap) {
		free(w->p);
		w->p = mem_alloc(cap);
		w->cap = cap;
	}
	w->at = off;
	w->len = 0;
	len = end - off < cap ? end - off : cap;
	TRY(input_read(w->in, w->p, len, off, e));
	w->len = len;
	return 0;
}

const uint8_t *ltt_window_get(struct ltt_window *w, uint64_t off, size_t len, uint64_t end,
			      struct err *e)
{
	if (!len)
		return (const uint8_t *)"";
	if (off < w->at || off - w->at > w->len || w->len - (off - w->at) < len)
		if (fill(w, off, len, end, e) < 0)
			return NULL;
	return w->p + (off - w->at);
}

int ltt_window_open(struct ltt_window *w, uint64_t off, uint64_t end, const struct ltt_layout *l,
		    struct ltt_record *r, size_t *used, struct err *e)
{
	uint64_t all = end - off, len = all ? 1 : 0;

	for (;;) {
		const uint8_t *p = ltt_window_get(w, off, len, end, e);

		if (!p)
			return -1;
		if (len) {
			len = w->len - (off - w->at);
			if (len > all)
				len = all;
		}
		/* The window may have cut off padding after the last field. */
		if (ltt_layout_open(l, p, len, r, used, e) == 0 && (*used < len || len == all))
			return 0;
		if (len == all) {
			e->off += off;
			return -1;
		}
		len = len < LTT_WINDOW / 2 ? LTT_WINDOW : 2 * len;
		if (len > all)
			len = all;
	}
}

void ltt_window_fini(struct ltt_window *w)
{
	free(w->p);
	w->p = NULL;
	w->cap = w->len = 0;
}
