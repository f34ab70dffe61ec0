/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_INSTALLED_H
#define ZED_PROGRAMS_INSTALLED_H

#include "programs/options.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * What comes with the programs, beside them: the analyses, which are called by name, the modules
 * that they share, and the pages.  They are looked for relative to the file of the program that
 * runs, so that a tree may be moved: ../share/zedperl/{scripts,lib,docs} of an installed one,
 * {scripts,lib,docs} of a checkout.
 */

/* The folder NAME of what is installed, "docs"; NULL: none.  The caller's. */
char *installed_folder(const char *name);

/* The folder of modules, for perl's -I; NULL: none.  The caller's. */
char *installed_modules(void);

/*
 * The script that the word NAME on the command line means: the installed script of that name, or
 * the file NAME, or NAME.pl; if it has a slash or ends in .pl, the file first.  So no file that
 * stands beside a trace runs for an analysis.  NULL: none.  The caller's.
 */
char *installed_find(const char *name);

/*
 * Does the script that NAME means (installed_find) say of itself, in a line of its head, that it is
 * given no trace: "# zedperl: reads no trace itself"?
 */
bool installed_alone(const char *name);

/* The installed script whose name is nearly NAME, or has NAME in it; NULL: none.  The caller's. */
char *installed_near(const char *name);

/*
 * What a script, a module or a page is for, into BUF: what its manual says after "NAME - " under
 * its first heading, or the title of a page in Markdown; "" if it says nothing.
 */
void installed_purpose(const char *path, char *buf, size_t size);

/* --scripts: a line for each, its name and what its manual says that it does. */
int installed_list(struct cli *c, FILE *to);

#endif
