/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_CHAIN_H
#define ZED_INTERP_BIND_CHAIN_H

#include "interp/perl/perl_inc.h"
#include "reader/model/event.h"

/*
 * The call chain of EV in the form of perf's scripts, innermost first, as a new reference to an
 * array (a reference count of 1, the caller's): for each address a hash with ip; and where the
 * machine's kallsyms have a symbol for it, sym, a hash with its name, start and end, and dso,
 * "[kernel.kallsyms]" or "[module]".  What a perf.data says to be mapped at an address is dso, and
 * where in that file offset.  Empty without a chain.
 */
SV *chain_ref(pTHX_ const struct event *ev);

#endif
