/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_CALL_CHAIN_H
#define ZED_INTERP_BIND_CALL_CHAIN_H

#include "interp/perl/perl_inc.h"
#include "trace/chain_frame.h"

/*
 * The frame F of ADDRESS as text, a new string: "schedule+0x2b" by the machine's symbols of the
 * kernel or of a program; "/usr/bin/x+0x1234" if a perf.data has the task's mapping there, else
 * "0x7f00"; "min (inlined)".
 */
SV *chain_name(pTHX_ uint64_t address, const struct chain_frame *f);

/*
 * The call chain of EV in the form of perf's scripts, innermost first, as a new reference to an
 * array (a reference count of 1, the caller's): for each address a hash with ip; and if there is a
 * symbol for it, sym, a hash with its name, start and end.  For the kernel, dso is
 * "[kernel.kallsyms]" or "[module]"; for an address in a mapping of a perf.data, it is the mapped
 * file, and offset the place in it (sym's start and end are offsets, too).  With --inline, file and
 * line are those of the source, and functions that were inlined have hashes of their own, with the
 * ip of the next one and inlined => 1.  Empty without a chain.
 */
SV *chain_ref(pTHX_ const struct event *ev);

#endif
