/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_COMPARE_H
#define ZED_BASE_COMPARE_H

#include <stdint.h>
#include <string.h>

/* For qsort() and bsearch(): arrays of strings and of numbers. */
static inline int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline int compare_i32(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

#endif
