/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPRINT_SCREEN_H
#define ZED_PROGRAMS_ZEDPRINT_SCREEN_H

#include <stdbool.h>
#include <sys/types.h>

struct cli;

/* What a terminal gets: colours and a pager.  What is none gets neither, unless it is told to. */
struct screen {
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	bool no_pager;
	bool painted; /* from screen_begin() on: colours are wanted */
	pid_t pager;  /* 0: there is none */
};

/* Look at standard output and, for recordings on a terminal, start the pager (pager_begin). */
void screen_begin(struct screen *s, const struct cli *c);

/* Close standard output and wait until the user has seen enough.  Nothing without a pager. */
void screen_end(struct screen *s);

#endif
