/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INDEX_CHECKED_FILE_H
#define ZED_INDEX_CHECKED_FILE_H

#include "base/err.h"

/*
 * A file of numbered sections of items, of which any part can be read, and is checked: it is
 * hashed in blocks.  Nothing is mapped, so memory does not grow with it, and a file that is cut off
 * meanwhile gives an error.  Bytes are those of the machine that wrote it.
 *
 * Written from front to end, once: its head last.
 */
struct checked_file;

/* ---- writing ---- */

/* To the empty file FD, which is borrowed. */
struct checked_file *checked_create(int fd);
/* The items that follow, of SIZE bytes, are those of section S (each once, in any order). */
void checked_begin(struct checked_file *t, unsigned s, uint32_t size);
void checked_put(struct checked_file *t, const void *items, uint64_t n);
/* All has been put.  -1 with E: it could not be written.  Frees T in any case. */
int checked_finish(struct checked_file *t, struct err *e);

/* ---- reading ---- */

/* Of FD, which is taken over.  NULL with E (ERR_FORMAT): it is not such a file, or damaged. */
struct checked_file *checked_open(int fd, struct err *e);
void checked_close(struct checked_file *t); /* NULL is fine */

/*
 * How many items of SIZE bytes section S has; 0: it is not there, or its items have another
 * size.
 */
uint64_t checked_count(const struct checked_file *t, unsigned s, uint32_t size);

/* N of them from number AT on, into OUT.  False: they are not there, or damaged. */
bool checked_read(struct checked_file *t, unsigned s, uint32_t size, uint64_t at, uint64_t n,
		  void *out);

/* Is every byte of it as it was written? */
bool checked_check(struct checked_file *t);

#endif
