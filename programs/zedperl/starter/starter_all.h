/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_ALL_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_ALL_H

#include "run/choose/words.h"
#include "trace/catalog.h"

#include <stdio.h>

/*
 * Write to TO a script with a sub for each event type of C that is chosen and, unless W is NULL,
 * named in it, sorted by name, with the names of the fields filled in and stated by Zed::takes(),
 * so that on a trace of another kernel it gets the same fields.  TRACE is named in its head.
 * Formats that cannot be read are passed over with a comment in the script and a notice.  PERF: in
 * the shape of perf's scripts, which perf runs as well.
 */
void starter_all(struct catalog *c, const struct words *w, const char *trace, bool perf,
		 struct notes *n, FILE *to);

#endif
