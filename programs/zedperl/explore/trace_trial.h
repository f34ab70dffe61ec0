/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_TRACE_TRIAL_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_TRACE_TRIAL_H

#include "programs/zedperl/explore/explore_priv.h"

#define TRIAL_TIME 60 /* seconds, to open the trace */

/*
 * X->trace can be read more than once, and X->file is its file's (zeros: there is none).  -1 with E
 * (ERR_USAGE), which says that WHO, a command, needs a file.
 */
int tracetrial_file(struct explore *x, const char *who, struct err *e);

/*
 * Open it in a process of its own, as a server never opens a trace: what is wrong is printed there,
 * and *OK is false; -1 with E: it printed nothing.
 */
int tracetrial_open(const struct explore *x, bool *ok, struct err *e);

#endif
