/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_ORIGIN_H
#define ZED_INTERP_PERL_ORIGIN_H

#include "interp/perl/perl_inc.h"

/*
 * Perl keeps for each sub the name of the file that it was compiled from, and calls what eval
 * compiled "(eval 7)", whatever wrote that.  So evals that are not of the script are made to tell
 * where they stand, "(eval 7)[Foo.pm:12]", as they do under the debugger: see interp.c.
 */

/*
 * The file that the code which perl has as FILE was written in, without the evals around it: *LEN
 * bytes within FILE; 0: the script's own.
 */
const char *origin_of(const char *file, size_t *len);

/* Is FILE the script that runs (or -e), or what that evaluates? */
bool origin_is_script(pTHX_ const char *file);

#endif
