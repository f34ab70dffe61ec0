/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_TABLE_FILE_H
#define ZED_BASE_PARQUET_TABLE_FILE_H

#include "base/err.h"

/*
 * A file that grows at its end, in several sittings, and gets its name when it is whole: until then
 * it stands beside it under another one.  Thousands can be under way, as it is open only in a
 * sitting.  Errors name the file.
 */
struct parquet_file {
	char *path; /* what it will be called; the file's own */
	char *temp; /* what it is called; NULL: it is not there yet */
	int fd;	    /* -1: closed */
	uint64_t size;
};

/* F is to become PATH.  Nothing is written yet. */
void file_init(struct parquet_file *f, const char *path);

/* Begin and end a sitting. */
int file_open(struct parquet_file *f, struct err *e);
int file_close(struct parquet_file *f, struct err *e);

/* Within one: append, and read LEN bytes from OFF on. */
int file_put(struct parquet_file *f, const void *p, size_t len, struct err *e);
int file_get(struct parquet_file *f, void *p, size_t len, uint64_t off, struct err *e);

/* It is whole: it gets its name, in place of what had it. */
int file_name(struct parquet_file *f, struct err *e);

/* Free all; what has no name yet is removed. */
void file_fini(struct parquet_file *f);

#endif
