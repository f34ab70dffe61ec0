/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_PROCESS_H
#define ZED_INTERP_BIND_PROCESS_H

#include "interp/perl/perl_inc.h"
#include "trace/event.h"

/*
 * The arguments of process_event, which perf calls for every sample of any event: four strings of
 * bytes (interp/perf_sample.h).
 *
 *	event	the PERF_RECORD_SAMPLE
 *	attr	struct perf_event_attr
 *	sample	struct perf_sample up to its cgroup, PERF_NUMBERS_LEN bytes
 *	raw	the data of the tracepoint; undef, if there is none
 */
#define PROCESS_ARGS 4

/* Put new ones into the SLOTS, and release the old ones. */
void process_fill(pTHX_ SV **slots, const struct event *ev);

#endif
