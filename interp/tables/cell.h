/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_TABLES_CELL_H
#define ZED_INTERP_TABLES_CELL_H

#include "base/parquet/table.h"
#include "interp/perl/perl_inc.h"

#define VALUE_TEXT_MOST (64u << 20) /* bytes of one text */

/*
 * One value of a row, taken out of Perl's before any of the row is entered: what is asked may run
 * Perl, and die.
 */
struct value {
	bool is_null;
	uint64_t number; /* or the bits of a double */
	const char *text;
	uint32_t len;
	uint64_t *items; /* of a list */
};

/*
 * SV as the value of column C, into V; its memory is held until perl's next statement, and SCRATCH
 * is the caller's.  False: it is none; *WHY says what it should be.
 */
bool value_from(pTHX_ SV *sv, const struct parquet_column *c, struct value *v,
		struct outbuf *scratch, const char **why);

/* Put V into the column TO. */
void value_put(struct column *to, const struct value *v, struct column_tools *tools);

#endif
