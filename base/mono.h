/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_MONO_H
#define ZED_BASE_MONO_H

#include <stdint.h>
#include <time.h>

/* A clock of clock_gettime(), in ns. */
static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* CLOCK_MONOTONIC in ns: for waits and intervals, whatever the trace's clock is. */
static inline uint64_t mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
