/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MANUAL_ABOUT_H
#define ZED_PROGRAMS_ZEDPERL_MANUAL_ABOUT_H

#include <stdbool.h>

/*
 * The analyses and pages about a word that is not a topic itself, "disk": those that have it in
 * their name, in their purpose (installed_purpose) or, an analysis, in its line "# zedperl: is
 * about WORD...".  Case, and a plural's s, do not matter.
 */

/* Print HEAD and a line for each on stdout.  False: there are none, nothing is printed. */
bool about_show(const char *word, const char *head);

#endif
