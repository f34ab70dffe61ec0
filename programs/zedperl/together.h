/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_TOGETHER_H
#define ZED_PROGRAMS_ZEDPERL_TOGETHER_H

#include "programs/zedperl/zedperl.h"

/* The option that asks for a job without a script, "-t"; NULL: a script runs. */
const char *zedperl_mode(const struct zedperl *z);

/*
 * Do the options that were given go together?  False: that was said, with what to do instead, and
 * *STATUS is set.
 */
bool zedperl_together(struct cli *c, const struct zedperl *z, int *status);

#endif
