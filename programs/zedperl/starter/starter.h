/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H

#include "programs/script/starter_events.h"

/*
 * zedperl -g: write the script to stdout, from C's open inputs: for the events asked for; or, with
 * --perf (PERF), in the form of perf's scripts, for all events if none are named.  Returns the exit
 * status; a name that no input has was reported.
 */
int starter_write(struct cli *c, struct starter_ask *a, bool perf);

#endif
