/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_PRINTFMT_PARSE_H
#define ZED_TEXT_PRINTFMT_PRINTFMT_PARSE_H

#include "base/mem.h"
#include "text/printfmt/tree.h"

/* Parsing a print format.  Bounded in size and nesting. */

#define PF_MAX_SIZE 65536 /* bytes of a print format; the longest of 6.18 has 4,840 */
#define PF_MAX_DEPTH 64	  /* t/unit/print_format tries all formats of the running kernel */

/*
 * Parse the print format of T (resolved).  NULL if it is not what kernels write; *WHY says what is
 * wrong.  Owned by A.
 */
struct printfmt *printfmt_parse(const struct etype *t, struct arena *a, const char **why);

/* All tables of T's print format (T resolved), in its order; NULL: none.  Owned by A. */
const struct flag_table *printfmt_tables(const struct etype *t, struct arena *a);

/*
 * The table for field F among these, FLAGS (__print_flags) or not: the one that looks up F itself,
 * else the only one that looks up an expression with it (sched_switch masks prev_state first); or
 * NULL.
 */
const struct flag_table *printfmt_table_for(const struct flag_table *t, const struct field *f,
					    bool flags);

/*
 * The arguments of T's print format (T resolved), linked by next, up to the first that cannot be
 * parsed.  Owned by A.
 */
const struct pf_node *printfmt_args(const struct etype *t, struct arena *a);

#endif
