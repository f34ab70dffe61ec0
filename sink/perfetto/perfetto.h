/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PERFETTO_PERFETTO_H
#define ZED_SINK_PERFETTO_PERFETTO_H

#include "trace/sink.h"

/*
 * The sink of zedprint -f perfetto: a trace as the Perfetto UI and its trace_processor load it
 * (protobuf; perfetto.dev, protos/perfetto/trace).  Events that Perfetto knows become its own
 * messages, all others "generic" ones with their fields; losses are slices on tracks of their own.
 * Stacks, and the samples of perf's counters, are samples besides, with the names of functions.
 */
struct perfetto_opts {
	int fd; /* where it is written; the caller's */
	struct notes *notes;
};

/* O is copied.  Its close() frees it. */
struct sink *perfetto_new(const struct perfetto_opts *o);

#endif
