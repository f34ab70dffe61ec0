/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CUT_CUT_COMMAND_H
#define ZED_PROGRAMS_CUT_CUT_COMMAND_H

#include "programs/options.h"

/*
 * The value of --cut into *PATH: one file that can be written back and forth, so neither none nor
 * standard output.  -1 with E.
 */
int cli_cut_name(const char **path, const char *value, struct err *e);

/*
 * --cut: read C's open input to its end and write what was chosen of it to PATH, a trace.dat.  A
 * file that is there keeps what it has unless all went well, or was damage that could be passed
 * over.  Returns the exit status.
 */
int cli_cut(struct cli *c, const char *path);

struct times;

/*
 * The same in two steps, for times that only a run can tell.  Before it: can C's open input be read
 * once more, and be cut?  CLI_OK, or the exit status of a refusal, which was said.
 */
int cli_cut_check(struct cli *c);

/* After it: read the input again, and write all its events at times in T to PATH. */
int cli_cut_times(struct cli *c, const char *path, struct times *t);

#endif
