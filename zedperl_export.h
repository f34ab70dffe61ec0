/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ZEDPERL_EXPORT_H
#define ZED_ZEDPERL_EXPORT_H

#include "cli.h"

#include "reader/stable.h"

/*
 * zedperl --export: read C's open inputs to their end and write their stable events to PATH ("-":
 * stdout).  A file that is there keeps what it has unless all went well, or was damage that could
 * be passed over.  Returns the exit status.
 */
int export_stable(struct cli *c, const struct stable *s, const char *path);

#endif
