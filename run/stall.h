/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_STALL_H
#define ZED_RUN_STALL_H

#include "run/merge.h"

/*
 * Says which source the others wait for: their events are there, and may not go out, as one that
 * has fallen silent could still have earlier ones.  Zeroed: begun.
 */
struct stall {
	const struct stream *of; /* the one waited for; NULL: none */
	uint64_t watermark;	 /* as far as it has come */
	uint64_t since;		 /* ns of base/mono.h */
	bool said;
};

#define STALL_NS 3000000000ull /* a client of ours is heard several times a second */

/* Look, while nothing can go out of M.  What lasts STALL_NS is told to N, once until it moves. */
void stall_look(struct stall *s, const struct merge *m, struct notes *n);

#endif
