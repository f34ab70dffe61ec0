/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_H

#include "trace/catalog.h"

#include <stdio.h>

/*
 * Write a starter script to TO: a handler for each event type of C that is of use, sorted by name,
 * with the names of the fields filled in and told by Zed::takes(), so that on a trace of another
 * kernel it gets the same fields.  TRACE is named in its head.  Formats that cannot be read are
 * passed over with a comment in the script and a notice.  PERF: in the shape of perf's scripts,
 * which perf runs as well.
 */
void starter_write(struct catalog *c, const char *trace, bool perf, struct notes *n, FILE *to);

#endif
