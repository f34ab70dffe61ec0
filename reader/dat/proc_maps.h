/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_PROC_MAPS_H
#define ZED_READER_DAT_PROC_MAPS_H

#include "reader/dat/dat.h"

/*
 * What processes had mapped, by the options PROCMAPS (trace-cmd record --proc-map): with files, but
 * without the places in them (format.md 1.5).  Parsed when an address is asked for first.
 */
#define PROC_MAPS_MOST (1u << 20) /* of a file */

/* The mapping of PID at ADDRESS into OUT, but for the host.  False: none. */
bool proc_maps_find(struct dat *d, int32_t pid, uint64_t address, struct mapping *out);

void proc_maps_free(struct proc_maps *m); /* NULL is fine */

#endif
