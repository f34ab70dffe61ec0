/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_API_HTML_PARTS_H
#define ZED_INTERP_API_HTML_PARTS_H

#include <stddef.h>

/*
 * The files of page/ and page/explore/, and d3.min.js if it was there when the program was built,
 * embedded by interp/embed.pl: sorted by name; the last entry has no name.
 */
struct page_part {
	const char *name; /* below page/: "page.css", "explore/axis.js"; d3.min.js */
	const char *text; /* len bytes and a NUL */
	size_t len;
};

extern const struct page_part page_parts[];

#endif
