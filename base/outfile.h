/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_OUTFILE_H
#define ZED_BASE_OUTFILE_H

#include "base/err.h"

/* Write all LEN bytes of P to FD, from OFF on.  -1 with E, whose offset tells how far it got. */
int write_at(int fd, const void *p, size_t len, uint64_t off, struct err *e);

/*
 * A new, empty file in the folder of PATH, open for reading and writing, which only its owner may
 * do: what becomes PATH once it is whole, or is only needed meanwhile.  *NAME gets what it is
 * called, to be freed.  Returns the descriptor (close-on-exec); -1 with E, *NAME NULL.
 */
int outfile_beside(const char *path, char **name, struct err *e);

#endif
