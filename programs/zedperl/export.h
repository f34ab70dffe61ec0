/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPORT_H
#define ZED_PROGRAMS_ZEDPERL_EXPORT_H

#include "programs/options.h"
#include "stable/catalogue.h"

/*
 * zedperl --export: read C's open inputs to their end and write their stable events to PATH ("-":
 * stdout).  A file that is there keeps what it has unless all went well, or was damage that could
 * be passed over.  Returns the exit status.
 */
int export_stable(struct cli *c, const struct stable *s, const char *path);

#endif
