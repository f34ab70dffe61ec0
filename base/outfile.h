/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_OUTFILE_H
#define ZED_BASE_OUTFILE_H

#include "base/err.h"

/* Write all LEN bytes of P to FD, from OFF on.  -1 with E, whose offset says how far it got. */
int write_at(int fd, const void *p, size_t len, uint64_t off, struct err *e);

/*
 * A new, empty file of mode 0600 in the folder of PATH, open for reading and writing: it becomes
 * PATH once complete, or is temporary.  *NAME gets its path, to be freed.  Returns the descriptor
 * (close-on-exec); -1 with E, *NAME NULL.
 */
int outfile_beside(const char *path, char **name, struct err *e);

#endif
