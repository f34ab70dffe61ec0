/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_CPULIST_H
#define ZED_BASE_CPULIST_H

#include <stddef.h>
#include <stdint.h>

#define CPULIST_MAX 8192 /* CPU numbers are below this, Linux's maximum */

/*
 * Add the list TEXT of LEN bytes, "0,2-5", to BITS, a map of CPULIST_MAX bits.  Returns -1 with the
 * index of the first bad byte in *BAD.
 */
int cpulist_parse(const char *text, size_t len, uint64_t *bits, size_t *bad);

#endif
