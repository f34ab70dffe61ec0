/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SCRIPT_EVENTS_H
#define ZED_SCRIPT_EVENTS_H

#include "reader/err.h"

/*
 * Which events a Perl script is for, from its text (it is not run): the words of its lines
 *
 *	# zedtrace: sched block:block_rq_*
 *
 * or, where it has none, the events whose handlers it defines ("sub sched::sched_switch" gives
 * "sched:sched_switch").  POD, comments, here-documents and what follows __END__ or __DATA__ are
 * not looked at.  *PATTERNS (tracefs_match() takes each) are in the order of the script, each once;
 * to be given to script_events_free().  -1 with E (ERR_USAGE) if the script names none.
 */
#define SCRIPT_MAX (16u << 20)	/* bytes of a script that are read */

int script_events(const char *path, char ***patterns, unsigned *n, struct err *e);
void script_events_free(char **patterns, unsigned n);

#endif
