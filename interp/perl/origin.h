/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_ORIGIN_H
#define ZED_INTERP_PERL_ORIGIN_H

#include "interp/perl/perl_inc.h"

/*
 * Perl keeps for each sub the name of the file that it was compiled from, and calls code compiled
 * by eval "(eval 7)", wherever the eval is.  So evals outside of the script are made to name their
 * place, "(eval 7)[Foo.pm:12]", as they do under the debugger: see interp.c.
 */

/*
 * The file of the code that perl names FILE, without the evals around it: *LEN
 * bytes within FILE; 0: the script's own.
 */
const char *origin_of(const char *file, size_t *len);

/* Is FILE the running script (or -e), or code that it evaluates? */
bool origin_is_script(pTHX_ const char *file);

#endif
