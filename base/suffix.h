/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_SUFFIX_H
#define ZED_BASE_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does S end in END, with something before it? */
static inline bool suffix_is(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len > n && !strcmp(s + len - n, end);
}

/* The length of S without END, if it ends in it. */
static inline size_t suffix_stem(const char *s, const char *end)
{
	return strlen(s) - (suffix_is(s, end) ? strlen(end) : 0);
}

#endif
