/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_ANALYSIS_NAME_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_ANALYSIS_NAME_H

#include "base/err.h"

/*
 * Is NAME an analysis of a trace that was installed with this program (never a file beside the
 * trace), and has the options of all?  -1 with E (ERR_USAGE): it is not.
 */
int analysis_check_name(const char *name, struct err *e);

#endif
