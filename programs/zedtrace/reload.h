/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_RELOAD_H
#define ZED_PROGRAMS_ZEDTRACE_RELOAD_H

#include "programs/zedtrace/zedtrace.h"

/*
 * Read the command line of Z once more, with its file of settings, and begin to change the events
 * and filters of S, which traces, to those of it (session_change).  Other settings that differ are
 * named: they need a restart.  False: something is wrong, which was reported; nothing changes.
 * COMMAND: the process that is recorded, or 0.
 */
bool reload_begin(struct cli *c, const struct zedtrace *z, struct session *s, pid_t command);

/* The change is complete: exclude ourselves from events that are new, and report it. */
void reload_end(struct cli *c, const struct zedtrace *z, struct session *s);

#endif
