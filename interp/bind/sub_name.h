/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_SUB_NAME_H
#define ZED_INTERP_BIND_SUB_NAME_H

#include "interp/perl/perl_inc.h"
#include "reader/model/event.h"

struct bind;

#define BIND_NAME 512 /* bytes of a sub's whole name; longer ones are not bound */

/*
 * "sched::sched_switch" for T, every byte that cannot be in a Perl name made '_', "_9p::..." for
 * a digit.  Returns the length it needs, as snprintf does; *SYSTEM gets that of the package alone.
 */
size_t bind_name(const struct etype *t, char *buf, size_t size, size_t *system);

/*
 * S as a Perl identifier into BUF, cut where that ends: bytes that cannot be in one made '_', and a
 * '_' before a leading digit and for "".  Returns the length it needs, as snprintf does.
 */
size_t perl_identifier(const char *s, char *buf, size_t size);

/*
 * May an event call GV's sub, as it is now: is it a handler (handlers.h), or one that was declared
 * only, in a package whose AUTOLOAD is?
 */
bool bind_callable(pTHX_ const struct bind *b, GV *gv);

/* main::NAME if the script defines it, else NULL. */
GV *bind_main(pTHX_ const char *name);

/* Has the package of a system an AUTOLOAD that is a handler? */
bool bind_autoloads(const struct bind *b, HV *stash);

#endif
