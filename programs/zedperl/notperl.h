/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_NOTPERL_H
#define ZED_PROGRAMS_ZEDPERL_NOTPERL_H

#include <stdbool.h>

struct cli;
struct zedperl;

/*
 * Is the file SCRIPT for another program than perl?  perl would execute what its "#!" line names.
 * NAME gets the program.
 */
bool notperl_is(const char *script, char name[256]);

/* The script does not compile, and DEATH is perl's message: say what may have been meant. */
void notperl_say(struct cli *c, const struct zedperl *z, const char *death);

#endif
