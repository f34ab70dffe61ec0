/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_DESCTRY_H
#define ZED_DESCTRY_H

/* For the tests of layouts: one that is described by a text of several lines. */
#include "stable/layout.h"

#include <string.h>

__attribute__((unused)) static int desc_parse(struct desc *d, const char *text, size_t len,
					      struct err *e)
{
	const char *end = text + len;

	for (unsigned line = 1; text < end; line++) {
		const char *nl = memchr(text, '\n', end - text);

		TRY(desc_add(d, text, (nl ? nl : end) - text, line, NULL, e));
		text = nl ? nl + 1 : end;
	}
	return desc_finish(d, e);
}

#endif
