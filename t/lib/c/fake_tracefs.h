/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_FAKE_TRACEFS_H
#define ZED_FAKE_TRACEFS_H

/*
 * A directory that stands for tracefs, so that a test needs no rights.  The program under test is
 * led to it by ZED_TRACEFS; names are below it.
 */
#include "base/err.h"
#include "t/lib/c/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char fake_top[200];

static inline void make_dir(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", fake_top, name);
	if (mkdir(path, 0700) < 0)
		diag("%s: %s", path, strerror(errno));
}

static inline void make_file(const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", fake_top, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		diag("%s: %s", path, strerror(errno));
}

static inline bool is_there(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", fake_top, name);
	return access(path, F_OK) == 0;
}

static inline void drop(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", fake_top, name);
	if (remove(path) < 0)
		diag("%s: %s", path, strerror(errno));
}

/* The error E says WHAT. */
static inline bool says(const struct err *e, const char *what)
{
	char text[1300];

	err_text(e, text, sizeof(text));
	if (strstr(text, what))
		return true;
	diag("'%s' does not say '%s'", text, what);
	return false;
}

/* Make it, empty. */
static inline void fake_begin(void)
{
	tap_template(fake_top, sizeof(fake_top), "/tmp", "tracefs");
	if (!mkdtemp(fake_top))
		bail("no temporary directory");
	setenv("ZED_TRACEFS", fake_top, 1);
}

/* Take it away; what the test made in it has been dropped. */
static inline void fake_end(void)
{
	if (rmdir(fake_top) < 0)
		diag("%s: %s", fake_top, strerror(errno));
}

#endif
