/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PARQUET_NAME_H
#define ZED_SINK_PARQUET_NAME_H

#include "base/hash_index.h"
#include "base/outbuf.h"

/* Names of files and columns, made from names in a trace, which may contain anything. */
#define NAME_MOST 100 /* bytes of a part of a file's name, and of a column's */

/*
 * Append NAME as a part of a file's name: letters, digits, _ and -; any other byte becomes %XX.  A
 * name longer than NAME_MOST ends with a hash of the whole.
 */
void name_file(struct outbuf *o, const char *name);

/* The names of the columns of a table that are in use; zeroed: none. */
struct column_names {
	struct column_name *v;
	size_t cap;
	struct hash_index index; /* of V */
};

/* Mark COLUMN as in use.  False: it was already, perhaps with letters of another case. */
bool name_take(struct column_names *names, const char *column);

/*
 * Append a column name made of NAME that is not in NAMES yet: bytes that are neither letters,
 * digits nor _ become _.  If that is in use, ignoring the case of letters, it is field_NAME, or has
 * a number after it.  It is NUL-terminated.
 */
void name_column(struct outbuf *o, const char *name, struct column_names *names);

void name_fini(struct column_names *names);

#endif
