/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_PROGRESS_H
#define ZED_PROGRAMS_PROGRESS_H

#include "run/pump.h"

struct cli;

/*
 * The run begins: seconds are counted from here, and where stderr is a terminal that nothing else
 * writes to, O has the pump show how far it is.
 */
void cli_began(struct cli *c, struct pump_opts *o);

/* --stats: records, losses, damage and time, each a line on stderr. */
void cli_say_stats(struct cli *c);

#endif
