/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CUT_CUT_COMMAND_H
#define ZED_PROGRAMS_CUT_CUT_COMMAND_H

#include "programs/options.h"

/*
 * The value of --cut into *PATH: one file, which must be seekable, so not standard output.  -1 with
 * E.
 */
int cli_cut_name(const char **path, const char *value, struct err *e);

/*
 * --cut: read C's open input to its end and write the chosen part to PATH, a trace.dat.  An
 * existing file is kept unless all went well, or there was only damage that could be skipped.
 * Returns the exit status.
 */
int cli_cut(struct cli *c, const char *path);

struct times;

/*
 * The same in two steps, for times that are known only after a run.  Before it: can C's open input
 * be read again, and be cut?  CLI_OK, or the exit status of a refusal, which was reported.
 */
int cli_cut_check(struct cli *c);

/* After it: read the input again, and write all events at times in T to PATH. */
int cli_cut_times(struct cli *c, const char *path, struct times *t);

#endif
