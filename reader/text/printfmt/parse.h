/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_PARSE_H
#define ZED_READER_TEXT_PRINTFMT_PARSE_H

#include "base/mem.h"
#include "reader/text/printfmt/tree.h"

/*
 * Our reading of a print format: enough to know that libtraceevent can print a record of it safely,
 * and the tables of __print_flags and __print_symbolic.  Bounded in size and nesting.
 */

#define PF_MAX_SIZE 65536 /* bytes of a print format; the longest of 6.18 has 4,840 */
#define PF_MAX_DEPTH 64	  /* t/unit/print_format tries all formats of the running kernel */

/*
 * Parse the print format of T (resolved) as a library that LACKS some things (PF_LACKS_*) would.
 * NULL when the library cannot parse it, or would die trying; *WHY says what is wrong with it.
 * Owned by A.
 */
struct printfmt *printfmt_parse(const struct etype *t, unsigned lacks, struct arena *a,
				const char **why);

/*
 * The same as the kernel's compiler reads it: trees as C has them, and every function a PF_FUNC of
 * its name (its fields bare words), but __print_flags() and __print_symbolic(), of either width.
 */
struct printfmt *printfmt_parse_kernel(const struct etype *t, struct arena *a, const char **why);

/* All tables of T's print format (T resolved), in its order; NULL: none.  Owned by A. */
const struct flag_table *printfmt_tables(const struct etype *t, struct arena *a);

/*
 * The arguments of T's print format (T resolved), linked by next, up to the first that cannot be
 * parsed.  The trees are as the library builds them: "f & (A | B)" comes as "(f & A) | B".  Owned
 * by A.
 */
const struct pf_node *printfmt_args(const struct etype *t, struct arena *a);

#endif
