/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_IDENTITY_H
#define ZED_PROGRAMS_ZEDPERL_IDENTITY_H

#include "run/pump.h"

#include <stddef.h>

/*
 * The identity of the trace of S, as letters and digits: a hash of the number that its recorder
 * gave it (TRACEID) and of the kernel's statistics in it, by which the files of one rotation
 * differ, or, without such a number, of its size, beginning and end, for a directory those of all
 * files in it; for a pipe, which cannot be read twice, of the numbers in ST about the run.  CHOSEN:
 * a hash of the options that choose the part that is read, 0: all.  PARTS (0: none): it is read in
 * that many parts of its time, and this is number PART, which follows the identity of the whole:
 * "+2.7".
 */
void identity_of(struct source *s, const struct pump_stats *st, uint64_t chosen, unsigned part,
		 unsigned parts, char *out, size_t size);

#endif
