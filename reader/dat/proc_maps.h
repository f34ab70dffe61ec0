/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_PROC_MAPS_H
#define ZED_READER_DAT_PROC_MAPS_H

#include "reader/dat/dat.h"

/*
 * What processes had mapped, by the options PROCMAPS (trace-cmd record --proc-map): with files, but
 * without the places in them (format.md 1.5).  Parsed when an address is asked for first.
 */
#define PROC_MAPS_MOST (1u << 20) /* of a file */

/* machine_ops.mapped and .generation, for the process of EV's stack. */
bool dat_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		struct mapping *out);
uint64_t dat_generation(void *arg, const struct event *ev, bool kernel);

void proc_maps_free(struct proc_maps *m); /* NULL is fine */

#endif
