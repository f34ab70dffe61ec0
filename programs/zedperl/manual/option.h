/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MANUAL_OPTION_H
#define ZED_PROGRAMS_ZEDPERL_MANUAL_OPTION_H

#include <stdbool.h>

/*
 * Print HEAD and a line for each program that has an option of the name WORD, without dashes, as
 * its manual lists it, on stdout.  False: none has, nothing is printed.
 */
bool option_show(const char *word, const char *head);

#endif
