/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_TELL_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_TELL_H

#include <stdbool.h>

#define TELL_NAME "zedperl-job" /* the name of a process of -j: its argv[0] */
#define TELL_FD 9		/* the file that it gets to write to */

/* What the status of a process does not say; one byte each. */
enum tell {
	TELL_NOTHING = 0,
	TELL_UNCOMPILED = 'c', /* 255: the script does not compile, so it never will */
	TELL_KEEPS = 'k',      /* 2: the script needs more than a part of a trace's time */
	TELL_WHOLE = 'w',      /* 1: but nothing was damaged: the script called exit 1 */
	TELL_OVER = 'o',       /* it ran to its end: no POSIX::_exit or exec has cut its answer */
};

/* In the process, before anything is opened.  NAME: argv[0].  Is it one of -j? */
bool tell_begin(const char *name);

/* In the process; does nothing in another one, such as a child of it.  The first report counts. */
void tell_that(enum tell what);

/* In -j, when the process has ended: the report in PATH. */
enum tell tell_read(const char *path);

#endif
