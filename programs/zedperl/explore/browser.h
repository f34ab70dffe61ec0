/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_BROWSER_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_BROWSER_H

/* The file by which a page was opened; "": none. */
struct browser {
	char file[256];
};

/*
 * Show URL in the user's browser, if this is a desktop and standard output a terminal.  The
 * command lines of processes can be read by every user of the machine, so URL is in none: the
 * browser is given a file of the user's alone that leads there.  Never fails: the address was
 * printed.
 */
void browser_open(struct browser *b, const char *url);

/* Remove that file. */
void browser_close(struct browser *b);

#endif
