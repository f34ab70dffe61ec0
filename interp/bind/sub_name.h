/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_SUB_NAME_H
#define ZED_INTERP_BIND_SUB_NAME_H

#include "interp/bind/perl_name.h"
#include "interp/perl/perl_inc.h"
#include "trace/event.h"

struct bind;

/*
 * May an event call GV's sub, as it is now: is it a handler (handler_subs.h), or one that was
 * declared only, in a package whose AUTOLOAD is?
 */
bool bind_callable(pTHX_ const struct bind *b, GV *gv);

/* main::NAME if the script defines it, else NULL. */
GV *bind_main(pTHX_ const char *name);

/* Has the package of a system an AUTOLOAD that is a handler? */
bool bind_autoloads(const struct bind *b, HV *stash);

#endif
