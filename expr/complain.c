// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * complain: error messages for expressions, with a caret under the column.
 */
#include "expr/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 72 /* columns of the text below an error */

int expr_complain(struct err *e, const char *text, size_t at, const char *fmt, ...)
{
	size_t len = strlen(text), from = at > SHOWN / 2 && len > SHOWN ? at - SHOWN / 2 : 0, n;
	char msg[480], line[SHOWN + 1];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	n = snprintf(line, sizeof(line), "%.*s", SHOWN, text + from);
	for (size_t i = 0; i < n && line[i]; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = ' ';
	err_set(e, ERR_USAGE, ERR_NO_OFF, "column %zu: %s", at + 1, msg);
	err_more(e, "  %s", line);
	return err_more(e, "  %*s", (int)(at - from) + 1, "^");
}
