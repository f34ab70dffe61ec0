/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_KEPT_H
#define ZED_PROGRAMS_ZEDPERL_MCP_KEPT_H

#include "base/outbuf.h"
#include "programs/zedperl/mcp/work.h"

#include <stdbool.h>

/*
 * What the last calls have computed, as the files in memory of struct work: a call that shows more
 * rows of the same, or another table of it, need not run it again.
 */
#define KEPT_CALLS 8
#define KEPT_BYTES (32u << 20) /* of all files */

struct kept_call {
	struct outbuf key; /* what was run, and on which files; empty: nothing */
	int printed[WORK_RUNS];
	uint64_t bytes, used; /* used: when, in calls */
};

struct kept_calls {
	struct kept_call v[KEPT_CALLS];
	uint64_t calls;
};

/*
 * The files of W, whose key is KEY: those that are kept, or new ones.  -1 with E.
 */
int kept_files(struct kept_calls *k, const struct outbuf *key, struct work *w, struct err *e);

/* A call with KEY has ended well: keep its files, which W gives away, in place of the oldest. */
void kept_add(struct kept_calls *k, const struct outbuf *key, struct work *w);

void kept_fini(struct kept_calls *k);

#endif
