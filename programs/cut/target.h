/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CUT_TARGET_H
#define ZED_PROGRAMS_CUT_TARGET_H

#include "base/err.h"

#include <stdbool.h>

struct cli;
struct stat;

/*
 * A file being written, and its name once it is complete: until then it has another name in the
 * same directory, and a previous file is kept.
 */
struct target {
	int fd;
	bool own;	   /* to be closed */
	char *temp, *path; /* NULL: written in place (stdout, a device, a pipe) */
};

/*
 * A new file for PATH (beside its target, if PATH is a link of ours): private, as traces are, or
 * with the permissions of our own file that it replaces.  A path that is not a file (a pipe, a
 * device) is written in place if IN_PLACE, else refused, as is one of C's inputs; OPTION is the
 * option's name, for messages.  -1 with E: target_close(T, false) is still to be called.
 */
int target_open(struct target *t, struct cli *c, const char *path, bool in_place,
		const char *option, struct err *e);

/* KEEP: it is complete.  Otherwise, or if this fails, the previous file is kept. */
int target_close(struct target *t, bool keep, struct err *e);

#endif
