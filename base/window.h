/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_WINDOW_H
#define ZED_BASE_WINDOW_H

#include "base/input.h"

/*
 * A file's bytes in order through one buffer, so that small pieces do not cost a system call each.
 * The user sets in; the rest starts as zero.
 */
struct window {
	const struct input *in;
	uint8_t *buf;
	size_t cap, len;
	uint64_t off; /* of buf[0] in the file */
};

/*
 * The bytes from OFF on: *P, borrowed until the next call: at least NEED, or fewer if the file ends
 * early.  Returns their number, -1 with E if the file cannot be read.
 */
ssize_t window_get(struct window *w, uint64_t off, size_t need, const uint8_t **p, struct err *e);

void window_fini(struct window *w);

#endif
