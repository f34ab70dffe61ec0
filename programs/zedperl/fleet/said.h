/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_SAID_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_SAID_H

#include "programs/options.h"

#include <stdbool.h>
#include <stddef.h>

/* Lines that processes of -j have said themselves ("zedperl: ...").  Zero-initialise. */
struct said {
	struct said_line *v; /* by hash: a power of two of places, at most half of them taken */
	size_t n, slots;
};

/* The file PATH is what a process has said of TRACES traces. */
void said_add(struct said *s, const char *path, unsigned traces);

/*
 * Write the lines of PATH to stderr.  What several processes have said is written the first time,
 * with of how many traces.
 */
void said_file(struct said *s, const char *path);

/* Of a process that failed: FIRST, and a few of the lines of PATH. */
void said_failure(struct cli *c, const char *path, const char *first);

/*
 * The lines of PATH to stderr, which a process has said that read a part of a trace: each as often
 * as the one that has said it most often, as all of them begin with what the script begins with.
 */
void said_part(struct said *s, const char *path);

void said_fini(struct said *s);

#endif
