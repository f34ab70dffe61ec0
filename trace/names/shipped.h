/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_NAMES_SHIPPED_H
#define ZED_TRACE_NAMES_SHIPPED_H

#include <stddef.h>

/*
 * The files of stable/, embedded by interp/embed.pl so that they need no path: "block.stable", ...,
 * "syscalls.txt", sorted by name; the last entry has no name.
 */
struct stable_text {
	const char *name; /* without the directory */
	const char *text; /* len bytes and a NUL */
	size_t len;
};

extern const struct stable_text stable_texts[];

#endif
