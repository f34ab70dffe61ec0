/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_INSTALLED_H
#define ZED_PROGRAMS_ZEDPERL_INSTALLED_H

#include "programs/options.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * What comes with zedperl beside the program: the analyses, which are called by name, and the
 * modules that they share.  Both are looked for relative to the program's own file, so that a tree
 * may be moved: ../share/zedperl/{scripts,lib} of an installed one, {scripts,lib} of a checkout.
 */

/* The folder of modules, for perl's -I; NULL: there is none.  The caller's. */
char *installed_modules(void);

/*
 * The script that the word NAME on the command line means: that file, NAME.pl beside it, or the
 * installed script of that name, with or without .pl.  NULL: there is none.  The caller's.
 */
char *installed_find(const char *name);

/*
 * Does the script that NAME means (installed_find) say of itself, in a line of its head, that it is
 * given no trace: "# zedperl: reads no trace itself"?
 */
bool installed_alone(const char *name);

/* The installed script whose name is nearly NAME, as it is called; NULL: none.  The caller's. */
char *installed_near(const char *name);

/* --scripts: a line for each, its name and what its manual says that it does. */
int installed_list(struct cli *c, FILE *to);

/* --help NAME: the script's manual on stdout.  Returns the exit status. */
int installed_manual(struct cli *c, const char *name);

#endif
