/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_PROCESS_H
#define ZED_INTERP_BIND_PROCESS_H

#include "interp/perl/perl_inc.h"
#include "trace/event.h"

/*
 * The arguments of process_event, which perf calls for every sample of any event: four strings of
 * bytes in this machine's byte order (linux/perf_event.h; struct perf_sample as in perf 6.1).
 *
 *	event	the PERF_RECORD_SAMPLE.  In a file of the other byte order perf swaps each 8 bytes,
 *		and leaves the data of the tracepoint as it is; so does this
 *	attr	struct perf_event_attr
 *	sample	struct perf_sample up to its cgroup, PROCESS_SAMPLE_LEN bytes; what follows there
 *		are pointers of perf's own
 *	raw	the data of the tracepoint; undef, if there is none
 *
 * An event that is not a perf sample gets those that perf record would have made, with IP 0.
 */
#define PROCESS_ARGS 4
#define PROCESS_SAMPLE_LEN 144

/* Put new ones into the SLOTS, and release the old ones. */
void process_fill(pTHX_ SV **slots, const struct event *ev);

#endif
