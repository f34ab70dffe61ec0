/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_SAID_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_SAID_H

#include "base/hash_index.h"
#include "programs/options.h"

#include <stdbool.h>
#include <stddef.h>

/* Messages of the processes of -j themselves ("zedperl: ...").  Zero-initialise. */
struct said {
	struct said_line *v;
	size_t cap;
	struct hash_index index; /* of V, by text */
};

/* The file PATH has the messages of a process for TRACES traces. */
void said_add(struct said *s, const char *path, unsigned traces);

/*
 * Write the lines of PATH to stderr.  A message of several processes is written the first time,
 * with the number of traces.
 */
void said_file(struct said *s, const char *path);

/* For a process that failed: FIRST, and a few of the lines of PATH. */
void said_failure(struct cli *c, const char *path, const char *first);

/*
 * Write the lines of PATH, messages of a process that read a part of a trace, to stderr: each as
 * often as in the part that has it most often, as all parts begin with the same messages of the
 * script.
 */
void said_part(struct said *s, const char *path);

void said_fini(struct said *s);

#endif
