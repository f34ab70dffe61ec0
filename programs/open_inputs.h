/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_OPEN_INPUTS_H
#define ZED_PROGRAMS_OPEN_INPUTS_H

#include "base/err.h"
#include "run/pump.h"

#include <stdbool.h>

struct cli;

/*
 * Initialise C->pump with the options and the filter and open every input.  One that cannot be
 * opened is reported and passed over (exit status 1 at the end).  False if none could, or one was
 * refused (another clock; --strict and any failure), or the filter names what no input has:
 * *STATUS is 2.  True if none was named.  May be called once.
 */
bool cli_open(struct cli *c, int *status);

/*
 * After the run: erase the progress, say E if END is RUN_FAILED, print --stats, and give the exit
 * status: 2 for a usage error, 1 for another failure or if anything was damaged or skipped or could
 * not be opened, 128 + N after signal N, else 0.
 */
int cli_finish(struct cli *c, enum run_end end, const struct err *e);

#endif
