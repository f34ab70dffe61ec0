/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_DURATION_TEXT_H
#define ZED_INTERP_COMMON_DURATION_TEXT_H

#include "run/pump.h"

/*
 * TIME, a finite number of ns, or of TICKS, into BUF, returned: with three digits and a unit, "12.3
 * ms", up to 999 whole ns as they are; "12345 ticks".
 */
#define DURATION_TEXT 400
const char *duration_text(double time, bool ticks, char buf[DURATION_TEXT]);

/* Do the times of all inputs of P (NULL: none) count ns?  Otherwise they are ticks. */
bool duration_counts_ns(const struct pump *p);

#endif
