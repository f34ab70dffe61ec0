/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_DURATION_H
#define ZED_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A span of time as users write it: "12.5s", "7ms", "3us", "250ns", at most nine decimals; with
 * BARE also without a unit, "12.5": seconds.  *OUT in ns.  False: TEXT is not a duration, not a
 * whole number of ns, or does not fit 64 bits.
 */
bool duration_parse(const char *text, bool bare, uint64_t *out);

#endif
