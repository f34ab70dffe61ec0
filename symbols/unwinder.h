/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_UNWINDER_H
#define ZED_SYMBOLS_UNWINDER_H

#include "symbols/code_files.h"

/*
 * Finds the callers in copied stacks (perf record --call-graph dwarf) by the unwind tables of
 * programs' files: those that code_files uses for names, so they are the recorded ones.  A process
 * of its own reads them, `zedsyms unwind`, which runs from the first stack to the end of the run
 * and gets the files as open descriptors.  If it dies, or takes too long, that is said once, and no
 * stack is unwound from then on.
 */
#define UNWIND_SECONDS 20	      /* for one stack */
#define UNWIND_NS_FREE 60000000000ull /* for all of them: this ... */
#define UNWIND_NS_EACH 2000000ull     /* ... and this for each; one takes 0.05 ms */

struct unwinder;

/* READER: the path of zedsyms; NULL: it was not built.  FILES outlives it. */
struct unwinder *unwinder_new(const char *reader, struct code_files *files, struct notes *notes);

/* finder.unwind */
unsigned unwinder_stack(struct unwinder *u, const struct user_state *s,
			const struct address_space *space, uint64_t *ips, unsigned most);

void unwinder_free(struct unwinder *u); /* NULL is fine */

#endif
