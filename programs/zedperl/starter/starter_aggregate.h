/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_AGGREGATE_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_AGGREGATE_H

#include "trace/event.h"

#include <stdio.h>

/*
 * The lines that aggregate T, whose system and name can stand in quotes: how many there are, by the
 * field that best says what happened, and the distribution of a size or duration, if it has one.
 */
void starter_aggregate(const struct etype *t, FILE *to);

#endif
