/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_WRITE_AT_H
#define ZED_BASE_WRITE_AT_H

#include "base/err.h"

/* Write all LEN bytes of P to FD, from OFF on.  -1 with E, whose offset tells how far it got. */
int write_at(int fd, const void *p, size_t len, uint64_t off, struct err *e);

#endif
