/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_RANGE_LOSSES_H
#define ZED_PROGRAMS_ZEDPERL_MCP_RANGE_LOSSES_H

#include "programs/zedperl/mcp/content.h"
#include "run/pump.h"
#include "trace/loss.h"

/*
 * What was lost in the range of a list of events, before events of any kind, as zedprint --summary
 * counts it.  Without it a gap looks like a time in which nothing happened.
 */
struct range_losses {
	struct losses in;
	uint64_t end;		    /* of the range; UINT64_MAX: open */
	uint64_t unplaced;	    /* events of the whole trace, lost at unknown times */
	uint64_t beyond, events;    /* losses that end after it, and how many events are known */
	char at[48], beyond_at[48]; /* where the first of each ends ... */
	int cpu, beyond_cpu;	    /* ... and on which CPU */
};

/* EV is of the range, and has a loss before it. */
void range_losses_add(struct range_losses *l, const struct pump *p, const struct event *ev);
/* It is not of the range, but its loss may be (sink_ops.lost_beyond). */
void range_losses_beyond(struct range_losses *l, const struct pump *p, const struct event *ev);

/*
 * The run of P has come to its end: what the recorder's statistics count beyond that.  IS_WHOLE:
 * the list was of the whole trace.
 */
void range_losses_end(struct range_losses *l, const struct pump *p, bool is_whole);

/* After the rows: limits of T, of at most RANGE_LOSSES_MOST bytes. */
#define RANGE_LOSSES_MOST 900
void range_losses_say(const struct range_losses *l, struct content *t);

#endif
