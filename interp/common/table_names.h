/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_TABLE_NAMES_H
#define ZED_INTERP_COMMON_TABLE_NAMES_H

#include "base/outbuf.h"
#include "text/printfmt/tree.h"
#include "trace/catalog.h"

/*
 * The names of numbers by the tables of print formats: those of bits (__print_flags), and of values
 * (__print_symbolic).
 */

/* Tables that were read; zero-initialise. */
struct table_names {
	struct arena arena;
	struct value_tables *known;
	size_t nknown, cap;
};

void table_names_fini(struct table_names *n);

/* The tables of T (resolved); NULL: none.  Kept by N. */
const struct flag_table *table_names_tables(struct table_names *n, const struct etype *t);

/*
 * Append the names of the bits of V (FLAGS), or the name of V, a value of F, which is a field of T.
 * False: there is no table, or no name in it.
 */
bool table_names_put(struct table_names *n, const struct etype *t, const struct field *f,
		     uint64_t v, bool flags, struct outbuf *o);

/*
 * What T's print format shows for no flags at all.  Returns its length, 0: nothing; *AT points into
 * the print format.
 */
size_t table_names_none(const struct etype *t, const char **at);

/*
 * The type named exactly "system:event" or "system::event": CURRENT (or NULL) if that has the name,
 * else the first one of C, resolved.  NULL: there is none.
 */
const struct etype *table_names_type(struct catalog *c, const struct etype *current,
				     const char *event);

#endif
