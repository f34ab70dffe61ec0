/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_CALL_CHAIN_H
#define ZED_INTERP_BIND_CALL_CHAIN_H

#include "interp/perl/perl_inc.h"
#include "trace/event.h"

/*
 * The addresses of a chain without its marks: *ADDRESS and whether it is the KERNEL's, from *I (0
 * first) on; *I is moved past it.  False: no more.
 */
bool chain_next(const struct event *ev, uint32_t *i, uint64_t *address, bool *kernel);

/*
 * ADDRESS of EV's chain as text, a new string: "schedule+0x2b" by the machine's kallsyms,
 * "/usr/bin/x+0x1234" if a perf.data has the task's mapping there, else "0x7f00".
 */
SV *chain_name(pTHX_ const struct event *ev, uint64_t address, bool kernel);

/*
 * The call chain of EV in the form of perf's scripts, innermost first, as a new reference to an
 * array (a reference count of 1, the caller's): for each address a hash with ip; and if the
 * machine's kallsyms have a symbol for it, sym, a hash with its name, start and end, and dso,
 * "[kernel.kallsyms]" or "[module]".  For an address in a mapping of a perf.data, dso is the mapped
 * file, and offset the place in it.  Empty without a chain.
 */
SV *chain_ref(pTHX_ const struct event *ev);

#endif
