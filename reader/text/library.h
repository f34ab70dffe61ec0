/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_LIBRARY_H
#define ZED_READER_TEXT_LIBRARY_H

#include "base/mem.h"
#include "reader/text/printfmt/tree.h"

struct tep_event;

/*
 * What libtraceevent has understood of an event's format, in our terms.  It prints by its own
 * reading, so that one is checked, not only ours.
 */

/* Does the library understand each field of T (resolved) as we do? */
bool textlib_same_fields(const struct etype *t);

/*
 * The arguments of EVENT's print format, which is of T; *SYMBOLS is set if there are bare words,
 * which the library looks up as symbols.  Owned by A; names are the library's.
 */
struct pf_node *textlib_args(const struct etype *t, struct tep_event *event, struct arena *a,
			     bool *symbols);

#endif
