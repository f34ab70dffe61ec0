/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_CONTROL_IN_H
#define ZED_RECORD_NET_SERVER_CONTROL_IN_H

#include "record/net/server/pages_in.h"

/* The control connection of a client during pages_in_run(). */
struct control_in {
	uint64_t begin;	     /* ms: of the run */
	uint64_t heard;	     /* ms: when names or statistics came last; 0: never */
	unsigned odd, alive; /* messages that are invalid; that say it lives */
};

/*
 * Take what the client has said, into R, without waiting for more.  True: it says nothing more, as
 * it has ended (R->closed), hung up, talks nonsense (R->why), or its limit is reached.
 */
bool control_take(struct control_in *c, struct pages_in_run *r);

#endif
