/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_MODE_H
#define ZED_PROGRAMS_ZEDTRACE_MODE_H

#include "programs/zedtrace/zedtrace.h"

/* What zedtrace is asked to do; one bit each, so that a table can name several. */
enum mode {
	RECORD = 1,
	LIST = 2,
	LISTEN = 4,
	RECOVER = 8,
	CONVERT = 16,
	CLEANUP = 32,
	EXTRACT = 64,
};

/*
 * The mode that the options ask for.  0 where they ask for two, or for what does not go with the
 * mode or with each other; that was said.  Nothing has been opened or changed by then.
 */
enum mode mode_find(struct cli *c, const struct zedtrace *z);

#endif
