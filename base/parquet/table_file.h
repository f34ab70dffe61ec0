/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_TABLE_FILE_H
#define ZED_BASE_PARQUET_TABLE_FILE_H

#include "base/err.h"

/*
 * A file that is appended to and renamed to its path when complete; until then it has a temporary
 * name beside it.  It is open only between file_open() and file_close(), so there can be thousands.
 * Errors name the file.
 */
struct parquet_file {
	char *path; /* its final path; owned */
	char *temp; /* its temporary path; NULL: not created yet */
	int fd;	    /* -1: closed */
	uint64_t size;
};

/* F will become PATH.  Nothing is written yet. */
void file_init(struct parquet_file *f, const char *path);

/* Open and close the file. */
int file_open(struct parquet_file *f, struct err *e);
int file_close(struct parquet_file *f, struct err *e);

/* While it is open: append, and read LEN bytes from OFF on. */
int file_put(struct parquet_file *f, const void *p, size_t len, struct err *e);
int file_get(struct parquet_file *f, void *p, size_t len, uint64_t off, struct err *e);

/* Rename the complete file to its path, replacing any older file. */
int file_name(struct parquet_file *f, struct err *e);

/* Free F's members; a file that was not renamed is removed. */
void file_fini(struct parquet_file *f);

#endif
