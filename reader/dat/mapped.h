/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_MAPPED_H
#define ZED_READER_DAT_MAPPED_H

#include "reader/dat/dat.h"

/*
 * What the process of an event had mapped: by the option MAPS, with times and build ids
 * (trace/maps/map_log.h), or frames MAPS of a stream; else by the options PROCMAPS (proc_maps.h).
 * Parsed when an address is asked for first.
 */

/* machine_ops.mapped and .generation, for the process of EV's stack. */
bool dat_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		struct mapping *out);
uint64_t dat_generation(void *arg, const struct event *ev, bool kernel);

/*
 * Add the LEN bytes P of a map_log, which are copied; what is invalid or too much is left out.
 * Returns how many bytes were valid.
 */
size_t dat_take_maps(struct dat *d, const uint8_t *p, size_t len);

#endif
