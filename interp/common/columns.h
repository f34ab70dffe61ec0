/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_COLUMNS_H
#define ZED_INTERP_COMMON_COLUMNS_H

#include "base/outbuf.h"

/*
 * A table that people read: lines of equally many cells, the first with the names of the columns.
 * Zero-initialise; write each cell to `text`, then columns_cell().
 */
struct column_cell {
	size_t at, len;
};

struct columns {
	struct outbuf text;
	struct column_cell *v;
	size_t n, cap;
	size_t ncolumns;
};

/* What was written to t->text since the last cell is the next one. */
void columns_cell(struct columns *t);
void columns_word(struct columns *t, const char *s);

/* The cells so far are the first line. */
void columns_begin(struct columns *t);

/* Append the lines to O, and free T. */
void columns_print(struct columns *t, struct outbuf *o);

#endif
