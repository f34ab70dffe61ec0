/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_TSC_CLOCK_H
#define ZED_READER_LTT_TSC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Converts cycles to times.  A cycle lasts num / den ns; at cycle `zero` the time is `base` ns.
 * Rounded down, never below 0 or above INT64_MAX.
 */
struct ltt_clock {
	uint64_t zero, base;
	uint64_t num, den; /* den 0: unknown rate, times are cycles */
};

uint64_t ltt_clock_ns(const struct ltt_clock *c, uint64_t tsc);

/* The count after T whose lower 32 bits are LOW: they may have wrapped once. */
static inline uint64_t ltt_widen(uint64_t t, uint32_t low)
{
	return t + (uint32_t)(low - (uint32_t)t);
}

#endif
