/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_WORD_H
#define ZED_PROGRAMS_ZEDPERL_WORD_H

#include <stdbool.h>

/* Is it there, with .dat behind or without, as source_open() takes it? */
bool word_is_there(const char *path);

/* Is there no file WORD, but a script that comes with us and is called so? */
bool word_is_script_name(const char *word);

/*
 * Is FIRST the script, and SECOND (or NULL) the trace?  "#!/usr/bin/env zedperl" in a script: the
 * kernel makes "zedperl SCRIPT TRACE" of "SCRIPT TRACE".  The bytes of the two tell which is which.
 * And who calls a script by its name may well put that first.
 */
bool word_is_script_first(const char *first, const char *second);

/* Is WORD, the only one, a script?  It may not be there: then its name tells. */
bool word_is_script_alone(const char *word);

/* Is it no trace, but a file of Perl? */
bool word_is_script_file(const char *word);

#endif
