/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TMPDIR_H
#define ZED_TMPDIR_H

/* A directory of the test's own, which is empty again at its end. */
#include "t/lib/c/tap.h"

#include <unistd.h>

static char dir[200];

/* The path of NAME in it, for as long as three more calls. */
static const char *at(const char *name)
{
	static char buf[4][512];
	static unsigned k;

	k = (k + 1) % 4;
	snprintf(buf[k], sizeof(buf[k]), "%s/%s", dir, name);
	return buf[k];
}

/* In $TMPDIR, or else in IN. */
static void make_dir(const char *in, const char *name)
{
	tap_template(dir, sizeof(dir), in, name);
	if (!mkdtemp(dir))
		bail("mkdtemp");
}

static void remove_dir(void)
{
	if (!ok(rmdir(dir) == 0, "nothing else was left in the directory"))
		diag("%s", dir);
}

#endif
