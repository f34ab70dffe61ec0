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

/*
 * ns by which clock A is ahead of B, at most *WRONG ns more or less: of some tries the one with the
 * least time between two readings of A, around one of B.
 */
static inline int64_t clock_ahead(clockid_t a, clockid_t b, uint64_t *wrong)
{
	uint64_t ahead = 0;

	*wrong = UINT64_MAX;
	for (unsigned i = 0; i < 10; i++) {
		uint64_t from = clock_ns(a), other = clock_ns(b), to = clock_ns(a);

		if (to < from || to - from >= *wrong)
			continue;
		*wrong = to - from;
		ahead = from + (to - from) / 2 - other;
	}
	*wrong = *wrong / 2 + 1;
	return (int64_t)ahead;
}

/* CLOCK_MONOTONIC in ns: for waits and intervals, whatever the trace's clock is. */
static inline uint64_t mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
