/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_RATIO_H
#define ZED_BASE_RATIO_H

#include <stdbool.h>
#include <stdint.h>

/* TICKS * NUM / DEN (not 0), rounded down, or UP; INT64_MAX if it is larger. */
uint64_t ratio(uint64_t ticks, uint64_t num, uint64_t den, bool up);

#endif
