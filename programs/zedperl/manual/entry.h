/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MANUAL_ENTRY_H
#define ZED_PROGRAMS_ZEDPERL_MANUAL_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The functions that a page of the manual documents: those of its =items that are written as calls,
 * "Zed::keep(FROM, TO)", "$report->note(KEY, N, TEXT)", "Zed::Table->new(...)", or as "sub NAME".
 * An item may name several; items with nothing between them share the text that follows
 * (perlpod(1)).
 */
struct entries;

/*
 * The functions of the POD in the file PATH; NULL: it cannot be read.  The caller's:
 * entries_free().
 */
struct entries *entries_read(const char *path);
void entries_free(struct entries *all);

/* The name of function I, from 0, as written: "Zed::keep", "$report->note"; NULL: no more. */
const char *entries_name(const struct entries *all, size_t i);

/* What follows the last "::" or "->" of such a name: "keep", "note". */
const char *entry_short(const char *name);

/*
 * The entry of the function written NAME, or, with IS_SHORT, of the first with that short name: a
 * POD, the caller's, of its items, their text, and a last line with the command that shows the
 * page, WHERE, and the headings that they are under.  NULL: none.
 */
char *entries_find(const struct entries *all, const char *name, bool is_short, const char *where);

#endif
