/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_NAMED_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_NAMED_H

#include "run/choose/words.h"
#include "trace/catalog.h"

#include <stdio.h>

/*
 * Scripts that declare what they want: for each of their events an aggregation (Zed::count), and a
 * handler that gets the fields by name (Zed::on).  TRACE, TO and N as of starter_all().
 */

/* For the events that W names, which is bound to C; stable events, too. */
void starter_named(struct catalog *c, const struct words *w, const char *trace, struct notes *n,
		   FILE *to);

/*
 * For a few events of the trace, those that most questions begin with, or else the most frequent;
 * its head lists what there is.  COUNTS has NCOUNTS numbers of events, by the idx of their type.
 */
void starter_short(struct catalog *c, const uint64_t *counts, size_t ncounts, const char *trace,
		   struct notes *n, FILE *to);

#endif
