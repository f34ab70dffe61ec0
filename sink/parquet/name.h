/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PARQUET_NAME_H
#define ZED_SINK_PARQUET_NAME_H

#include "base/outbuf.h"

/* Names of files and columns, made of names of a trace, which may be anything. */
#define NAME_MOST 100 /* bytes of a part of a file's name, and of a column's */

/*
 * Append NAME as a part of a file's name: letters, digits, _ and -; each other byte is %XX.  What
 * is longer than NAME_MOST ends with a number that is made of the whole.
 */
void name_file(struct outbuf *o, const char *name);

/* The names of the columns of a table that are in use; zeroed: none. */
struct column_names {
	struct column_name *v; /* a hash table of SIZE places */
	size_t n, size;
	uint64_t seed;
};

/* COLUMN is in use from now on.  False: it was, maybe in other letters' case. */
bool name_take(struct column_names *names, const char *column);

/*
 * Append NAME as a column's, which NAMES did not have: bytes that are neither letters, digits nor _
 * become _.  One that is in use, also in other letters' case, is field_NAME, or has a number after
 * it.  It is NUL-terminated.
 */
void name_column(struct outbuf *o, const char *name, struct column_names *names);

void name_fini(struct column_names *names);

#endif
