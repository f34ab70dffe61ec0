/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_INDEXES_H
#define ZED_PROGRAMS_INDEXES_H

#include "base/err.h"

struct cli;

/*
 * Once C's inputs are open: finds their indexes in the cache folder, if only a part of the time is
 * asked for, or makes them (--index).  -1 with E: one that was asked for cannot be made.
 */
int indexes_begin(struct cli *c, struct err *e);
void indexes_end(struct cli *c);

#endif
