/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPRINT_SUMMARY_H
#define ZED_PROGRAMS_ZEDPRINT_SUMMARY_H

#include "programs/options.h"

/*
 * Read C's open inputs to their end and print the summary on stdout, also of a run that failed (E)
 * or was stopped.  Returns how the reading ended, for cli_finish().
 */
enum run_end summary_print(struct cli *c, struct err *e);

#endif
