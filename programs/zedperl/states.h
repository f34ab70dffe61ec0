/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STATES_H
#define ZED_PROGRAMS_ZEDPERL_STATES_H

#include "programs/zedperl/zedperl.h"

/*
 * The states of runs, as --map writes and --reduce reads them, a line each:
 *
 *	zed-state-1/NAME/HASH TAB {"sum":"HASH OF THE REST","traces":[...],...}
 *
 * NAME is the script's; the first hash is of its text, its arguments and the version of zedperl, so
 * that states with the same key can be merged, in whatever order the lines are.
 */
struct states;

/* Is the file PATH, which is not a pipe, one with states? */
bool states_is_one(const char *path);

/* For the run of Z: opens the output of --map.  NULL: that failed, and was reported. */
struct states *states_new(struct cli *c, struct zedperl *z);

/* Write the state of this run, BODY (host_opts.state). */
void states_write(struct states *s, const char *with, const char *body, size_t len);

/*
 * The next body of those that can be merged, borrowed until the next call.  Others are reported,
 * and so are duplicate traces.  NULL: no more; *FAILED: there was none.
 */
const char *states_next(struct states *s, const char *with, size_t *len, bool *failed);

/* The last one is invalid, or, where WHY begins with STATE_LEFT_OUT (host.h), left out. */
void states_bad(struct states *s, const char *why);

/* After the run; KEEP: its state is complete.  Frees; returns the exit status, STATUS or worse. */
int states_end(struct states *s, bool keep, int status);

#endif
