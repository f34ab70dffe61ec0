/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_SCRIPT_H
#define ZED_PROGRAMS_ZEDPERL_SCRIPT_H

#include "programs/zedperl/zedperl.h"

/*
 * Has any of C's open inputs events?  What a latency tracer wrote is text, with nothing to call a
 * sub with: then that is reported.
 */
bool script_has_events(struct cli *c);

/*
 * Run perl with Z's command line over C's open inputs; a live session is switched on after
 * trace_begin.  Returns the exit status, the script's own where it has one.
 */
int script_run(struct cli *c, struct zedperl *z);

#endif
