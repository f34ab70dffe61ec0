/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_TELL_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_TELL_H

#include <stdbool.h>

#define TELL_NAME "zedperl-job" /* what a process of -j is called: its argv[0] */
#define TELL_FD 9		/* the file that it is given to write into */

/* What the status of a process leaves open; one byte each. */
enum tell {
	TELL_NOTHING = 0,
	TELL_UNCOMPILED = 'c', /* 255: the script does not compile, so it never will */
	TELL_KEEPS = 'k',      /* 2: what it is to run needs more than a part of a trace's time */
	TELL_WHOLE = 'w',      /* 1: but nothing was damaged: the script has said exit 1 */
	TELL_OVER = 'o',       /* it came to its end: no POSIX::_exit or exec has cut its answer */
};

/* In the process, before anything is opened.  NAME: argv[0].  Is it one of -j? */
bool tell_begin(const char *name);

/* In the process; nothing happens in another, such as a child of it.  What is told first counts. */
void tell_that(enum tell what);

/* In -j, when the process has ended: what PATH has. */
enum tell tell_read(const char *path);

#endif
