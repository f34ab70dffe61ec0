/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_MONO_H
#define ZED_BASE_MONO_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns: for waits and intervals, whatever the trace's clock is. */
static inline uint64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

#endif
