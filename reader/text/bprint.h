/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_BPRINT_H
#define ZED_READER_TEXT_BPRINT_H

#include "reader/model/event.h"

#define BPRINT_SEEN 64

/* Strings that were checked before, by their address.  Zero-initialise; one for each machine. */
struct bprints {
	struct {
		const char *fmt;
		bool ok;
	} seen[BPRINT_SEEN];
};

/*
 * Can this ftrace:bprint record be printed?  EV->data is followed by at least 128 KiB of readable
 * zeroes.
 */
bool bprint_ok(struct bprints *b, const struct event *ev);

#endif
