/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_INSTALLED_H
#define ZED_PROGRAMS_INSTALLED_H

#include "programs/options.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Files that come with the programs: the analyses, which are called by name, the modules that they
 * share, and the pages.  They are looked for relative to the file of the running program, so that a
 * tree may be moved: ../share/zedperl/{scripts,lib,docs} of an installed one, {scripts,lib,docs} of
 * a checkout.
 */

/* The installed folder NAME, "docs"; NULL: none.  The caller's. */
char *installed_folder(const char *name);

/*
 * The path of a program that this one starts, NAME: ../libexec/zedperl/NAME of an installed one,
 * else NAME beside it, as built; NULL: none.  The caller's.
 */
char *installed_program(const char *name);

/* The folder of modules, for perl's -I; NULL: none.  The caller's. */
char *installed_modules(void);

/*
 * The script that the word NAME on the command line means: the installed script of that name, or
 * the file NAME, or NAME.pl; if it has a slash or ends in .pl, the file first.  So a file beside a
 * trace never runs in place of an analysis.  NULL: none.  The caller's.
 */
char *installed_find(const char *name);

/*
 * Does the script NAME (installed_find) declare that it takes no trace, by a line in its head:
 * "# zedperl: reads no trace itself"?  Only of an installed one, or if NAME ends in .pl: else
 * a trace that was replaced would choose what runs.
 */
bool installed_alone(const char *name);

/* Is NAME the name of an installed script, with or without .pl? */
bool installed_is(const char *name);

/* Call EACH for the name, without .pl, and the path of every installed script, sorted. */
void installed_each(void (*each)(const char *name, const char *path, void *arg), void *arg);

/* The installed script whose name is near NAME, or contains NAME; NULL: none.  The caller's. */
char *installed_near(const char *name);

/*
 * The purpose of a script, a module or a page, into BUF: the text after "NAME - " under its
 * manual's first heading, or the title of a page in Markdown; "" if there is none.
 */
void installed_purpose(const char *path, char *buf, size_t size);

/* --scripts: a line for each, with its name and its purpose from the manual. */
int installed_list(struct cli *c, FILE *to);

#endif
