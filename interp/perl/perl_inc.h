/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_PERL_INC_H
#define ZED_INTERP_PERL_PERL_INC_H

/*
 * The only file that includes perl's headers.  PERL_NO_GET_CONTEXT: on a threaded perl each call
 * that is not given the interpreter would look it up in thread-local storage.
 */
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>
#include <XSUB.h>

#endif
