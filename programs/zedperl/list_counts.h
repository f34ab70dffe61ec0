/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_LIST_COUNTS_H
#define ZED_PROGRAMS_ZEDPERL_LIST_COUNTS_H

#include "programs/options.h"

/*
 * Read C's open inputs to their end and print on stdout "SYSTEM::EVENT  COUNT" for each, sorted
 * by name; with -v those of which there are none too.  Returns the exit status.
 */
int list_events(struct cli *c);

#endif
