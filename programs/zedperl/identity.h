/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_IDENTITY_H
#define ZED_PROGRAMS_ZEDPERL_IDENTITY_H

#include "run/pump.h"

#include <stddef.h>

/*
 * What tells the trace of S from all others, as letters and digits: the number that its recorder
 * gave it (TRACEID), or, where it has none, a hash of its size, beginning and end; of a pipe, which
 * cannot be read twice, of what ST says of the run.  CHOSEN: a hash of the options that say which
 * part of it is read, 0: all.  PARTS (0: none): it is read in so many parts of its time, and
 * this is number PART, which stands behind the identity of the whole: "+2.7".
 */
void identity_of(struct source *s, const struct pump_stats *st, uint64_t chosen, unsigned part,
		 unsigned parts, char *out, size_t size);

#endif
