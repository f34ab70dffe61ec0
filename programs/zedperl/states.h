/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STATES_H
#define ZED_PROGRAMS_ZEDPERL_STATES_H

#include "programs/zedperl/zedperl.h"

/*
 * The states of runs, as --map prints and --reduce takes them, a line each:
 *
 *	zed-state-1/NAME/HASH TAB {"sum":"HASH OF THE REST","traces":[...],...}
 *
 * NAME is the script's; the first hash is of its text, its arguments and the version of zedperl, so
 * that what has the same key may be merged, whatever has put the lines in another order.
 */
struct states;

/* Is the file PATH, which is no pipe, one with states? */
bool states_is_one(const char *path);

/* For the run of Z: opens what --map writes.  NULL: that failed, and was said. */
struct states *states_new(struct cli *c, struct zedperl *z);

/* The state of this run: BODY (perlsink_opts.state) is written. */
void states_write(struct states *s, const char *with, const char *body, size_t len);

/*
 * The next body of those that can be merged, borrowed until the next call.  What cannot is said, as
 * are traces that come twice.  NULL: no more; *FAILED: there was none.
 */
const char *states_next(struct states *s, const char *with, size_t *len, bool *failed);

/* The last one makes no sense. */
void states_bad(struct states *s, const char *why);

/* After the run; KEEP: its state is whole.  Frees; returns the exit status, STATUS or worse. */
int states_end(struct states *s, bool keep, int status);

#endif
