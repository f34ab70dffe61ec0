/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PERFETTO_PERFETTO_MACHINE_H
#define ZED_SINK_PERFETTO_PERFETTO_MACHINE_H

#include "base/outbuf.h"
#include "trace/sink.h"

/*
 * Packets about the traced machine, that of the first input, appended to O.  The engine takes
 * states of tasks and names of system calls by the kernel's release and the machine's kind.
 */

/* What it is, its tasks, and the time of day, if the trace tells it; the first event is at TS. */
void perfetto_machine(struct outbuf *o, const struct run_info *run, uint64_t ts);

/* Its tasks, as they are known now. */
void perfetto_tasks(struct outbuf *o, const struct run_info *run);

#endif
