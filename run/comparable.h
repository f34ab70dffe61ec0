/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_COMPARABLE_H
#define ZED_RUN_COMPARABLE_H

#include "run/pump.h"

/*
 * Has S the clock of P's sources?  -1 with E: it has another, and the merge is not forced, in which
 * case that is said.
 */
int comparable_clock(const struct pump *p, const struct source *s, struct err *e);

/* Say it if the instances of S have several clocks. */
void comparable_instances(const struct pump *p, const struct source *s);

/* Say it, once, if P's sources are of several machines, or of several recordings of one. */
void comparable_machines(const struct pump *p);

#endif
