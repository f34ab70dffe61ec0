/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_WORD_H
#define ZED_PROGRAMS_ZEDPERL_WORD_H

#include <stdbool.h>

/* Does it exist, with or without .dat, as source_open() takes it? */
bool word_is_there(const char *path);

/* Is there no file WORD, but an installed script of that name? */
bool word_is_script_name(const char *word);

/*
 * Is FIRST the script, and SECOND (or NULL) the trace?  "#!/usr/bin/env zedperl" in a script: the
 * kernel makes "zedperl SCRIPT TRACE" of "SCRIPT TRACE".  The contents of the two decide which is
 * which.  And a user who calls a script by its name may well put that first.
 */
bool word_is_script_first(const char *first, const char *second);

/* Is WORD, the only one, a script?  It may not exist: then its name decides. */
bool word_is_script_alone(const char *word);

/* Is it not a trace, but a Perl file? */
bool word_is_script_file(const char *word);

#endif
