/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CUT_H
#define ZED_PROGRAMS_CUT_H

#include "programs/options.h"

/*
 * --cut: read C's open input to its end and write what was chosen of it to PATH, a trace.dat.  A
 * file that is there keeps what it has unless all went well, or was damage that could be passed
 * over.  Returns the exit status.
 */
int cli_cut(struct cli *c, const char *path);

#endif
