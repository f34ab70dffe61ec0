/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_LISTING_H
#define ZED_PROGRAMS_SCRIPT_LISTING_H

struct cli;

/*
 * -t: read C's open inputs to their end and print on stdout "SYSTEM::EVENT  COUNT" for each, sorted
 * by name; with -v also those that do not occur.  Returns the exit status.
 */
int listing_print(struct cli *c);

#endif
