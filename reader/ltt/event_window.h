/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_EVENT_WINDOW_H
#define ZED_READER_LTT_EVENT_WINDOW_H

#include "base/input.h"
#include "reader/ltt/facility/facility.h"

/*
 * A part of a tracefile in memory, so that declared block sizes cost no memory.  It grows only
 * while one event needs more, and shrinks after it.  Zero-initialise all but `in`.
 */
#define LTT_WINDOW (128u << 10) /* bytes; an event with a stated size has less than 64 KiB */

struct ltt_window {
	const struct input *in;
	uint8_t *p;
	size_t cap, len;
	uint64_t at; /* offset of p in the file */
};

/*
 * The bytes from OFF to OFF + LEN; does not read past END.  Valid until the next call.  NULL with
 * E.  OFF + LEN <= END.
 */
const uint8_t *ltt_window_get(struct ltt_window *w, uint64_t off, size_t len, uint64_t end,
			      struct err *e);

/*
 * Open the payload at OFF, which ends at or before END, as ltt_layout_open() does, which determines
 * its length.  -1 with E (off: in the file).
 */
int ltt_window_open(struct ltt_window *w, uint64_t off, uint64_t end, const struct ltt_layout *l,
		    struct ltt_record *r, size_t *used, struct err *e);

void ltt_window_fini(struct ltt_window *w);

#endif
