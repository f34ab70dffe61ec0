/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_UNWOUND_H
#define ZED_TRACE_UNWOUND_H

#include "trace/event.h"

/*
 * The whole call chain of an event: what was recorded (event.chain), and the program's callers that
 * were not, but can be found in a copy of its stack (trace/user_state.h).
 */
#define UNWOUND_MOST 127 /* program's addresses; perf's limit, PERF_MAX_STACK_DEPTH */

struct chain {
	const uint64_t *v; /* as event.chain; borrowed until the next event */
	uint32_t n;
	uint32_t found; /* how many of the last ones were found by unwinding */
};

/*
 * That of EV.  A copied stack is unwound now, which takes 20 to 50 us; asked again for the same
 * event, it is at hand.  An address found this way is, except for the innermost, one less than that
 * of the return, as perf has it: it is within the call.
 */
struct chain chain_whole(const struct event *ev);

struct unwound;

void unwound_free(struct unwound *u); /* NULL is fine */

#endif
