/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_LIBRARY_H
#define ZED_READER_TEXT_LIBRARY_H

#include "base/mem.h"
#include "reader/text/printfmt/tree.h"

struct tep_event;

/*
 * What libtraceevent has understood of an event's format, in our terms: it is this that will be
 * printed, not what we have read there.
 */

/* Does the library take each field of T (resolved) for what it is to us? */
bool textlib_same_fields(const struct etype *t);

/*
 * The arguments of EVENT's print format, which is of T; *SYMBOLS is set if there are bare words,
 * which the library looks up among the symbols.  Owned by A; names are the library's.
 */
struct pf_node *textlib_args(const struct etype *t, struct tep_event *event, struct arena *a,
			     bool *symbols);

#endif
