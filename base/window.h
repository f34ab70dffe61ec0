/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_WINDOW_H
#define ZED_BASE_WINDOW_H

#include "base/input.h"

/*
 * A file's bytes from left to right through one buffer, so that small pieces cost no system call
 * each.  in is set by the user, the rest is zero at first.
 */
struct window {
	const struct input *in;
	uint8_t *buf;
	size_t cap, len;
	uint64_t off; /* of buf[0] in the file */
};

/*
 * The bytes from OFF on: *P, borrowed until the next call, and how many there are: NEED at least,
 * or fewer where the file ends before.  Returns that number, -1 with E if the file cannot be read.
 */
ssize_t window_get(struct window *w, uint64_t off, size_t need, const uint8_t **p, struct err *e);

void window_fini(struct window *w);

#endif
