/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_FLIGHT_RECORDER_H
#define ZED_PROGRAMS_ZEDTRACE_FLIGHT_RECORDER_H

#include "programs/zedtrace/zedtrace.h"

/*
 * Keep the newest events in the kernel (--flight), and write them to a file at SIGUSR1, at each
 * event of --when, and where there is no --when at the end.  Returns the exit status.
 */
int zedtrace_flight(struct cli *c, struct zedtrace *z);

#endif
