// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lines: texts of a file within the lines of an answer.
 */
#include "programs/zedsyms/lines.h"

void line_text(FILE *out, const char *text, size_t most)
{
	size_t n = 0;

	while (n < most && (unsigned char)text[n] >= ' ' && text[n] != 127)
		n++;
	fwrite(text, 1, n, out);
}
